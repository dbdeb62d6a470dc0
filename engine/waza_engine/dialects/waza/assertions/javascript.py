"""Problems of a JavaScript assertion, found from its tokens (docs/reference/waza-graders.md, section 5.1).

This is not a parser. It reports unclosed quotes and brackets, Python words and undeclared names, but nothing that is
doubtful. Statements are allowed, and later assertions see what an assertion declares.
"""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from waza_engine.dialects.waza.assertions.names import JAVASCRIPT_NAMES, words
from waza_engine.dialects.waza.assertions.static import Problem, unknown_name
from waza_engine.rules.invalid_assertion import INVALID_ASSERTION
from waza_engine.rules.unknown_assertion_name import UNKNOWN_ASSERTION_NAME

_WORDS = words(
    """
    await async break case catch class const continue debugger default delete do else export extends false finally for
    function if import in instanceof let new null of return static super switch this throw true try typeof var void
    while with yield arguments get set target
    """
)
_PYTHON = {
    "and": "&&",
    "or": "||",
    "not": "!",
    "None": "null",
    "is": "===",
    "elif": "else if",
    "len": ".length",
}
_OPERATORS = frozenset(["and", "or", "not", "None"])
_DECLARES = frozenset(["const", "let", "var", "function", "class", "catch"])
_PAIRS = {")": "(", "]": "[", "}": "{"}
_TOKEN = re.compile(
    r"""(?P<space>\s+|//[^\n]*|/\*.*?\*/)
      |(?P<string>"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|`(?:[^`\\]|\\.)*`)
      |(?P<open>["'`])
      |(?P<number>(?:\d|\.\d)[\w.]*)
      |(?P<name>[^\W\d][\w$]*|\$[\w$]*|\#[\w$]+)
      |(?P<mark>=>|\.\.\.|\?\.|[-+*/%&|^!=<>?~:;,.@\\\#]|[()\[\]{}])""",
    re.VERBOSE | re.DOTALL,
)
_REGEXP = re.compile(r"/(?:[^/\\\[\n]|\\.|\[(?:[^\]\\\n]|\\.)*\])+/[a-z]*")
_BEFORE_VALUE = frozenset("(,=:[!&|?{};+-*%<>~^") | {"=>", "return", "typeof", "case", "in", "of"}


class Token(NamedTuple):
    kind: str
    text: str
    start: int

    @property
    def part(self) -> tuple[int, int]:
        return self.start, self.start + len(self.text)


def problem_in_javascript(assertion: str, bound: set[str]) -> Iterator[Problem]:
    """Report the problems of `assertion`. Adds the names that it declares for later ones to `bound`."""
    tokens = list(_tokens(assertion))
    if not tokens:
        yield Problem(INVALID_ASSERTION, "Not a JavaScript expression: it is empty")
        return
    if (error := _syntax_problem(tokens)) is not None:
        yield error
        return
    bound |= _declared_names(tokens)
    reported: set[str] = set()
    for token in _read_names(tokens):
        if token.text in _PYTHON and _is_python(token, tokens):
            instead = _PYTHON[token.text]
            message = f"'{token.text}' is Python. In JavaScript, write '{instead}'"
            yield Problem(INVALID_ASSERTION, message, token.part)
            return
        if token.text not in bound | reported | JAVASCRIPT_NAMES:
            reported.add(token.text)
            message = unknown_name(token.text, JAVASCRIPT_NAMES, "the language's own objects")
            yield Problem(UNKNOWN_ASSERTION_NAME, message, token.part, token.text)


def reads_as_javascript(assertion: str) -> bool:
    """Whether a string that is not Python is a JavaScript assertion."""
    return not any(problem_in_javascript(assertion, set()))


def _tokens(text: str) -> Iterator[Token]:
    at, before = 0, ""
    while at < len(text):
        found = None
        if text[at] == "/" and (not before or before in _BEFORE_VALUE):
            found = _REGEXP.match(text, at)
        kind = "regexp" if found is not None else ""
        found = found or _TOKEN.match(text, at)
        if found is None:
            yield Token("strange", text[at], at)
            return
        kind = kind or str(found.lastgroup)
        if kind != "space":
            before = found[0]
            yield Token(kind, before, at)
        at = found.end()


def _syntax_problem(tokens: Sequence[Token]) -> Problem | None:
    """Report an unclosed quote or bracket, or a character that is not JavaScript."""
    open_brackets: list[Token] = []
    for it in tokens:
        if it.kind == "open":
            return Problem(INVALID_ASSERTION, "Not JavaScript: this quote is never closed", it.part)
        if it.kind == "strange" or it.text in {"@", "\\"}:
            return Problem(INVALID_ASSERTION, f"Not JavaScript: unexpected '{it.text}'", it.part)
        if it.kind == "mark" and it.text in _PAIRS.values():
            open_brackets.append(it)
        elif (
            it.kind == "mark"
            and it.text in _PAIRS
            and (not open_brackets or open_brackets.pop().text != _PAIRS[it.text])
        ):
            return Problem(INVALID_ASSERTION, f"Not JavaScript: '{it.text}' has no opening bracket", it.part)
    if open_brackets:
        last = open_brackets[-1]
        return Problem(INVALID_ASSERTION, f"Not JavaScript: '{last.text}' is never closed", last.part)
    if tokens[-1].kind == "mark" and tokens[-1].text in "+-*/%&|^=<>?~:,.!":
        message = f"Not JavaScript: something is missing after '{tokens[-1].text}'"
        return Problem(INVALID_ASSERTION, message, tokens[-1].part)
    return None


def _declared_names(tokens: Sequence[Token]) -> set[str]:
    """Return the names that the assertion declares: variables, functions, parameters, assigned names."""
    names: set[str] = set()
    for index, it in enumerate(tokens):
        next_text = _text(tokens, index + 1)
        if it.text in _DECLARES:
            names |= _pattern(tokens, index + 1)
        if it.kind == "name" and (
            next_text == "=>" or (next_text == "=" and _text(tokens, index + 2) != "=")
        ):
            names.add(it.text)
        if it.text in {"=>", "{"} and _text(tokens, index - 1) == ")":
            names |= _parameters(tokens, index - 1)
    return names


def _pattern(tokens: Sequence[Token], index: int) -> set[str]:
    """Return the names from here to the `=`, `of`, `in` or `;` of a declaration, also of a destructuring."""
    names: set[str] = set()
    depth = 0
    for it in tokens[index:]:
        depth += (it.text in "([{") - (it.text in ")]}") if it.kind == "mark" else 0
        if depth <= 0 and it.text in {"=", "of", "in", ";", "{"}:
            break
        if it.kind == "name":
            names.add(it.text)
    return names


def _parameters(tokens: Sequence[Token], closing: int) -> set[str]:
    """Return the names in the brackets that end at `closing`."""
    depth, index = 0, closing
    while index >= 0:
        depth += (tokens[index].text == ")") - (tokens[index].text == "(")
        if depth == 0:
            break
        index -= 1
    if _text(tokens, index - 1) in {"if", "while", "switch", "for", "with"}:
        return set()
    return {it.text for it in tokens[index:closing] if it.kind == "name"}


def _read_names(tokens: Sequence[Token]) -> Iterator[Token]:
    """Yield the names that are read, without keywords, members, object keys and labels."""
    for index, it in enumerate(tokens):
        if it.kind != "name" or it.text in _WORDS or it.text.startswith("#"):
            continue
        before, after = _text(tokens, index - 1), _text(tokens, index + 1)
        if before in {".", "?.", "break", "continue"} or (after == ":" and before in {"{", ",", ";", ""}):
            continue
        yield it


def _is_python(token: Token, tokens: Sequence[Token]) -> bool:
    """Whether a Python word is in the place of a JavaScript operator, or is called as a function."""
    index = tokens.index(token)
    if token.text == "len":
        return _text(tokens, index + 1) == "("
    return index > 0 or token.text in {"not", "None"}


def _text(tokens: Sequence[Token], index: int) -> str:
    return tokens[index].text if 0 <= index < len(tokens) else ""


def translate_to_javascript(assertion: str) -> str | None:
    """Translate Python's operators to JavaScript; None if the result is not JavaScript either."""
    text = assertion
    for token in reversed(list(_tokens(assertion))):
        if token.kind == "name" and token.text in _OPERATORS:
            start, end = token.part
            gap = 1 if token.text == "not" and text[end : end + 1] == " " else 0
            text = text[:start] + _PYTHON[token.text] + text[end + gap :]
    return text if text != assertion and reads_as_javascript(text) else None
