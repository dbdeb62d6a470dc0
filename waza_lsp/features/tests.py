"""`waza/tests`: all runnables of a workspace or of one suite, as a tree for a test view.

An eval contains its tasks, including those in other files. A task contains its graders, which can be regraded. An
experiment contains its variants. Each item has the same command as its lens and its code action. `docs/protocol.md`
specifies the shape.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from waza_engine.lib.pointer import Pointer
from waza_engine.lib.queries.store import kept
from waza_lsp.runnables.commands import grade_command, run_command
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

Item = dict[str, Any]
DIGEST = "digest"
"""The member of a task with the digest of its text. It is not for clients."""


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
    by_task = _graders_by_task(snapshot, found)
    own = [_grader(snapshot, it, "", key) for it in by_task.get((), ())]
    yield _item(snapshot, root, key, [*_with_unique_keys(tasks), *own])


def _graders_by_task(snapshot: Snapshot, found: Iterable[Runnable]) -> dict[Pointer, list[DocumentGrader]]:
    """Return the graders of a document by the pointer of their task; `()` for those of no task."""
    tasks = {it.pointer for it in found if it.kind in PART_KINDS}
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
        seen[it["key"]] += 1
        number = seen[it["key"]]
        yield it if number == 1 else {**it, "key": f"{it['key']}#{number}"}


def _parts_of(snapshot: Snapshot, eval_path: Path) -> list[Item]:
    """Return the tasks of a file as items of an eval, which are made once per version of the file."""
    return kept(
        snapshot.memory,
        (_part_items, eval_path),
        lambda: [*_part_items(snapshot, runnables_in(snapshot), eval_path)],
    )


def _part_items(snapshot: Snapshot, found: Sequence[Runnable], eval_path: Path) -> Iterator[Item]:
    by_task = _graders_by_task(snapshot, found)
    for it in found:
        if it.kind in PART_KINDS:
            key, depth = task_key(eval_path, it.id), len(it.pointer)
            own = [_grader(snapshot, site, it.id, key, depth) for site in by_task.get(it.pointer, ())]
            yield _item(snapshot, it, key, own) | {DIGEST: text_digest(snapshot, it), "tags": list(it.tags)}


def _item(snapshot: Snapshot, runnable: Runnable, key: str, children: list[Item]) -> Item:
    command = run_command(runnable.kind, runnable.uri, runnable.id)
    return {
        "key": key,
        "id": runnable.id,
        "label": runnable.label or (snapshot.path.name if snapshot.path else runnable.kind),
        "kind": runnable.kind,
        "uri": runnable.uri,
        "pointer": list(runnable.pointer),
        "range": snapshot.range(runnable.range),
        "command": {"command": command.command, "arguments": command.arguments} if command else None,
        "verdict": None,
        "children": children,
    }


def _grader(snapshot: Snapshot, site: DocumentGrader, task: str, parent: str, depth: int = 0) -> Item:
    command = grade_command(snapshot.uri, site, task)
    return {
        "key": grader_key(parent, site.pointer[depth:]),
        "id": site.name,
        "label": site.label,
        "kind": "grader",
        "uri": snapshot.uri,
        "pointer": list(site.pointer),
        "range": snapshot.range(site.span),
        "command": {"command": command.command, "arguments": command.arguments},
        "verdict": None,
        "children": [],
    }
