"""A broken text without a block: a line at fault cannot be left out alone where its value stands below it."""

from waza_lsp.syntax.rows import row_of


def without_block(source: str, line: int) -> str:
    """The text with a line left blank, and those below it down to the first that is not as deep as the next one."""
    lines = source.splitlines(keepends=True)
    if line >= len(lines):
        return source
    own = _indent(lines[line])
    lines[line] = "\n"
    below = next((it for it in range(line + 1, len(lines)) if not _is_blank(lines[it])), len(lines))
    depth = _indent(lines[below]) if below < len(lines) else 0
    if depth <= own:
        return "".join(lines)
    for it in range(below, len(lines)):
        if not _is_blank(lines[it]) and _indent(lines[it]) < depth:
            break
        lines[it] = "\n"
    return "".join(lines)


def _indent(text: str) -> int:
    """The column of what a line begins with; 0 where tabs indent it."""
    row = row_of(0, text.rstrip("\r\n"), 2)
    return 0 if row.shift else row.column


def _is_blank(text: str) -> bool:
    return row_of(0, text.rstrip("\r\n"), 1).is_blank
