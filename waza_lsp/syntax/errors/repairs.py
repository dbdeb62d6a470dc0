"""Repair syntax errors: candidates by cause, kept only if the text can be read afterwards."""

import json
import re
from collections.abc import Callable, Iterator

from waza_lsp.syntax.cursor.rows import Row, row_of
from waza_lsp.syntax.edit.edits import Edit
from waza_lsp.syntax.edit.emit import quote_lines, quote_text
from waza_lsp.syntax.errors.hints import Cause, Problem
from waza_lsp.syntax.errors.indentation import Repair, lines_of_block, realign, replace_tabs
from waza_lsp.syntax.errors.paragraphs import list_below_text, paragraph_at
from waza_lsp.syntax.text import Place, Span, Text, indent_of
from waza_lsp.syntax.tree.parse import parse

_WORD = re.compile(r"[\w.-]+")
_KEY_AND_REST = re.compile(r"([\w.-]+?)(?:\s*([;=,\uff1a])\s*|\s+)(?=(\S?))")
_HALF_QUOTED = re.compile(r"""(\s*(?:- +)*)(["'])[\w.-]+(?=:(?:\s|$))""")
_STAR = re.compile(r"( *(?:- +)*)\*(?= )")
_MOST = 3
_MOST_LINES = 30
_DOUBLE_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"')
_ESCAPE = re.compile(r"\\(.)")
_KNOWN_ESCAPES = frozenset('0abt\tnvfre "/\\N_LPxuU')
_COMMENT = re.compile(r"\s+#.*$")
_ENTRY = re.compile(r"\s*(?:- +)*[\w.-]+:(?:\s|$)")


def repairs(source: str, problem: Problem) -> list[Repair]:
    """Return ways to repair a piece, best first.

    Prefers repairs that make the whole piece readable, over those that only move the error further down.
    """
    text = Text.of(source)
    whole: dict[str, Repair] = {}
    partly: dict[str, Repair] = {}
    for it in _CANDIDATES.get(problem.cause, _none)(text, problem):
        if not it.edits:
            continue  # Nothing to change.
        outcome = str(_apply(text, it))
        left = parse(outcome).problems
        if not left:
            whole.setdefault(outcome, it)
        elif left[0].span.start.line > max(problem.span.end.line, *(it.span.end.line for it in it.edits)) or (
            problem.cause is Cause.SECOND_COLON_IN_BRACKETS and left[0].span.start > problem.span.end
        ):
            partly.setdefault(outcome, it)
        if len(whole) == _MOST:
            break
    return list((whole or partly).values())[:_MOST]


def quote_template(text: Text, span: Span) -> Repair:
    """Return the repair that puts quotes around a template."""
    source = text.slice(span)
    new = quote_text(source) if '"' in source else json.dumps(source, ensure_ascii=False)
    return Repair("Quote the template", (Edit(span, new),), safe=True)


def quote_cut_text(text: Text, comment: Span) -> Repair | None:
    """Return the repair that quotes a text together with the comment that cuts it; None in brackets."""
    line = comment.start.line
    row = row_of(line, text.line(line), 1)
    whole = paragraph_at([it.rstrip("\r\n") for it in text.lines], comment.start)
    start = whole.start if whole is not None else Place(line, row.value)
    if text.line(start.line)[start.column : start.column + 1] in {"[", "{", "'", '"'}:
        return None
    span = Span(start, comment.end)
    return Repair("Quote the whole value", (Edit(span, quote_lines(text.slice(span))),))


def _apply(text: Text, repair: Repair) -> Text:
    for span, new in sorted(repair.edits, reverse=True):
        text = text.replace(span, new)
    return text


def _none(_text: Text, _problem: Problem) -> Iterator[Repair]:
    yield from ()


def _dash(text: Text, problem: Problem) -> Iterator[Repair]:
    """Add the space to all items of the list, or only to this one."""
    line, column = problem.span.start
    same = re.compile(rf" {{{column}}}-(?=[^\s-])")
    others = [it for it in lines_of_block(text, line, column) if same.match(text.line(it))]
    for chosen in ([line, *others], [line]):
        yield Repair("Add the missing space", tuple(_insert(it, column + 1, " ") for it in chosen), safe=True)


def _colon(text: Text, problem: Problem) -> Iterator[Repair]:
    """Add the space to all keys of the mapping, or only to this one."""
    line, column = problem.span.start
    at = text.line(line).find(":", column) + 1
    same = re.compile(rf" {{{column}}}[\w.-]+:(?=[^\s:/\\])")
    others = ((it, same.match(text.line(it))) for it in lines_of_block(text, line, column))
    edits = [_insert(line, at, " "), *(_insert(it, found.end(), " ") for it, found in others if found)]
    for chosen in (edits, edits[:1]):
        yield Repair("Add the missing space", tuple(chosen), safe=True)


def _quote(text: Text, problem: Problem) -> Iterator[Repair]:
    keys = [*_close_quoted_key(text, problem)]
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
        # The titles of all but the likeliest repair say where the quote goes.
        where = f" after '{rest[:end].split()[-1]}'" if number and rest[:end].strip() else ""
        yield Repair(f"Add the closing quote{where}", (_insert(line, column + 1 + end, quote),))


def _bracket(text: Text, problem: Problem) -> Iterator[Repair]:
    line = problem.span.start.line
    indent = indent_of(text.line(line))
    closers = ""
    for at in range(line, min(len(text.lines), line + _MOST_LINES)):
        source = text.line(at)
        if at > line and source.strip() and indent_of(text.line(at)) <= indent:
            return
        content = _COMMENT.sub("", source).rstrip()
        closers = _open_after(content, closers)
        title = f"Add the closing {'brackets' if len(closers) > 1 else 'bracket'}"
        if content:
            yield Repair(title, (_insert(at, len(content), closers),))


def _open_after(source: str, closers: str) -> str:
    """Return the closing brackets needed at the end of a line, ignoring quoted text."""
    for found in re.finditer(r"""(?<![\w])(?:"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')|([\[{])|([\]}])""", source):
        if found[1]:
            closers = ("]" if found[1] == "[" else "}") + closers
        elif found[2]:
            closers = closers[1:]
    return closers


def _complete_key(text: Text, problem: Problem) -> Iterator[Repair]:
    """Add the colon that a key lacks.

    Of several words, the first is a key if the schema knows it.
    """
    source, start = text.slice(problem.span), problem.span.start
    if _WORD.fullmatch(source):
        yield Repair("Add a colon", (_insert(problem.span.end.line, problem.span.end.column, ":"),))
    elif found := _KEY_AND_REST.match(source):
        gap = Span(
            Place(start.line, start.column + found.end(1)), Place(start.line, start.column + found.end())
        )
        title = f"Change '{found[2]}' to a colon" if found[2] else f"Add a colon after '{found[1]}'"
        yield Repair(title, (Edit(gap, ": " if found[3] else ":"),), is_guess=True)
    else:
        yield from _close_quoted_key(text, problem)


def _close_quoted_key(text: Text, problem: Problem) -> Iterator[Repair]:
    """Close the quote of a line that continues like a key.

    After a dash it may be plain text as well.
    """
    line = problem.span.start.line
    found = _HALF_QUOTED.match(text.line(line))
    if found is None or found.end(1) != problem.span.start.column:
        return
    title = f"Add the closing quote after '{found[0][found.end(2) :]}'"
    yield Repair(title, (_insert(line, found.end(), found[2]),), is_guess="-" in found[1])


def _shallow_block(text: Text, problem: Problem) -> Iterator[Repair]:
    """Indent the lines down to the next key in the same column."""
    first = problem.span.start.line
    indent = indent_of(text.line(first))
    lines = [first]
    for line in range(first + 1, min(len(text.lines), first + _MOST_LINES)):
        source = text.line(line)
        if source.strip() and (indent_of(text.line(line)) < indent or _ENTRY.match(source)):
            break
        lines.append(line)
    filled = tuple(it for it in lines if text.line(it).strip())
    yield Repair("Indent the text", tuple(_insert(it, 0, "  ") for it in filled))


def _block_line(text: Text, problem: Problem) -> Iterator[Repair]:
    """Move the text to the next line, as deep as the text below it.

    Or quote the value.
    """
    line, column = problem.span.start
    source = text.line(line)
    key = row_of(line, source, 1).start
    below = next((it for it in range(line + 1, len(text.lines)) if text.line(it).strip()), None)
    deeper = (
        indent_of(text.line(below)) if below is not None and indent_of(text.line(below)) > key else key + 2
    )
    gap = Span(Place(line, len(source[:column].rstrip())), Place(line, column))
    yield Repair("Move the text to the next line", (Edit(gap, "\n" + " " * deeper),))
    yield from _quote_value(text, problem)


def _first_character(text: Text, problem: Problem) -> Iterator[Repair]:
    yield from _replace_stars(text, problem)
    yield from _quote_value(text, problem)


def _replace_stars(text: Text, problem: Problem) -> Iterator[Repair]:
    """Replace `*` by `-` in all items of the list, or only in this one."""
    line, column = problem.span.start
    if (found := _STAR.match(text.line(line))) is None or found.end(1) != column:
        return
    others = ((it, _STAR.match(text.line(it))) for it in lines_of_block(text, line, column))
    lines = [line, *(it for it, found in others if found and found.end(1) == column)]
    for chosen in (lines, lines[:1]):
        edits = tuple(Edit(Span(Place(it, column), Place(it, column + 1)), "-") for it in chosen)
        yield Repair("Change '*' to '-'", edits)


def _quote_value(text: Text, problem: Problem) -> Iterator[Repair]:
    """Quote the value of the line; in brackets, only the word at fault."""
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
        yield Repair("Quote the value", (Edit(span, quote_text(text.slice(span))),))


def _insert_graders(text: Text, problem: Problem) -> Iterator[Repair]:
    """Write `graders:` above a list that follows a text."""
    lines = [it.rstrip("\r\n") for it in text.lines]
    place = list_below_text(lines, problem.span.start.line)
    if place is not None:
        yield Repair("Insert 'graders:'", (_insert(place.line, 0, f"{' ' * place.column}graders:\n"),))


def _quote_text(text: Text, problem: Problem) -> Iterator[Repair]:
    """Quote a text with all of its lines."""
    lines = [it.rstrip("\r\n") for it in text.lines]
    span = paragraph_at(lines, problem.span.start)
    if span is not None and span.end.line > span.start.line:
        yield Repair("Quote the whole text", (Edit(span, quote_lines(text.slice(span))),))
    yield from _quote_value(text, problem)


def _quote_span(text: Text, problem: Problem) -> Iterator[Repair]:
    yield Repair("Quote the value", (Edit(problem.span, quote_text(text.slice(problem.span))),))


def _template(text: Text, problem: Problem) -> Iterator[Repair]:
    yield quote_template(text, problem.span)


def _text_after(text: Text, problem: Problem) -> Iterator[Repair]:
    """Escape quotes inside a quoted value, or quote the value together with the text after it."""
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
            yield Repair("Double the quote inside", (Edit(span, quote_text(inner.replace("''", "'"))),))
        else:
            yield Repair("Escape the quotes inside", (Edit(span, f'"{_escaped(inner)}"'),))
    if whole.count(quote) % 2 == 0:
        yield Repair("Quote the whole value", (Edit(span, quote_text(whole)),))


def _escaped(inner: str) -> str:
    return re.sub(r'(\\.)|"', lambda it: it[1] or '\\"', inner)


def _escape(text: Text, problem: Problem) -> Iterator[Repair]:
    """Use single quotes, which keep the backslashes of a pattern, or double the backslash."""
    line, column = problem.span.start
    found = next(
        (it for it in _DOUBLE_QUOTED.finditer(text.line(line)) if it.start() <= column < it.end()), None
    )
    if found is None:
        return
    span, inner = Span(Place(line, found.start()), Place(line, found.end())), found[0][1:-1]
    letters = set(_ESCAPE.findall(inner))
    # `\b` is almost always a word boundary in a pattern, not a backspace.
    if not letters & (_KNOWN_ESCAPES - {"b"}):
        yield Repair("Use single quotes", (Edit(span, quote_text(inner)),), safe=not letters & _KNOWN_ESCAPES)
    doubled = _ESCAPE.sub(lambda it: it[0] if it[1] in _KNOWN_ESCAPES else "\\" + it[0], inner)
    yield Repair("Double the backslash", (Edit(span, f'"{doubled}"'),))


def _forbidden(_text: Text, problem: Problem) -> Iterator[Repair]:
    yield Repair("Remove the character", (Edit(problem.span, ""),))


def _spaces(_text: Text, problem: Problem) -> Iterator[Repair]:
    width = problem.span.end.column - problem.span.start.column
    yield Repair("Use ordinary spaces", (Edit(problem.span, " " * width),), safe=True)


def _insert(line: int, column: int, new: str) -> Edit:
    return Edit(Span(Place(line, column), Place(line, column)), new)


_CANDIDATES: dict[Cause, Callable[[Text, Problem], Iterator[Repair]]] = {
    Cause.DASH: _dash,
    Cause.COLON: _colon,
    Cause.TAB: replace_tabs,
    Cause.SPACES: _spaces,
    Cause.QUOTE: _quote,
    Cause.BRACKET: _bracket,
    Cause.HALF_KEY: _complete_key,
    Cause.INDENTATION: realign,
    Cause.SHALLOW_BLOCK: _shallow_block,
    Cause.BLOCK_LINE: _block_line,
    Cause.LIST_BELOW_TEXT: _insert_graders,
    Cause.SECOND_COLON: _quote_text,
    Cause.SECOND_COLON_IN_BRACKETS: _quote_span,
    Cause.FIRST_CHARACTER: _first_character,
    Cause.TEXT_AFTER: _text_after,
    Cause.TEMPLATE: _template,
    Cause.ESCAPE: _escape,
    Cause.FORBIDDEN: _forbidden,
}
