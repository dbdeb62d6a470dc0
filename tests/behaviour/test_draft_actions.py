"""Code actions that write a grader: where the entry goes, and under which name."""

from typing import Any

import pytest
from lsprotocol import types

from tests.behaviour.harness import marked, snapshot_of
from waza_lsp.features.draft_actions import draft_actions, task_to_draft_for
from waza_lsp.snapshot import Snapshot

ENTRY = {"type": "text", "name": "says-it", "config": {"contains": ["a: b", "plain"]}}
DRAFT = {"type": "text", "about": "a: b, plain", "entry": ENTRY}


def written(document: str, name: str = "tasks/a.yaml", **options: Any) -> str | None:
    """Return the text after the only action at the mark, or None."""
    mark = marked(document)
    assert mark.cursor is not None
    snapshot = snapshot_of(mark.source, name)
    at = types.Range(mark.cursor, mark.cursor)
    task = task_to_draft_for(snapshot, at, types.CodeActionContext([], **options))
    found = draft_actions(snapshot, task, [DRAFT], document_changes=False) if task is not None else []
    if not found:
        return None
    [action] = found
    assert action.title == "Write a 'text' grader from the recorded run: a: b, plain"
    assert action.edit is not None
    [edits] = (action.edit.changes or {}).values()
    return applied(snapshot, edits)


def applied(snapshot: Snapshot, edits: Any) -> str:
    lines = str(snapshot.text).split("\n")
    for it in reversed(edits):
        start, end = it.range.start, it.range.end
        above = [*lines[: start.line], lines[start.line][: start.character]]
        below = [lines[end.line][end.character :], *lines[end.line + 1 :]]
        lines = ("\n".join(above) + it.new_text + "\n".join(below)).split("\n")
    return "\n".join(lines)


def test_behind_the_graders_that_are_there() -> None:
    text = written(
        "id: t1\ninputs: {prompt: hi}\ngra¦ders:\n  - type: text\n    name: one\n    config: {contains: [x]}\n"
    )
    assert text is not None
    assert text.startswith("id: t1\ninputs: {prompt: hi}\ngraders:\n  - type: text\n    name: one\n")
    assert snapshot_of(text, "tasks/a.yaml").data["graders"][1] == ENTRY


def test_the_list_is_made_where_there_is_none() -> None:
    text = written("id: t1\ninputs: {prompt: h¦i}\n")
    assert text is not None
    assert snapshot_of(text, "tasks/a.yaml").data == {
        "id": "t1",
        "inputs": {"prompt": "hi"},
        "graders": [ENTRY],
    }


def test_into_the_task_around_the_cursor() -> None:
    suite = "name: n\ntasks:\n  - id: t1\n    inputs: {prompt: hi}\n  - id: t2\n    inputs: {pro¦mpt: ho}\n"
    text = written(suite, "eval.yaml")
    assert text is not None
    first, second = snapshot_of(text).data["tasks"]
    assert "graders" not in first
    assert second["graders"] == [ENTRY]
    assert written(suite.replace("¦", "").replace("name: n", "na¦me: n"), "eval.yaml") is None


def test_a_name_is_used_once() -> None:
    document = "id: t1\ngraders:\n  - {type: text, name: says-it}\n  - {type: text, name: says-it-2}¦\n"
    text = written(document)
    assert text is not None
    assert snapshot_of(text, "tasks/a.yaml").data["graders"][2]["name"] == "says-it-3"


@pytest.mark.parametrize(
    "options",
    [
        {"trigger_kind": types.CodeActionTriggerKind.Automatic},
        {"only": [types.CodeActionKind.QuickFix]},
    ],
)
def test_only_for_those_who_ask(options: dict[str, Any]) -> None:
    assert written("id: t1\ninputs: {prompt: h¦i}\n", **options) is None


def test_a_broken_list_is_left_alone() -> None:
    assert written("id: t1¦\ngraders: text\n") is None
