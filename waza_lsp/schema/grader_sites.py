"""The graders of a document, with the stretch of text that each takes: whatever the schema picks by a discriminator."""

from functools import lru_cache
from typing import NamedTuple

from waza_engine.findings import Pointer
from waza_lsp.schema.form import Form
from waza_lsp.schema.walk import DISCRIMINATOR
from waza_lsp.schema.ways import Ways, sites, ways
from waza_lsp.syntax.node import Kind
from waza_lsp.syntax.text import Span
from waza_lsp.syntax.tree import Tree


class GraderSite(NamedTuple):
    """A grader's entry in a document."""

    pointer: Pointer
    span: Span


def grader_sites(form: Form, tree: Tree) -> list[GraderSite]:
    """All graders, in the order of the text."""
    return [
        GraderSite(it.pointer, it.node.span.shifted(it.start))
        for it in sites(tree, _ways(form))
        if it.node.kind is Kind.MAP
    ]


@lru_cache(maxsize=64)
def _ways(form: Form) -> Ways:
    return ways(form.schema, lambda schema, _: DISCRIMINATOR in schema, into_branches=False)
