"""The share of each weighted entry in a task's score (docs/reference/waza-graders.md, section 2.3).

Entries of a task and of its eval count together, and so do checks with a weight in the schema (`x-check-weight`).
Entries of nested lists (checkpoints) do not count.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from waza_engine.analysis.schema.navigate import Schema
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.queries.store import made_of
from waza_lsp.schema.document_kind import Form
from waza_lsp.schema.visitor import SchemaPaths, VisitedValue, schema_paths, visit
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.tree.node import Kind, Node
from waza_lsp.syntax.tree.tree import Tree
from waza_lsp.workspace.workspace import WorkspaceFiles


class Weighted(NamedTuple):
    """An entry with its weight. `node` is the value in the text, or None for a default weight."""

    site: VisitedValue
    weight: float
    node: Node | None


class Share(NamedTuple):
    """The share (0..1) of an entry in the score. It ranges from `least` to `most`, depending on the other files."""

    entry: Weighted
    least: float
    most: float

    @property
    def percent(self) -> str:
        """The share in words."""
        low, high = f"{self.least:.0%}", f"{self.most:.0%}"
        if high == "0%":
            return "less than 1%"
        return high if low == high else f"{low.removesuffix('%')}-{high}"


class _Weights(NamedTuple):
    entries: tuple[Weighted, ...]
    checks: float

    @property
    def total(self) -> float:
        return self.checks + sum(it.weight for it in self.entries)

    @property
    def has_explicit_weight(self) -> bool:
        return any(it.node is not None for it in self.entries)


def score_shares(
    snapshot: Snapshot, workspace: WorkspaceFiles, *, only_explicit: bool = False
) -> list[Share]:
    """Return the share of every weighted entry. With `only_explicit`, return nothing if all weights are defaults."""
    own = _cached_weights(snapshot)
    if own is None or not own.entries:
        return []
    root = snapshot.form is not None and snapshot.form.runnable == "eval"
    others = [it for it in _other_weights(snapshot, workspace, of_tasks=root) if it is not None]
    if only_explicit and not any(it.has_explicit_weight for it in (own, *others)):
        return []
    more = [it.total for it in others] or [0.0]
    low, high = own.total + min(more), own.total + max(more)
    return [Share(it, it.weight / high, it.weight / low) for it in own.entries]


def _other_weights(
    snapshot: Snapshot, workspace: WorkspaceFiles, *, of_tasks: bool
) -> Iterator[_Weights | None]:
    """Return the weights of the eval; for an eval, those of each of its tasks."""
    suite = workspace.suite(snapshot)
    if suite is None:
        return
    paths = suite.paths[1:] if of_tasks else [suite.eval_path]
    for path in paths:
        found = workspace.snapshot(path)
        if (
            found is not None
            and found.form is not None
            and found.form.runnable == ("task" if of_tasks else "eval")
        ):
            yield _cached_weights(found)


def _cached_weights(snapshot: Snapshot) -> _Weights | None:
    form, tree = snapshot.form, snapshot.tree
    if form is None:
        return None
    return made_of(tree.memory, _weights, form, lambda: _weights(form, tree))


def _weights(form: Form, tree: Tree) -> _Weights:
    entries: list[Weighted] = []
    checks = 0.0
    for site in visit(tree, _weighted_ways(form)):
        if weight := site.schema.get("x-check-weight"):
            checks += weight if site.node.items else 0
        elif site.node.kind is Kind.MAP and _is_counted(site.pointer):
            entries.append(_weighted(site))
    return _Weights(tuple(entries), checks)


def _is_counted(pointer: Pointer) -> bool:
    return len(pointer) == 2


def _weighted(site: VisitedValue) -> Weighted:
    key = _weight_key(site.schema)
    usual = float(site.schema["properties"][key].get("default", 1))
    found = site.node.pair(key)
    value = found[1].value if found is not None else None
    if found is None or isinstance(value, bool) or not isinstance(value, (int, float)):
        return Weighted(site, usual, None)
    return Weighted(site, float(value) if value > 0 else usual, found[1])


def _weight_key(schema: Schema) -> str:
    """Return the key that holds the weight of an entry, or an empty string."""
    return next((name for name, it in schema.get("properties", {}).items() if "x-share" in it), "")


@lru_cache(maxsize=64)
def _weighted_ways(form: Form) -> SchemaPaths:
    def wanted(schema: Schema, is_item: bool) -> bool:
        return "x-check-weight" in schema or (is_item and bool(_weight_key(schema)))

    return schema_paths(form.schema, wanted, into_branches=False)
