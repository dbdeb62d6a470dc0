"""Render a page for a terminal: wrapped prose, tables of options as lists, code as it is.

It reads the Markdown that our own pages use: headings, paragraphs, lists, tables and fenced code.
"""

import re
import textwrap
from collections.abc import Iterator, Sequence

import click

_INDENT = "  "
_LINK = re.compile(r"\[([^\]]+)\]\([^)]+\)")
_MARKED = re.compile(r"(`+)(.+?)\1|\*\*(.+?)\*\*|(?<!\w)\*([^*\s][^*]*)\*", re.DOTALL)
_ITEM = re.compile(r"(- |\d+\. )(.*)")
_CELLS = re.compile(r"(?<!\\)\|")
_EXAMPLE = " Example: "


def render(markdown: str, *, width: int = 80, colour: bool = False) -> str:
    """Return the page as lines of at most `width` columns; only code and long words may be wider."""
    renderer = _Renderer(width, colour=colour)
    text, last = "", ""
    for block in _blocks(markdown):
        kind = _kind(block[0])
        # A heading belongs to what follows, and items of a list to each other.
        gap = "" if not last else "\n" if last == "#" or kind == last == "-" else "\n\n"
        text += gap + renderer.block(block)
        last = kind
    return text


def _kind(line: str) -> str:
    return "#" if line.startswith("#") else "-" if _ITEM.match(line) else "text"


def _blocks(markdown: str) -> Iterator[list[str]]:
    """Yield the lines of each heading, paragraph, list item, table and block of code."""
    block: list[str] = []
    in_code = False
    for line in [*markdown.splitlines(), ""]:
        is_fence = line.lstrip().startswith("```")
        starts = not in_code and (
            is_fence or not line.strip() or line.startswith("#") or _ITEM.match(line) is not None
        )
        if starts and block:
            yield block
            block = []
        if line.strip() or in_code:
            block.append(line)
        if is_fence:
            in_code = not in_code
        if block and not in_code and (is_fence or line.startswith("#")):
            yield block
            block = []


class _Renderer:
    """Renders one block after the other."""

    def __init__(self, width: int, *, colour: bool) -> None:
        self._width = width
        self._colour = colour

    def block(self, lines: Sequence[str]) -> str:
        first = lines[0]
        if first.startswith("#"):
            level, _, title = first.partition(" ")
            return self._style(
                ("" if len(level) < 3 else _INDENT) + _LINK.sub(r"\1", title).replace("`", ""), bold=True
            )
        if first.lstrip().startswith("```"):
            return "\n".join(f"{_INDENT * 2}{it}".rstrip() for it in lines[1:-1])
        if first.startswith("|"):
            return self._table([[it.strip() for it in _CELLS.split(line)[1:-1]] for line in lines])
        if item := _ITEM.match(first):
            text = " ".join([item[2], *(it.strip() for it in lines[1:])])
            return self._wrap(text, _INDENT + item[1], _INDENT + " " * len(item[1]))
        return self._wrap(" ".join(it.strip() for it in lines), _INDENT, _INDENT)

    def _table(self, rows: Sequence[Sequence[str]]) -> str:
        titles, body = rows[0], rows[2:]
        if titles[0] == "option":
            return "\n".join(line for row in body for line in self._option(*row))
        return "\n".join(self._wrap(". ".join(it for it in row if it), _INDENT, _INDENT * 2) for row in body)

    def _option(self, name: str, kind: str, default: str, meaning: str) -> Iterator[str]:
        kept = default if default in {"", "required"} else f"default {default}"
        yield self._wrap(
            f"**{name.strip('`')}**: {', '.join(it for it in (kind, kept) if it)}", _INDENT, _INDENT * 3
        )
        text, mark, example = meaning.rpartition(_EXAMPLE)
        yield self._wrap(text if mark else meaning, _INDENT * 3, _INDENT * 3)
        if mark:
            yield self._wrap(f"Example: {example.removesuffix('.')}", _INDENT * 3, _INDENT * 4)

    def _wrap(self, text: str, first: str, rest: str) -> str:
        plain = _LINK.sub(r"\1", text.replace("\\|", "|"))
        wrapped = textwrap.fill(
            plain,
            self._width,
            initial_indent=first,
            subsequent_indent=rest,
            break_long_words=False,
            break_on_hyphens=False,
        )
        return _MARKED.sub(self._marked, wrapped)

    def _marked(self, found: re.Match[str]) -> str:
        """Style a marked text. Without colours, code keeps its backticks, and other marks are dropped."""
        _, code, strong, soft = found.groups()
        if code is None:
            return self._style(strong or soft, bold=strong is not None)
        return self._style(code, fg="cyan") if self._colour else found[0]

    def _style(self, text: str, **style: str | bool) -> str:
        if not self._colour:
            return text
        # A marked text may go on in the next line; the indent between is not styled.
        return re.sub(r"[^\n]*\S", lambda it: _styled(it[0], style), text)


def _styled(line: str, style: dict[str, str | bool]) -> str:
    text = line.lstrip()
    return line[: len(line) - len(text)] + click.style(text, **style)  # type: ignore[arg-type]  # the names above
