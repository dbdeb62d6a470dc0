"""`waza.addCheck`: a check that was drafted in a trace goes to the graders of its task."""

import shutil
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.server.conftest import EXAMPLES
from tests.server.results_harness import editor, plain
from waza_engine.lib.yaml.reader import read_yaml
from waza_engine.recognition.recognise import dialects_by_preference, load_object

TEMPLATES = {it.name: load_object(it.check_templates) for it in dialects_by_preference()}
WORDS = {"$NAME": "made", "$TEXT": '"it: \\"so\\""', "$PATTERN": '"so"', "$TOOL_PATTERN": '"^view$"', "$PATH": '"a b.txt"'}  # fmt: skip


def drafts(dialect: str) -> list[str]:
    """The templates of a dialect, filled in as the viewer does."""
    found: list[str] = []
    for template in TEMPLATES[dialect]:
        text = template.yaml
        for word, value in WORDS.items():
            text = text.replace(word, value)
        found.append(text)
    return found


def applied(params: types.ApplyWorkspaceEditParams) -> str:
    """Return the text of the file after its edit."""
    [change] = params.edit.document_changes or []
    assert isinstance(change, types.TextDocumentEdit)
    [edit] = change.edits
    assert isinstance(edit, types.TextEdit)
    lines = (
        Path(change.text_document.uri.removeprefix("file://")).read_text("utf-8").splitlines(keepends=True)
    )
    start, end = (
        sum(map(len, lines[: place.line])) + place.character for place in (edit.range.start, edit.range.end)
    )
    text = "".join(lines)
    return text[:start] + edit.new_text + text[end:]


@pytest.mark.parametrize(
    ("example", "task", "file", "dialect"),
    [
        ("code-explainer", "explain-retry", "tasks/explain-retry.yaml", "waza"),
        ("release-notes", "writes-the-notes", "eval.yaml", "vally"),
    ],
)
async def test_a_drafted_check_goes_to_its_task(
    tmp_path: Path, example: str, task: str, file: str, dialect: str
) -> None:
    root = tmp_path / example
    shutil.copytree(EXAMPLES / example, root)
    uri = (root / "eval.yaml").as_uri()
    asked: list[types.ApplyWorkspaceEditParams] = []

    def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        asked.append(params)
        return types.ApplyWorkspaceEditResult(applied=True)

    async with editor(tmp_path, profile="visual_studio_code") as it:
        it.client.feature(types.WORKSPACE_APPLY_EDIT)(apply)
        for draft in drafts(dialect):
            answer = plain(await it.execute("waza.addCheck", uri=uri, task=task, yaml=draft))
            assert answer["uri"] == (root / file).as_uri()
            entries = _entries(read_yaml(applied(asked[-1])), task)
            assert [entry for entry in entries if entry.get("name") == "made"] == read_yaml(draft)
        assert len(asked) == len(TEMPLATES[dialect])
        for name, text in (("gone", "- type: text"), (task, "- 3"), (task, "{"), (task, "")):
            assert await it.execute("waza.addCheck", uri=uri, task=name, yaml=text) is None
        assert "has no task 'gone'" in it.messages[-4]
        assert "not a list with one grader" in it.messages[-1]
    assert len(asked) == len(TEMPLATES[dialect])


def _entries(data: Any, task: str) -> list[dict[str, Any]]:
    for it in data.get("stimuli", [data]):
        if task in {it.get("id"), it.get("name")}:
            return list(it["graders"])
    return []
