"""The syntax of the templates in prompts: Go's text/template without loops, definitions and variables of its own."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple, NoReturn

from waza_engine.formats.waza.template_functions import ARGUMENTS, FUNCTIONS
from waza_engine.formats.waza.template_texts import TemplateError, number_of, text_of_literal

__all__ = ["Branch", "Call", "Expression", "Literal", "Names", "Part", "TemplateError", "parsed"]

_BLANKS = " \t\r\n"
_MOST_LEVELS = 50
_LEFT_OUT = ("range", "with", "define", "block", "template", "break", "continue")
_OPENING = re.compile(r"\{\{(-(?=[ \t\r\n]))?[ \t\r\n]*")
_CLOSING = re.compile(r"[ \t\r\n]*(?:(?<=[ \t\r\n])(-))?\}\}")
_COMMENT = re.compile(r"/\*.*?\*/(?=[ \t\r\n]*(?:(?<=[ \t\r\n])-)?\}\})", re.DOTALL)
_MAY_FOLLOW = frozenset(["", *_BLANKS, *"()|}"])
"""What may stand right behind a word, text or number."""
_TOKEN = re.compile(
    r"""[ \t\r\n]*(?:
        (?P<text>"(?:[^"\\\n]|\\.)*"|`[^`]*`|'(?:[^'\\\n]|\\.)+')
      | (?P<number>[+-]?(?:[0-9][\w.]*|\.[0-9]\w*))
      | (?P<names>\$?(?:\.[^\W\d]\w*)+)
      | (?P<word>[^\W\d]\w*)
      | (?P<sign>[()|])
    )""",
    re.VERBOSE,
)


@dataclass(frozen=True, slots=True)
class Literal:
    """A text, number or truth that is written down."""

    value: str | float | bool


@dataclass(frozen=True, slots=True)
class Names:
    """`.Vars.name` or `.TaskName`: the names without their dots."""

    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A function with its arguments; what is piped into it is the last of them."""

    name: str
    arguments: tuple["Expression", ...]


Expression = Literal | Names | Call


@dataclass(frozen=True, slots=True)
class Branch:
    """`if`, with what stands for each of the two cases."""

    condition: Expression
    then: tuple["Part", ...]
    otherwise: tuple["Part", ...]


Part = str | Expression | Branch


class _Token(NamedTuple):
    kind: str
    source: str


_NESTING = (_Token("sign", "("), _Token("sign", "|"))


def parsed(template: str) -> tuple[Part, ...]:
    """What a template consists of.

    Raises:
        TemplateError: an action is not closed, or is none that is known.

    """
    return _Blocks(template).all()


class _Open:
    """An `if` that waits for its `end`. `chained` ones stand behind `else` and end with the one before."""

    def __init__(self, condition: Expression, *, chained: bool = False) -> None:
        self.condition = condition
        self.chained = chained
        self.then: tuple[Part, ...] | None = None
        self.parts: list[Part] = []


class _Blocks:
    """Puts texts and actions together; blocks are kept in a list, not on Python's stack."""

    def __init__(self, template: str) -> None:
        self._pieces = _pieces(template)
        self._top: list[Part] = []
        self._open: list[_Open] = []

    def all(self) -> tuple[Part, ...]:
        for it in self._pieces:
            if isinstance(it, str):
                self._parts.append(it)
            elif it:
                self._action(it)
        if self._open:
            raise TemplateError("an '{{if}}' has no '{{end}}'")
        return tuple(self._top)

    @property
    def _parts(self) -> list[Part]:
        return self._open[-1].parts if self._open else self._top

    def _action(self, tokens: list[_Token]) -> None:
        match [it.source for it in tokens[:2]]:
            case ["if", *_]:
                self._enter(_Open(_expression(tokens[1:])))
            case ["else", "if"]:
                self._else()
                self._enter(_Open(_expression(tokens[2:]), chained=True))
            case ["else"]:
                self._else()
            case ["end"]:
                self._end()
            case _:
                self._parts.append(_expression(tokens))

    def _enter(self, block: _Open) -> None:
        self._open.append(block)
        if len(self._open) > _MOST_LEVELS:
            raise TemplateError(f"'{{{{if}}}}' is nested deeper than {_MOST_LEVELS} levels")

    def _else(self) -> None:
        if not self._open or self._open[-1].then is not None:
            raise TemplateError("an '{{else}}' belongs to no '{{if}}'")
        self._open[-1].then = tuple(self._open[-1].parts)
        self._open[-1].parts = []

    def _end(self) -> None:
        if not self._open:
            raise TemplateError("an '{{end}}' belongs to no '{{if}}'")
        chained = True
        while chained:
            block = self._open.pop()
            parts = tuple(block.parts)
            then, otherwise = (parts, ()) if block.then is None else (block.then, parts)
            self._parts.append(Branch(block.condition, then, otherwise))
            chained = block.chained


def _pieces(template: str) -> Iterator[str | list[_Token]]:
    """Texts, and the tokens of the actions between them; a comment is an action without any."""
    position, trim = 0, False
    while found := _OPENING.search(template, position):
        yield _between(template[position : found.start()], trim_start=trim, trim_end=bool(found[1]))
        tokens, position, trim = _tokens(template, found.end())
        yield tokens
    yield _between(template[position:], trim_start=trim, trim_end=False)


def _between(text: str, *, trim_start: bool, trim_end: bool) -> str:
    """The text between two actions; `-` inside the braces takes the blanks beside them away."""
    text = text.lstrip(_BLANKS) if trim_start else text
    return text.rstrip(_BLANKS) if trim_end else text


def _tokens(template: str, position: int) -> tuple[list[_Token], int, bool]:
    """The tokens from a place inside of `{{` on, where the action ends, and whether it trims what follows."""
    start, tokens = position, list[_Token]()
    is_comment = template.startswith("/*", position)
    if is_comment and (comment := _COMMENT.match(template, position)):
        position = comment.end()
    while not (closing := _CLOSING.match(template, position)):
        found = _TOKEN.match(template, position)
        if found is None:
            _refuse(template, start)
        kind, position = str(found.lastgroup), found.end()
        if kind != "sign" and template[position : position + 1] not in _MAY_FOLLOW:
            _refuse(template, start)
        tokens.append(_Token(kind, found[kind]))
    if not tokens and not is_comment:
        raise TemplateError("a '{{}}' has nothing in it")
    return tokens, closing.end(), bool(closing.lastindex)


def _refuse(template: str, start: int) -> NoReturn:
    end = template.find("}}", start)
    if end < 0:
        raise TemplateError("a '{{' is not closed")
    _not_understood(template[start:end].strip())


def _not_understood(source: str) -> NoReturn:
    raise TemplateError(
        f"'{{{{{source}}}}}' is not understood; write {{{{.Vars.name}}}} or {{{{index .Vars \"name\"}}}}"
    )


def _expression(tokens: list[_Token]) -> Expression:
    if not tokens:
        raise TemplateError("an '{{if}}' has no condition")
    if sum(it in _NESTING for it in tokens) > _MOST_LEVELS:
        raise TemplateError(f"it has more than {_MOST_LEVELS} brackets and pipes in one pair of braces")
    reader = _Reader(tokens)
    expression = reader.pipeline()
    if reader.peek() is not None:
        reader.refuse()
    return expression


class _Reader:
    """Reads the expression of one action."""

    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._at = 0

    def peek(self) -> _Token | None:
        return self._tokens[self._at] if self._at < len(self._tokens) else None

    def refuse(self) -> NoReturn:
        _not_understood(" ".join(it.source for it in self._tokens))

    def pipeline(self) -> Expression:
        value = self._command(())
        while self._takes("|"):
            value = self._command((value,))
        return value

    def _command(self, piped: tuple[Expression, ...]) -> Expression:
        token = self.peek()
        if token is None or token.kind != "word" or token.source in {"true", "false"}:
            if piped:
                raise TemplateError("only into a function can something be piped")
            return self._operand()
        self._at += 1
        arguments: list[Expression] = []
        while (follower := self.peek()) is not None and follower.source not in {"|", ")"}:
            arguments.append(self._operand())
        return _call(token.source, (*arguments, *piped))

    def _operand(self) -> Expression:
        token = self.peek()
        if token is None:
            self.refuse()
        self._at += 1
        match token.kind:
            case "text":
                return Literal(text_of_literal(token.source))
            case "number":
                return Literal(number_of(token.source))
            case "names":
                return Names(tuple(token.source.lstrip("$.").split(".")))
            case "word" if token.source in {"true", "false"}:
                return Literal(token.source == "true")
            case "word":
                return _call(token.source, ())
            case _:
                return self._in_brackets(token)

    def _in_brackets(self, opening: _Token) -> Expression:
        if opening.source != "(":
            self.refuse()
        value = self.pipeline()
        if not self._takes(")"):
            self.refuse()
        return value

    def _takes(self, sign: str) -> bool:
        token = self.peek()
        found = token is not None and token == _Token("sign", sign)
        self._at += found
        return found


def _call(name: str, arguments: tuple[Expression, ...]) -> Call:
    if name in _LEFT_OUT:
        raise TemplateError(f"'{name}' is not supported in prompts here; '{{{{if}}}}' is")
    if name not in FUNCTIONS and name not in {"and", "or"}:
        raise TemplateError(
            f"there is no function '{name}'; a variable is written {{{{.Vars.{name}}}}} or {{{{index .Vars \"{name}\"}}}}"
        )
    fewest, most = ARGUMENTS[name]
    if not fewest <= len(arguments) <= most:
        raise TemplateError(f"'{name}' cannot have {len(arguments)} arguments")
    return Call(name, arguments)
