"""Find what can be run or graded in a document, for lenses, the test view, commands and filters.

The schema says what is runnable (`x-runnable`), what names it (`x-id-from`, `x-title-from`) and what has its tags
(`x-tags-from`). Graders are the values
that the schema selects by a discriminator. The tree is tolerant, so a syntax error elsewhere changes nothing. Results
are cached per version of the document.
"""

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from waza_engine.analysis.schema.navigate import DISCRIMINATOR, Schema
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.queries.store import derived
from waza_lsp.schema.document_kind import Form
from waza_lsp.schema.visitor import SchemaPaths, VisitedValue, made_of_values, schema_paths, visit
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Place, Span
from waza_lsp.syntax.tree.node import Kind, Node
from waza_lsp.syntax.tree.tree import Tree


class DocumentGrader(NamedTuple):
    """The entry of a grader in a document; `name` and `type` are empty if they are missing."""

    pointer: Pointer
    span: Span
    name: str = ""
    type: str = ""

    @property
    def label(self) -> str:
        """The name, type or index of the grader; never empty."""
        return self.name or self.type or f"grader {(self.pointer or ('',))[-1]}"


def document_graders(form: Form, tree: Tree) -> list[DocumentGrader]:
    """Return all graders, in the order of the text."""
    return [*made_of_values(tree, grader_paths(form), _grader)]


def graders_at(snapshot: Snapshot, first: int, last: int) -> list[DocumentGrader]:
    """Return the graders on lines of a document, both included."""
    if snapshot.form is None:
        return []
    found = visit(snapshot.tree, grader_paths(snapshot.form), (first, last))
    graders = [grader for it in found if (grader := _grader(it)) is not None]
    return [it for it in graders if it.span.start.line <= last and first <= it.span.end.line]


def _grader(it: VisitedValue) -> DocumentGrader | None:
    if it.node.kind is not Kind.MAP:
        return None
    name = next((name for key in it.schema.get("x-title-from", ()) if (name := _scalar_text(it, key))), "")
    return DocumentGrader(
        it.pointer, it.node.span.shift(it.start), name, _scalar_text(it, it.schema[DISCRIMINATOR])
    )


def _scalar_text(site: VisitedValue, key: str) -> str:
    found = site.node.pair(key)
    return found[1].source if found is not None and found[1].kind is Kind.SCALAR else ""


@lru_cache(maxsize=64)
def grader_paths(form: Form) -> SchemaPaths:
    """Return the ways to the grader entries of a document."""
    return schema_paths(form.schema, lambda schema, _: DISCRIMINATOR in schema, into_branches=False)


FILE_KINDS = frozenset(["eval", "experiment"])
"""The kinds of whole files: what a run executes."""
PART_KINDS = frozenset(["task", "variant"])
"""The kinds of the parts of such files."""


@dataclass(frozen=True, slots=True)
class Runnable:
    """Something that can be run. `kind` is the schema's word (`eval`, `task`, `experiment`, `variant`); `id` is empty where there is only one.

    In a list, it stays the same object as long as its text and its place do.
    """

    id: str
    label: str
    uri: str
    pointer: Pointer
    kind: str
    range: Span
    tags: tuple[str, ...] = ()
    """Tags as filters match them: words, or `key=value`."""
    memory: dict[Any, Any] = field(default_factory=dict, init=False, compare=False, repr=False)
    """Results about it that depend on its text and its place."""


def runnables(form: Form, tree: Tree, uri: str) -> list[Runnable]:
    """Return everything that can be run in a document, the document itself first."""
    return [*_document_runnable(form, tree, uri), *_part_runnables(form, tree, uri)]


def _document_runnable(form: Form, tree: Tree, uri: str) -> Iterator[Runnable]:
    schema = form.schema
    span = _document_span(tree)
    if not form.runnable or span is None:
        return
    names = {key.source: value.source for key, value in _top_pairs(tree) if value.kind is Kind.SCALAR}
    id_ = names.get(schema.get("x-id-from", ""), "")
    if "x-id-from" not in schema or id_:
        tags = tuple(_tag_texts(_tags_of_file(form, tree)))
        yield Runnable(id_, _label(schema, names) or id_, uri, (), form.runnable, span, tags)


def _part_runnables(form: Form, tree: Tree, uri: str) -> Iterator[Runnable]:
    common = _tags_of_file(form, tree)
    inherited = common if isinstance(common, dict) else {}
    shared = repr(inherited)
    for it in made_of_values(tree, _runnable_paths(form), _part):
        known = it.memory.get(uri)
        if known is None or known[0] != shared:
            own = it.tags
            tags = tuple(_tag_texts(own if isinstance(own, list) else {**inherited, **(own or {})}))
            known = it.memory[uri] = (
                shared,
                Runnable(it.id, it.label, uri, it.pointer, it.kind, it.range, tags),
            )
        yield known[1]


class _Part(NamedTuple):
    """What can be run in a piece of any file, with its own tags, and as it is in the files that have the piece."""

    id: str
    label: str
    pointer: Pointer
    kind: str
    range: Span
    tags: dict[str, Any] | list[Any] | None
    memory: dict[str, tuple[str, Runnable]]


def _part(site: VisitedValue) -> _Part | None:
    """Return what can be run, without the address of its file."""
    if not site.pointer or site.node.kind is not Kind.MAP:
        return None
    names = {key.source: value.source for key, value in site.node.pairs if value.kind is Kind.SCALAR}
    span = site.node.span.shift(site.start)
    if "x-named-by-key" in site.schema:
        # The key is its name, so the range begins there.
        id_ = str(site.pointer[-1])
        span = Span(site.key.span.shift(site.start).start, span.end) if site.key is not None else span
    else:
        id_ = names.get(site.schema.get("x-id-from", ""), "")
    if not id_:
        return None
    kind, label = str(site.schema["x-runnable"]), _label(site.schema, names) or id_
    return _Part(id_, label, site.pointer, kind, span, _tags(site.schema, site.node), {})


@lru_cache(maxsize=64)
def _runnable_paths(form: Form) -> SchemaPaths:
    return schema_paths(form.schema, lambda schema, _: "x-runnable" in schema)


def _label(schema: Schema, names: dict[str, str]) -> str:
    return next((names[it] for it in schema.get("x-title-from", ()) if names.get(it)), "")


def _top_pairs(tree: Tree) -> list[tuple[Node, Node]]:
    if tree.whole is not None:
        return tree.whole.parsed.root.pairs if tree.whole.parsed.root is not None else []
    return [(it.key, it.value) for it in tree.entries]


def _tags(schema: Schema, node: Node) -> dict[str, Any] | list[Any] | None:
    pair = node.pair(key) if (key := schema.get("x-tags-from")) else None
    found = pair[1].data({}) if pair is not None else None
    return found if isinstance(found, dict | list) else None


def _tags_of_file(form: Form, tree: Tree) -> dict[str, Any] | list[Any]:
    """Return the tags at the top of a file: of a task, or of all tasks of an eval."""
    key = form.schema.get("x-tags-from")
    value = next((value for name, value in _top_pairs(tree) if name.source == key), None) if key else None
    found = value.data({}) if value is not None else None
    return found if isinstance(found, dict | list) else {}


def _tag_texts(tags: Any) -> Iterator[str]:
    """Yield tags as filters match them: words of a list, `key=value` of a mapping."""
    if isinstance(tags, list):
        yield from (str(it) for it in tags if isinstance(it, str | int | float))
    elif isinstance(tags, dict):
        for key, value in tags.items():
            for it in value if isinstance(value, list) else [value]:
                if isinstance(it, str | int | float):
                    yield f"{key}={str(it).lower() if isinstance(it, bool) else it}"


def _document_span(tree: Tree) -> Span | None:
    """Return the span from the first top-level key to the end of the last value."""
    whole = tree.whole
    if whole is not None:
        return whole.parsed.root.span.shift(whole.start) if whole.parsed.root is not None else None
    if not tree.entries:
        return None
    first, last = tree.entries[0], tree.entries[-1]
    start = first.key.span.shift(first.piece.start).start
    if last.items:
        piece, node = last.items[-1]
        return Span(start, node.span.shift(piece.start).end)
    end = last.value.span.shift(last.piece.start).end
    return Span(start, max(end, Place(*last.key.span.shift(last.piece.start).end)))


@derived
def runnables_in(snapshot: Snapshot) -> tuple[Runnable, ...]:
    """Return what can be run in a document, the document itself first; empty if it is not an eval."""
    return _runnables(snapshot)


@derived
def graders_in(snapshot: Snapshot) -> tuple[DocumentGrader, ...]:
    """Return the graders of a document, in the order of the text; empty if it is not an eval."""
    return _graders(snapshot)


def part_of(snapshot: Snapshot, id_: str) -> Runnable | None:
    """Return the task or variant with this id; the first, if ids are repeated by mistake."""
    return _parts(snapshot).get(id_)


@derived
def _parts(snapshot: Snapshot) -> dict[str, Runnable]:
    return {it.id: it for it in reversed(runnables_in(snapshot)) if it.kind in PART_KINDS}


def runnables_at_line(snapshot: Snapshot, line: int) -> list[Runnable]:
    """Return what can be run at a line, the innermost first and the document itself last."""
    found = [
        it
        for it in runnables_in(snapshot)
        if not it.pointer or it.range.start.line <= line <= it.range.end.line
    ]
    return sorted(found, key=lambda it: len(it.pointer), reverse=True)


def task_of(snapshot: Snapshot, pointer: Pointer) -> str:
    """Return the id of the innermost task that contains a pointer; empty for a grader of the eval."""
    tasks = [
        it for it in runnables_in(snapshot) if it.kind == "task" and pointer[: len(it.pointer)] == it.pointer
    ]
    return max(tasks, key=lambda it: len(it.pointer)).id if tasks else ""


def text_digest(snapshot: Snapshot, runnable: Runnable) -> str:
    """Return the digest of a runnable's text, which says whether a verdict is about this text."""
    return span_digest(snapshot, runnable.range)


def span_digest(snapshot: Snapshot, span: Span) -> str:
    """Return the digest of a part of the text, computed once per version."""
    known = _digests(snapshot)
    if span not in known:
        known[span] = digest_of(snapshot.text.slice(span))
    return known[span]


def digest_of(text: str) -> str:
    """Return the digest of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


@derived
def _digests(_snapshot: Snapshot) -> dict[Span, str]:
    return {}


@lru_cache(maxsize=256)
def eval_key(eval_path: Path) -> str:
    """Return the id of an eval in the test view; the same in the tree and in the events of runs, opaque to clients."""
    # From the path, because clients escape the characters of a URI differently.
    return eval_path.as_uri()


def task_key(eval_path: Path, task: str) -> str:
    """Return the id of a task in the test view."""
    return f"{eval_key(eval_path)}#task:{task}"


def grader_key(parent: str, pointer: Pointer) -> str:
    """Return the id of a grader in the test view; `parent` is the id of its task or eval, where `pointer` begins."""
    return f"{parent}#grader:{'/'.join(map(str, pointer))}"


def _runnables(snapshot: Snapshot) -> tuple[Runnable, ...]:
    form = snapshot.form
    return tuple(runnables(form, snapshot.tree, snapshot.uri)) if form is not None else ()


def _graders(snapshot: Snapshot) -> tuple[DocumentGrader, ...]:
    form = snapshot.form
    return tuple(document_graders(form, snapshot.tree)) if form is not None else ()
