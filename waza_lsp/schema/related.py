"""Places in other files that explain a finding."""

from collections.abc import Iterator
from pathlib import Path

from waza_engine.checking.files import Files
from waza_engine.findings import Finding
from waza_lsp.schema.spots import span_in
from waza_lsp.syntax.text import Place, Span, Text
from waza_lsp.syntax.tree import Tree


def places_elsewhere(finding: Finding, files: Files, encoding: str) -> Iterator[tuple[Path, Text, Span, str]]:
    """File, its text, place and explanation; the top of a file in which the place cannot be found."""
    for it in finding.related:
        if it.path is not None:
            text = Text.of(files.text(it.path) or "", encoding)
            span = span_in(Tree.of(text.lines), it.pointer) or Span(Place(0, 0), Place(0, 0))
            yield it.path, text, span, it.text
