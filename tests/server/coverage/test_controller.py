"""SKILL.md in the editor: lenses and hints of the evals that test it, live, with actions that add what is missing."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.engine.coverage.suites import write, write_skill, write_waza
from tests.server.commands.test_recorded_runs import actions
from tests.server.results_harness import Editor, editor, until
from waza_engine.coverage.rules.untested_clause import UNTESTED_CLAUSE


def hints(it: Editor, path: Path | None = None) -> list[str]:
    """Return the marked text of the hints in a file; the open one by default."""
    uri = path.as_uri() if path is not None else it.uri
    mine = [params for _, params in it.published if params.uri == uri]
    assert all(one.code == UNTESTED_CLAUSE.code for one in (mine[-1].diagnostics if mine else ()))
    return [it.marked(vars_of(one.range)) for one in (mine[-1].diagnostics if mine else ())]


def vars_of(span: types.Range) -> dict[str, Any]:
    return {
        key: {"line": at.line, "character": at.character}
        for key, at in (("start", span.start), ("end", span.end))
    }


OPEN_CLAUSES = ["rotate certificates", "translating books", "über-lange Blogposts"]


def save(it: Editor, edit: types.WorkspaceEdit) -> list[Path]:
    """Apply an edit to the files on disk, and tell the server."""
    changed = []
    for change in edit.document_changes or []:
        if isinstance(change, types.CreateFile):
            write(Path(change.uri.removeprefix("file://")), "")
        elif isinstance(change, types.TextDocumentEdit):
            path = Path(change.text_document.uri.removeprefix("file://"))
            lines = path.read_text().splitlines(keepends=True)
            for one in reversed([one for one in change.edits if isinstance(one, types.TextEdit)]):
                start, end = one.range.start, one.range.end
                assert start == end, one
                text = "".join(lines[: start.line]) + (
                    lines[start.line][: start.character] if start.line < len(lines) else ""
                )
                lines = [text, one.new_text, "".join(lines)[len(text) :]]
            write(path, "".join(lines))
            changed.append(path)
    it.client.workspace_did_change_watched_files(
        types.DidChangeWatchedFilesParams(
            [types.FileEvent(path.as_uri(), types.FileChangeType.Changed) for path in changed]
        )
    )
    return changed


async def test_lens_and_hints_follow_edits_of_skill_and_eval(tmp_path: Path) -> None:
    skill, other = write_skill(tmp_path), write_skill(tmp_path, "other")
    eval_path = write_waza(tmp_path)
    async with editor(tmp_path, profile="visual_studio_code") as it:
        it.open(other)
        it.open(skill)
        lenses = await it.lenses_with("1 task in 1 eval")
        assert lenses == ["1 task in 1 eval", "▶ Run", "Audit"]
        assert await it.first_lens_line() == 1
        await until(lambda: hints(it) == OPEN_CLAUSES)
        # No eval tests the other skill, and nothing of the Markdown is read as YAML.
        assert not [
            params for _, params in it.published if params.uri == other.as_uri() and params.diagnostics
        ]
        it.replace("rotate certificates", "write the release notes")
        await until(lambda: hints(it) == OPEN_CLAUSES[1:])
        skill_text, task = it.text, eval_path.parent / "tasks" / "first.yaml"
        it.open(task)
        it.replace(
            "Write the release notes of 2.0", "Write the release notes of 2.0 without translating books"
        )
        it.uri, it.text = skill.as_uri(), skill_text
        await until(lambda: hints(it) == OPEN_CLAUSES[2:])


async def test_score_and_running_all_evals_of_a_skill(tmp_path: Path) -> None:
    skill = write_skill(tmp_path)
    write_waza(tmp_path)
    second = write_waza(tmp_path, "more")
    second.write_text(second.read_text().replace("skill: more", "skill: notes"))
    async with editor(tmp_path, settings={"run": {"executor": "mock"}}) as it:
        it.open(skill)
        await it.lenses_with("2 tasks in 2 evals")
        answers = await it.execute("waza.runSkill", uri=it.uri)
        assert len(answers) == 2
        [title, *_] = await it.lenses_with("just now")
        assert title == "2 tasks in 2 evals · 1.00 · just now"
    quiet = {"lens": {"skill": False}, "rules": {UNTESTED_CLAUSE.code: "information"}}
    async with editor(tmp_path, settings=quiet) as it:
        it.open(skill)
        await until(lambda: hints(it))
        severities = {one.severity for _, params in it.published[-1:] for one in params.diagnostics}
        assert severities == {types.DiagnosticSeverity.Information}
        assert await it.lenses() == []


async def test_actions_add_what_is_missing_and_the_hint_goes(tmp_path: Path) -> None:
    skill = write_skill(tmp_path)
    write_waza(tmp_path)
    async with editor(tmp_path, profile="visual_studio_code") as it:
        it.open(skill)
        await until(lambda: hints(it) == OPEN_CLAUSES)
        for clause in OPEN_CLAUSES:
            line = next(n for n, text in enumerate(it.text.split("\n")) if clause in text)
            column = it.text.split("\n")[line].index(clause)
            at = types.Range(types.Position(line, column), types.Position(line, column))
            params = types.CodeActionParams(
                types.TextDocumentIdentifier(it.uri), at, types.CodeActionContext([])
            )
            [action] = await it.client.text_document_code_action_async(params) or []
            assert isinstance(action, types.CodeAction)
            assert action.edit is not None
            save(it, action.edit)
            await until(lambda: clause not in hints(it))  # noqa: B023  # awaited here
        assert hints(it) == []
    await asyncio.to_thread(check_files, tmp_path)


def check_files(root: Path) -> None:
    """The written files have no errors."""
    from waza_lsp.cli import main

    with pytest.raises(SystemExit) as ended:
        main(["check", str(root)])
    assert ended.value.code == 0


async def test_nothing_else_is_answered_in_a_skill(tmp_path: Path) -> None:
    skill = write_skill(tmp_path)
    write_waza(tmp_path)
    async with editor(tmp_path) as it:
        it.open(skill)
        await until(lambda: hints(it))
        assert await actions(it, 0) == []
        document, at = types.TextDocumentIdentifier(it.uri), types.Position(3, 5)
        assert await it.hover(3, 5) == ""
        assert not await it.client.text_document_folding_range_async(types.FoldingRangeParams(document))
        assert not await it.client.text_document_selection_range_async(
            types.SelectionRangeParams(document, [at])
        )
        assert not await it.client.text_document_completion_async(types.CompletionParams(document, at))
