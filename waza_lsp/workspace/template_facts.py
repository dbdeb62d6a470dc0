"""What a hover says about the template under the cursor: where the runner replaces it, or that it does not.

The schema of a file says it (`x-templates`), by the characters that a template begins with.
"""

import re
from typing import NamedTuple

from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Place, Span

_TEMPLATES = (re.compile(r"\{\{.*?\}\}"), re.compile(r"(?<!\$)\$\{\w[^}]*\}"))
_COMMENT = re.compile(r"(?:^|\s)#")


class TemplateFact(NamedTuple):
    """A template's span, and a sentence about it."""

    span: Span
    text: str


def template_fact(snapshot: Snapshot, place: Place) -> TemplateFact | None:
    """Return the fact about the template at a place; None outside of templates, in comments and in other kinds of files."""
    known = snapshot.form.schema.get("x-templates", {}) if snapshot.form is not None else {}
    line = snapshot.text.line(place.line) if known else ""
    for pattern in _TEMPLATES:
        for found in pattern.finditer(line):
            text = known.get(found[0][:2])
            if (
                text
                and found.start() <= place.column <= found.end()
                and not _COMMENT.search(line[: found.start()])
            ):
                span = Span(Place(place.line, found.start()), Place(place.line, found.end()))
                return TemplateFact(span, str(text))
    return None
