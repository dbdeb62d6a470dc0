"""The comment that silences a finding on its line (see `suppress`)."""

import re

from waza_lsp.schema.mark import Mark
from waza_lsp.syntax.edits import Draft, Edit
from waza_lsp.syntax.text import Place, Span

_COMMENT = re.compile(r"\s*# waza-lsp: ignore\[[^\]]*(?=\])")


def silencing(mark: Mark, draft: Draft) -> Edit | None:
    """A comment above the line, or one more code in the comment that is there; None where the text is broken."""
    line, code = mark.span.start.line, mark.finding.code
    piece = draft.tree.piece_at(line)
    if piece is None or piece.parsed.problems:
        return None
    found = _COMMENT.match(draft.text.line(line - 1)) if line else None
    if found is not None:
        end = Place(line - 1, found.end())
        return Edit(Span(end, end), f", {code}")
    text = draft.text.line(line)
    indent = text[: len(text) - len(text.lstrip(" "))]
    start = Place(line, 0)
    return Edit(Span(start, start), f"{indent}# waza-lsp: ignore[{code}]\n")
