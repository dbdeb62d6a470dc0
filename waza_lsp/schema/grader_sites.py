"""The graders of a document, with the stretch of text that each takes: whatever the schema picks by a discriminator."""

from functools import lru_cache
from typing import NamedTuple

from waza_engine.analysis.schema.navigate import DISCRIMINATOR
from waza_engine.findings import Pointer
from waza_lsp.schema.form import Form
from waza_lsp.schema.ways import Site, Ways, sites, ways
from waza_lsp.syntax.node import Kind
from waza_lsp.syntax.text import Span
from waza_lsp.syntax.tree import Tree


class GraderSite(NamedTuple):
    """A grader's entry in a document; `name` and `type` are empty where nothing is written."""

    pointer: Pointer
    span: Span
    name: str = ""
    type: str = ""

    @property
    def label(self) -> str:
        """What to call it: never empty."""
        return self.name or self.type or f"grader {(self.pointer or ('',))[-1]}"


def grader_sites(form: Form, tree: Tree) -> list[GraderSite]:
    """All graders, in the order of the text."""
    return [
        GraderSite(
            it.pointer,
            it.node.span.shifted(it.start),
            next((name for key in it.schema.get("x-title-from", ()) if (name := _written(it, key))), ""),
            _written(it, it.schema[DISCRIMINATOR]),
        )
        for it in sites(tree, _ways(form))
        if it.node.kind is Kind.MAP
    ]


def _written(site: Site, key: str) -> str:
    found = site.node.pair(key)
    return found[1].source if found is not None and found[1].kind is Kind.SCALAR else ""


@lru_cache(maxsize=64)
def _ways(form: Form) -> Ways:
    return ways(form.schema, lambda schema, _: DISCRIMINATOR in schema, into_branches=False)
