"""`waza/tests`: everything in a workspace, or in one suite, that can be run, as a tree for a test view.

An eval holds its tasks, also those in files of their own; a task holds its graders, which can be graded again. Each
item carries the command that runs it: lens, test view and code action share the way to a run.
"""

from collections.abc import Iterable, Iterator
from typing import Any

from waza_lsp.schema.grader_sites import grader_sites
from waza_lsp.schema.run_command import run_command
from waza_lsp.schema.runnables import Runnable, runnables
from waza_lsp.snapshot import Snapshot
from waza_lsp.suite.around import Around

Item = dict[str, Any]


def tests(evals: Iterable[Snapshot], around: Around) -> list[Item]:
    """One item per eval, in order."""
    return [item for it in evals for item in _eval(it, around)]


def _eval(snapshot: Snapshot, around: Around) -> Iterator[Item]:
    found = _runnables(snapshot)
    root = next((it for it in found if it.kind == "eval"), None)
    if root is None:
        return
    children = [
        _item(member, it)
        for member in around.members(snapshot)
        for it in _runnables(member)
        if it.kind == "task"
    ]
    own = [it for it in _graders(snapshot, root) if not _is_in_task(it, found)]
    yield {**_item(snapshot, root), "children": [*children, *own]}


def _item(snapshot: Snapshot, runnable: Runnable) -> Item:
    command = run_command(runnable)
    return {
        "id": runnable.id,
        "label": runnable.label or (snapshot.path.name if snapshot.path else ""),
        "kind": runnable.kind,
        "uri": runnable.uri,
        "pointer": list(runnable.pointer),
        "range": snapshot.range(runnable.range),
        "command": {"command": command.command, "arguments": command.arguments} if command else None,
        "children": list(_graders(snapshot, runnable)) if runnable.kind == "task" else [],
    }


def _graders(snapshot: Snapshot, runnable: Runnable) -> Iterator[Item]:
    if snapshot.form is None:
        return
    depth = len(runnable.pointer)
    for site in grader_sites(snapshot.form, snapshot.tree):
        if site.pointer[:depth] == runnable.pointer:
            name = _text(snapshot, (*site.pointer, "name"))
            arguments = {
                "uri": runnable.uri,
                "grader": name,
                **({"task": runnable.id} if runnable.id else {}),
            }
            yield {
                "id": name,
                "label": name or _text(snapshot, (*site.pointer, "type")),
                "kind": "grader",
                "uri": runnable.uri,
                "pointer": list(site.pointer),
                "range": snapshot.range(site.span),
                "command": {"command": "waza.grade", "arguments": [arguments]} if name else None,
                "children": [],
            }


def _is_in_task(item: Item, found: Iterable[Runnable]) -> bool:
    pointer = tuple(item["pointer"])
    return any(it.kind == "task" and pointer[: len(it.pointer)] == it.pointer for it in found)


def _text(snapshot: Snapshot, pointer: tuple[str | int, ...]) -> str:
    found = snapshot.tree.find(pointer)
    return found.node.source if found is not None else ""


def _runnables(snapshot: Snapshot) -> list[Runnable]:
    return runnables(snapshot.form, snapshot.tree, snapshot.uri) if snapshot.form is not None else []
