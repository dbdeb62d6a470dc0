"""Ways to mend text that is not YAML: guesses from the cause, kept only if the text can be read afterwards.

Repairs of how a line begins: a key without its colon or with half a quote, a dash that is a star.
"""

import json
import re
from collections.abc import Callable, Iterator

from waza_lsp.syntax.cursor.rows import Row, row_of
from waza_lsp.syntax.edit.edits import Edit
from waza_lsp.syntax.edit.emit import quoted
from waza_lsp.syntax.errors.hints import Cause, Problem
from waza_lsp.syntax.errors.indentation import Repair, beside, indent_of, realigned, without_tabs
from waza_lsp.syntax.text import Place, Span, Text
from waza_lsp.syntax.tree.parse import parse

_WORD = re.compile(r"[\w.-]+")
_KEY_AND_REST = re.compile(r"([\w.-]+?)(?:\s*([;=,\uff1a])\s*|\s+)(?=(\S?))")
_HALF_QUOTED = re.compile(r"""(\s*(?:- +)*)(["'])[\w.-]+(?=:(?:\s|$))""")
_STAR = re.compile(r"( *(?:- +)*)\*(?= )")


def half_key(text: Text, problem: Problem) -> Iterator[Repair]:
    """Of several words the first may be a key, if the schema knows it there."""
    source, start = text.slice(problem.span), problem.span.start
    if _WORD.fullmatch(source):
        yield Repair("Add a colon", (_at(problem.span.end.line, problem.span.end.column, ":"),))
    elif found := _KEY_AND_REST.match(source):
        gap = Span(
            Place(start.line, start.column + found.end(1)), Place(start.line, start.column + found.end())
        )
        title = f"Change '{found[2]}' to a colon" if found[2] else f"Add a colon behind '{found[1]}'"
        yield Repair(title, (Edit(gap, ": " if found[3] else ":"),), is_guess=True)
    else:
        yield from quoted_key(text, problem)


def quoted_key(text: Text, problem: Problem) -> Iterator[Repair]:
    """A line that begins with a quote and goes on like a key; behind a dash that may be a text as well."""
    line = problem.span.start.line
    found = _HALF_QUOTED.match(text.line(line))
    if found is None or found.end(1) != problem.span.start.column:
        return
    title = f"Add the closing quote behind '{found[0][found.end(2) :]}'"
    yield Repair(title, (_at(line, found.end(), found[2]),), is_guess="-" in found[1])


def stars(text: Text, problem: Problem) -> Iterator[Repair]:
    """All items of the list at once: they are usually all written in one way."""
    line, column = problem.span.start
    if (found := _STAR.match(text.line(line))) is None or found.end(1) != column:
        return
    others = ((it, _STAR.match(text.line(it))) for it in beside(text, line, column))
    lines = [line, *(it for it, found in others if found and found.end(1) == column)]
    for chosen in (lines, lines[:1]):
        edits = tuple(Edit(Span(Place(it, column), Place(it, column + 1)), "-") for it in chosen)
        yield Repair("Change '*' to '-'", edits)


def _at(line: int, column: int, new: str) -> Edit:
    return Edit(Span(Place(line, column), Place(line, column)), new)


_MOST = 3
_MOST_LINES = 30
_DOUBLE_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_ESCAPE = re.compile(r"\\(.)")
_KNOWN_ESCAPES = frozenset('0abt\tnvfre "/\\N_LPxuU')
_COMMENT = re.compile(r"\s+#.*$")
_ENTRY = re.compile(r"\s*(?:- +)*[\w.-]+:(?:\s|$)")


def repairs(source: str, problem: Problem) -> list[Repair]:
    """Ways to mend a piece, best first.

    Those that make all of it readable; without any, those that make it readable down to a later line.
    """
    text = Text.of(source)
    whole: dict[str, Repair] = {}
    partly: dict[str, Repair] = {}
    for it in _CANDIDATES.get(problem.cause, _none)(text, problem):
        if not it.edits:
            continue  # What was to be mended everywhere stands nowhere.
        outcome = str(_edited(text, it))
        left = parse(outcome).problems
        if not left:
            whole.setdefault(outcome, it)
        elif left[0].span.start.line > max(problem.span.end.line, *(it.span.end.line for it in it.edits)):
            partly.setdefault(outcome, it)
        if len(whole) == _MOST:
            break
    return list((whole or partly).values())[:_MOST]


def _edited(text: Text, repair: Repair) -> Text:
    for span, new in sorted(repair.edits, reverse=True):
        text = text.edited(span, new)
    return text


def _none(_text: Text, _problem: Problem) -> Iterator[Repair]:
    yield from ()


def _dash(text: Text, problem: Problem) -> Iterator[Repair]:
    """All items of the list at once: they are usually all written in one way."""
    line, column = problem.span.start
    same = re.compile(rf" {{{column}}}-(?=[^\s-])")
    others = [it for it in beside(text, line, column) if same.match(text.line(it))]
    for chosen in ([line, *others], [line]):
        yield Repair("Add the missing blank", tuple(_insert(it, column + 1, " ") for it in chosen), safe=True)


def _colon(text: Text, problem: Problem) -> Iterator[Repair]:
    """All keys of the mapping at once; or this one."""
    line, column = problem.span.start
    at = text.line(line).find(":", column) + 1
    same = re.compile(rf" {{{column}}}[\w.-]+:(?=[^\s:/\\])")
    others = ((it, same.match(text.line(it))) for it in beside(text, line, column))
    edits = [_insert(line, at, " "), *(_insert(it, found.end(), " ") for it, found in others if found)]
    for chosen in (edits, edits[:1]):
        yield Repair("Add the missing blank", tuple(chosen), safe=True)


def _quote(text: Text, problem: Problem) -> Iterator[Repair]:
    keys = [*quoted_key(text, problem)]
    yield from keys
    if all(it.is_guess for it in keys):
        yield from _closing_quote(text, problem)


def _closing_quote(text: Text, problem: Problem) -> Iterator[Repair]:
    line, column = problem.span.start
    source = text.line(line)
    quote, rest = source[column], source[column + 1 :]
    in_brackets = bool(re.search(r"[\[{][^\]}]*$", source[:column]))
    ends = [found.start() for found in re.finditer(r"[,\]}]", rest)] if in_brackets else []
    if comment := _COMMENT.search(rest):
        ends.append(comment.start())
    for number, end in enumerate([*ends, len(rest.rstrip())]):
        # Of several ways only the likeliest needs no words to tell it from the others.
        where = f" behind '{rest[:end].split()[-1]}'" if number and rest[:end].strip() else ""
        yield Repair(f"Add the closing quote{where}", (_insert(line, column + 1 + end, quote),))


def _bracket(text: Text, problem: Problem) -> Iterator[Repair]:
    line = problem.span.start.line
    indent = indent_of(text, line)
    closers = ""
    for at in range(line, min(len(text.lines), line + _MOST_LINES)):
        source = text.line(at)
        if at > line and source.strip() and indent_of(text, at) <= indent:
            return
        content = _COMMENT.sub("", source).rstrip()
        closers = _open_after(content, closers)
        title = f"Add the closing {'brackets' if len(closers) > 1 else 'bracket'}"
        if content:
            yield Repair(title, (_insert(at, len(content), closers),))


def _open_after(source: str, closers: str) -> str:
    """The brackets that close what is open at the end of a line; texts in quotes do not count."""
    for found in re.finditer(r"""(?<![\w])(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')|([\[{])|([\]}])""", source):
        if found[1]:
            closers = ("]" if found[1] == "[" else "}") + closers
        elif found[2]:
            closers = closers[1:]
    return closers


def _shallow_block(text: Text, problem: Problem) -> Iterator[Repair]:
    """The lines down to the next key in the same column go deeper; or only the first ones of them."""
    first = problem.span.start.line
    indent = indent_of(text, first)
    lines = [first]
    for line in range(first + 1, min(len(text.lines), first + _MOST_LINES)):
        source = text.line(line)
        if source.strip() and (indent_of(text, line) < indent or _ENTRY.match(source)):
            break
        lines.append(line)
    filled = tuple(it for it in lines if text.line(it).strip())
    yield Repair("Indent the text", tuple(_insert(it, 0, "  ") for it in filled))


def _block_line(text: Text, problem: Problem) -> Iterator[Repair]:
    """As deep as the text that goes on below; or the value was no block."""
    line, column = problem.span.start
    source = text.line(line)
    key = row_of(line, source, 1).start
    below = next((it for it in range(line + 1, len(text.lines)) if text.line(it).strip()), None)
    deeper = indent_of(text, below) if below is not None and indent_of(text, below) > key else key + 2
    gap = Span(Place(line, len(source[:column].rstrip())), Place(line, column))
    yield Repair("Begin the text on the next line", (Edit(gap, "\n" + " " * deeper),))
    yield from _quote_value(text, problem)


def _first_character(text: Text, problem: Problem) -> Iterator[Repair]:
    yield from stars(text, problem)
    yield from _quote_value(text, problem)


def _quote_value(text: Text, problem: Problem) -> Iterator[Repair]:
    """The whole value of the line in quotes; in brackets, the word at fault."""
    line, column = problem.span.start
    row = row_of(line, text.line(line), 1)
    start = row.value
    if text.line(line)[start : start + 1] in {"[", "{"} or start > column:
        start = (
            len(text.line(line)[:column].rstrip("*&")) if problem.cause is Cause.FIRST_CHARACTER else column
        )
        end = start + len(re.match(r"[^,\]}]*", text.line(line)[start:])[0].rstrip())  # type: ignore[index]  # it matches
    else:
        end = row.end
    span = Span(Place(line, start), Place(line, end))
    if end > start:
        yield Repair("Quote the value", (Edit(span, quoted(text.slice(span))),))


def _template(text: Text, problem: Problem) -> Iterator[Repair]:
    yield quoted_template(text, problem.span)


def quoted_template(text: Text, span: Span) -> Repair:
    """Quotes around a template."""
    source = text.slice(span)
    new = quoted(source) if '"' in source else json.dumps(source, ensure_ascii=False)
    return Repair("Quote the template", (Edit(span, new),), safe=True)


def _text_after(text: Text, problem: Problem) -> Iterator[Repair]:
    """Quotes inside quotes, or text behind them."""
    line = problem.span.start.line
    row: Row = row_of(line, text.line(line), 1)
    source = text.line(line)
    quote = source[row.value : row.value + 1]
    if quote not in {"'", '"'}:
        return
    whole = _COMMENT.sub("", source[row.value :]).rstrip()
    span = Span(Place(line, row.value), Place(line, row.value + len(whole)))
    if len(whole) > 1 and whole.endswith(quote):
        inner = whole[1:-1]
        if quote == "'":
            yield Repair("Double the quote inside", (Edit(span, quoted(inner.replace("''", "'"))),))
        else:
            yield Repair("Escape the quotes inside", (Edit(span, f'"{_escaped(inner)}"'),))
    if whole.count(quote) % 2 == 0:
        yield Repair("Quote the whole value", (Edit(span, quoted(whole)),))


def _escaped(inner: str) -> str:
    return re.sub(r'(\\.)|"', lambda it: it[1] or '\\"', inner)


def _escape(text: Text, problem: Problem) -> Iterator[Repair]:
    """A pattern in double quotes: single quotes leave its backslashes alone."""
    line, column = problem.span.start
    found = next(
        (it for it in _DOUBLE_QUOTED.finditer(text.line(line)) if it.start() <= column < it.end()), None
    )
    if found is None:
        return
    span, inner = Span(Place(line, found.start()), Place(line, found.end())), found[0][1:-1]
    letters = set(_ESCAPE.findall(inner))
    # `\b` is a word boundary in a pattern; as a backspace nobody writes it.
    if not letters & (_KNOWN_ESCAPES - {"b"}):
        yield Repair("Use single quotes", (Edit(span, quoted(inner)),), safe=not letters & _KNOWN_ESCAPES)
    doubled = _ESCAPE.sub(lambda it: it[0] if it[1] in _KNOWN_ESCAPES else "\\" + it[0], inner)
    yield Repair("Double the backslash", (Edit(span, f'"{doubled}"'),))


def _forbidden(_text: Text, problem: Problem) -> Iterator[Repair]:
    yield Repair("Remove the character", (Edit(problem.span, ""),))


def _blanks(_text: Text, problem: Problem) -> Iterator[Repair]:
    width = problem.span.end.column - problem.span.start.column
    yield Repair("Use ordinary blanks", (Edit(problem.span, " " * width),), safe=True)


def _insert(line: int, column: int, new: str) -> Edit:
    return Edit(Span(Place(line, column), Place(line, column)), new)


_CANDIDATES: dict[Cause, Callable[[Text, Problem], Iterator[Repair]]] = {
    Cause.DASH: _dash,
    Cause.COLON: _colon,
    Cause.TAB: without_tabs,
    Cause.BLANKS: _blanks,
    Cause.QUOTE: _quote,
    Cause.BRACKET: _bracket,
    Cause.HALF_KEY: half_key,
    Cause.INDENTATION: realigned,
    Cause.SHALLOW_BLOCK: _shallow_block,
    Cause.BLOCK_LINE: _block_line,
    Cause.SECOND_COLON: _quote_value,
    Cause.FIRST_CHARACTER: _first_character,
    Cause.TEXT_AFTER: _text_after,
    Cause.TEMPLATE: _template,
    Cause.ESCAPE: _escape,
    Cause.FORBIDDEN: _forbidden,
}
