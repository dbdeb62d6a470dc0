"""Use of recordings in the editor: drafted graders, and runs that a grader would have failed."""

import asyncio
import difflib
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.server.conftest import EXAMPLES, findings
from tests.server.results.test_annotations import children
from tests.server.results.test_lenses import make_fail, run_outside, store_below
from tests.server.results_harness import Editor, editor, until

TASK = "explain-retry"


async def actions(it: Editor, line: int) -> list[dict[str, Any]]:
    """Return the code actions at a line as JSON."""
    at = types.Range(types.Position(line, 0), types.Position(line, 0))
    params = types.CodeActionParams(types.TextDocumentIdentifier(it.uri), at, types.CodeActionContext([]))
    protocol: Any = it.client.protocol
    found = await protocol.send_request_async("textDocument/codeAction", params)
    return [{"title": one.title, "edit": getattr(one, "edit", None)} for one in found or []]


async def drafts(it: Editor, line: int = 0) -> dict[str, types.WorkspaceEdit]:
    """Return the drafted graders for the task at a line, by type."""
    found = [one for one in await actions(it, line) if one["title"].startswith("Write a '")]
    return {one["title"].split("'")[1]: one["edit"] for one in found}


async def all_drafts(it: Editor, line: int = 0) -> dict[str, types.WorkspaceEdit]:
    """Wait for drafted graders. The menu has a short timeout, which a busy machine can miss."""
    async with asyncio.timeout(60):
        while not (found := await drafts(it, line)):  # noqa: ASYNC110  # the client offers no event for it
            await asyncio.sleep(0.05)
    return found


def apply(it: Editor, edit: types.WorkspaceEdit) -> None:
    changes = list((edit.changes or {}).get(it.uri, []))
    for document in edit.document_changes or []:
        assert isinstance(document, types.TextDocumentEdit)
        changes += [one for one in document.edits if isinstance(one, types.TextEdit)]
    assert changes
    for change in reversed(changes):
        it.change(change.range, change.new_text)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("example", "name", "task", "kinds"),
    [
        ("code-explainer", "tasks/explain-retry.yaml", TASK, {"behavior", "text", "tool_constraint"}),
        (
            "code-explainer",
            "tasks/document-query.yaml",
            "document-query",
            {"behavior", "file", "text", "tool_constraint"},
        ),
        (
            "file-editor",
            "tasks/rename-function.yaml",
            "rename-function",
            {"behavior", "file", "text", "tool_constraint"},
        ),
        (
            "release-notes",
            "eval.yaml",
            "writes-the-notes",
            {"file-exists", "tool-call-count", "tool-calls"},
        ),
    ],
)
async def test_graders_are_written_from_a_run_and_pass_on_it(
    tmp_path: Path, example: str, name: str, task: str, kinds: set[str]
) -> None:
    shutil.copytree(EXAMPLES / example, tmp_path / example)
    path = tmp_path / example / name
    async with editor(tmp_path) as it:
        it.open(path)
        await it.lenses_with("Grade again")
        line = next(at for at, one in enumerate(it.text.split("\n")) if task in one)
        found = await all_drafts(it, line)
        assert found.keys() == kinds
        before = it.text
        for kind, edit in found.items():
            apply(it, edit)
            compared = difflib.ndiff(before.split("\n"), it.text.split("\n"))
            added = "\n".join(one[2:] for one in compared if one.startswith("+ "))
            assert f"type: {kind}" in added, added
            known = await findings(it.client, it.uri) or ()
            # A suite that weighs types may have a word to say about a type without a weight.
            assert [one for one in known if one.severity is types.DiagnosticSeverity.Error] == [], added
            answer = await it.execute("waza.grade", uri=it.uri, task=task)
            [graded] = answer["tasks"]
            one = next(one for one in graded["graders"] if one["name"] in added and one["type"] == kind)
            assert one["status"] == "passed"
            it.replace(it.text, before)


async def test_a_name_that_is_taken_gets_a_number(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path) as it:
        it.open(suite / "tasks" / f"{TASK}.yaml")
        await it.lenses_with("Grade again")
        for name in ("names-the-essentials", "names-the-essentials-2"):
            apply(it, (await all_drafts(it))["text"])
            assert f"name: {name}\n" in it.text


async def test_without_a_recording_there_is_nothing_to_write(tmp_path: Path, suite: Path) -> None:
    for path in (suite / "recordings").iterdir():
        path.unlink()
    async with editor(tmp_path) as it:
        it.open(suite / "tasks" / f"{TASK}.yaml")
        assert await drafts(it) == {}


@pytest.mark.slow
async def test_which_recorded_runs_a_grader_fails(tmp_path: Path, suite: Path) -> None:
    task = suite / "tasks" / f"{TASK}.yaml"
    run_outside(tmp_path, suite / "eval.yaml")
    run_outside(tmp_path, suite / "eval.yaml")
    with closing(sqlite3.connect(store_below(tmp_path))) as sql:
        [(first, second)] = [tuple(it for (it,) in sql.execute("SELECT run_id FROM runs ORDER BY rowid"))]
    async with editor(tmp_path) as it:
        it.open(task)
        await it.lenses_with("✓")
        answer = await it.execute("waza.explainGrader", uri=it.uri, pointer=["graders", 0])
        # Two stored runs, and the recording in the folder.
        assert (answer["grader"], answer["passed"], answer["failed"]) == ("names-the-ideas", 3, 0)
        assert [one["runId"] for one in answer["trials"]] == [second, first, ""]
        await until(lambda: any("passes on all 3 recorded trials" in one for one in it.messages))
        assert not [one for one in it.said() if one[0] == "recorded-runs"]
        it.replace("[jitter]", "[no such words]")
        answer = await it.execute("waza.explainGrader", uri=it.uri, pointer=["graders", 0])
        assert answer["failed"] == 3
        assert answer["trials"][0]["message"].startswith('"no such words" not found in the output')
        _, marked, message = await it.says("recorded-runs")
        assert marked == "text"
        assert message.startswith(
            "Would have failed 3 of 3 recorded trials:\n- explain-retry, trial 1 (just now"
        )
        it.replace("no such words", "no such word")
        await until(lambda: not [one for one in it.said() if one[0] == "recorded-runs"])


async def test_a_grader_of_the_eval_is_explained_on_all_tasks(tmp_path: Path, suite: Path) -> None:
    make_fail(suite / "tasks" / f"{TASK}.yaml")
    async with editor(tmp_path) as it:
        it.open(suite / "eval.yaml")
        it.replace("- I don't have access", "- backoff")
        answer = await it.execute("waza.explainGrader", uri=it.uri, pointer=["graders", 1])
        assert {one["task"] for one in answer["trials"] if one["status"] != "passed"} == {TASK}
        assert len(answer["trials"]) == 4


@pytest.mark.slow
async def test_what_cannot_be_explained_says_why(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path, trusted=False) as it:
        it.open(suite / "tasks" / f"{TASK}.yaml")
        assert await it.execute("waza.explainGrader", uri=it.uri, pointer=["graders", 9]) is None
        assert await it.execute("waza.explainGrader", uri=it.uri) is None
        await until(lambda: len([one for one in it.messages if "no grader at this place" in one]) == 2)
        assert await it.execute("waza.explainGrader", uri=it.uri, pointer=["graders", 1]) is None
        await until(
            lambda: any(
                "executes something, and nothing is executed in a workspace that is not" in one
                for one in it.messages
            )
        )
        assert await it.execute("waza.explainGrader", uri=it.uri, pointer=["graders", 0]) is not None


@pytest.mark.slow
async def test_no_process_stays_behind(tmp_path: Path, suite: Path) -> None:
    async with editor(tmp_path, settings={"live": {"enable": False}}) as it:
        it.open(suite / "tasks" / f"{TASK}.yaml")
        await it.execute("waza.explainGrader", uri=it.uri, pointer=["graders", 0])
        await until(lambda: not children(it.pid, "helper.process"))
