"""`waza/tests`: all runnables of a workspace or of one suite, as a tree for a test view.

An eval contains its tasks, including those in other files. A task contains its graders, which can be regraded. An
experiment contains its variants. Each item has the same command as its lens and its code action. `docs/protocol.md`
specifies the shape.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from json.encoder import JSONEncoder, encode_basestring_ascii
from pathlib import Path
from typing import NamedTuple

from waza_engine.lib.pointer import Pointer
from waza_engine.lib.queries.store import derived, kept
from waza_lsp.runnables.commands import grade_command_json, run_command_json
from waza_lsp.runnables.runnables import (
    FILE_KINDS,
    PART_KINDS,
    DocumentGrader,
    Runnable,
    eval_key,
    grader_key,
    graders_in,
    runnables_in,
    task_key,
    text_digest,
)
from waza_lsp.snapshot import Snapshot
from waza_lsp.workspace.workspace import WorkspaceFiles

text_json = encode_basestring_ascii
plain_json = JSONEncoder(separators=(",", ":")).encode
"""Return a text, or plain data, as JSON."""


class Item(NamedTuple):
    """An item, its members written as JSON: as objects, those of a large workspace take five times the memory."""

    key: str
    about: str
    """The members that are not below, without brackets."""
    uri: str
    pointer: str
    range: str
    command: str
    verdict: str = "null"
    children: "tuple[Item, ...]" = ()
    id: str = ""
    """The id and the kind again, not as JSON."""
    kind: str = ""
    digest: str = ""
    """The digest of a task's text. It is not for clients."""

    @property
    def members(self) -> str:
        """All members but the children, without brackets."""
        return (
            f'"key":{self.key},{self.about},"uri":{self.uri},"pointer":{self.pointer},"range":{self.range}'
            f',"command":{self.command},"verdict":{self.verdict}'
        )

    def json(self) -> str:
        """Return the item with its children."""
        return f'{{{self.members},"children":[{",".join([it.json() for it in self.children])}]}}'


def tests(evals: Iterable[Snapshot], workspace: WorkspaceFiles) -> list[Item]:
    """Return one item per eval or experiment, in order. The items have no verdicts yet."""
    return [item for it in evals for item in _eval_items(it, workspace)]


def _eval_items(snapshot: Snapshot, workspace: WorkspaceFiles) -> Iterator[Item]:
    found = runnables_in(snapshot)
    root = next((it for it in found if it.kind in FILE_KINDS), None)
    if root is None or snapshot.path is None:
        return
    key = eval_key(snapshot.path)
    # The evals of an experiment have their own root items.
    members = workspace.members(snapshot) if root.kind == "eval" else [snapshot]
    tasks = [item for member in members for item in _parts_of(member, snapshot.path)]
    own = [_grader(snapshot, it, "", key) for it in _graders_by_task(snapshot).get((), ())]
    yield _item(snapshot, root, key, [*_with_unique_keys(tasks), *own])


@derived
def _graders_by_task(snapshot: Snapshot) -> dict[Pointer, list[DocumentGrader]]:
    """Return the graders of a document by the pointer of their task; `()` for those of no task."""
    tasks = {it.pointer for it in runnables_in(snapshot) if it.kind in PART_KINDS}
    depths = sorted({len(it) for it in tasks}, reverse=True)
    by_task: dict[Pointer, list[DocumentGrader]] = {}
    for it in graders_in(snapshot):
        task = next((it.pointer[:depth] for depth in depths if it.pointer[:depth] in tasks), ())
        by_task.setdefault(task, []).append(it)
    return by_task


def _with_unique_keys(tasks: Iterable[Item]) -> Iterator[Item]:
    """Make the keys of tasks unique. If tasks share an id by mistake, results belong to the first."""
    seen: Counter[str] = Counter()
    for it in tasks:
        seen[it.key] += 1
        number = seen[it.key]
        yield it if number == 1 else it._replace(key=f'{it.key[:-1]}#{number}"')


def _parts_of(snapshot: Snapshot, eval_path: Path) -> list[Item]:
    """Return the tasks of a file as items of an eval, which are made once per version of the file."""
    return kept(
        snapshot.memory,
        (_part_items, eval_path),
        lambda: [*_part_items(snapshot, eval_path)],
    )


def _part_items(snapshot: Snapshot, eval_path: Path) -> Iterator[Item]:
    by_task = _graders_by_task(snapshot)
    for it in runnables_in(snapshot):
        if it.kind in PART_KINDS:
            key, depth = task_key(eval_path, it.id), len(it.pointer)
            own = [_grader(snapshot, site, it.id, key, depth) for site in by_task.get(it.pointer, ())]
            yield _item(snapshot, it, key, own, text_digest(snapshot, it))


def _item(
    snapshot: Snapshot, runnable: Runnable, key: str, children: Sequence[Item], digest: str = ""
) -> Item:
    kind, id_, uri = runnable.kind, text_json(runnable.id), _uri_json(runnable.uri)
    label = text_json(runnable.label or (snapshot.path.name if snapshot.path else kind))
    tags = f',"tags":{plain_json(runnable.tags) if runnable.tags else "[]"}' if kind in PART_KINDS else ""
    return Item(
        text_json(key),
        f'"id":{id_},"label":{label},"kind":"{kind}"{tags}',
        uri,
        _pointer_json(runnable.pointer),
        snapshot.text.range_json(runnable.range),
        run_command_json(kind, uri, id_),
        children=tuple(children),
        id=runnable.id,
        kind=kind,
        digest=digest,
    )


def _grader(snapshot: Snapshot, site: DocumentGrader, task: str, parent: str, depth: int = 0) -> Item:
    name, uri, pointer = text_json(site.name), _uri_json(snapshot.uri), _pointer_json(site.pointer)
    return Item(
        text_json(grader_key(parent, site.pointer[depth:])),
        f'"id":{name},"label":{text_json(site.label)},"kind":"grader"',
        uri,
        pointer,
        snapshot.text.range_json(site.span),
        grade_command_json(uri, pointer, name, text_json(task)),
        id=site.name,
        kind="grader",
    )


@lru_cache(maxsize=8)
def _uri_json(uri: str) -> str:
    """Return an address as JSON, as one object for all items of a file."""
    return text_json(uri)


def _pointer_json(pointer: Pointer) -> str:
    return f"[{','.join([text_json(it) if isinstance(it, str) else str(it) for it in pointer])}]"
