"""`textDocument/hover`: what the key or value under the cursor means.

The words come from the schema of the place, never from here. A place without a meaning (an unknown key, a free
name, a comment, text of several lines) has no hover: diagnostics speak about those.
"""

from collections.abc import Iterator

from lsprotocol import types

from waza_lsp.schema.explain import NO_EXAMPLE, Meaning, Option, meaning_of, meaning_of_value
from waza_lsp.schema.form import Form
from waza_lsp.schema.wording import code
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.anchors import anchored_text
from waza_lsp.syntax.node import Kind
from waza_lsp.syntax.text import Span
from waza_lsp.syntax.tree import Located
from waza_lsp.syntax.written import block, flow

PAGES = "https://github.com/waza-lsp/waza-lsp/blob/main/docs"
_MOST_LINES = 30
_MOST_ON_ONE_LINE = 60


def hover(snapshot: Snapshot, position: types.Position) -> types.Hover | None:
    form, place = snapshot.form, snapshot.place(position)
    if form is None:
        return None
    located = snapshot.tree.at(place) or snapshot.tree.missing_at(place, snapshot.text)
    if located is None:
        return None
    paragraphs = [*_field(form, snapshot, located), *_alias(snapshot, located)]
    if not paragraphs:
        return None
    return types.Hover(
        contents=types.MarkupContent(types.MarkupKind.Markdown, "\n\n".join(paragraphs)),
        range=snapshot.range(_span(located)),
    )
