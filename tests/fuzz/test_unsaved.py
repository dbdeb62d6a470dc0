"""What an unsaved text made people see of other files goes with it."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.fuzz.wire_line import Line

EVAL = "name: n\nskill: s\nconfig: {trials_per_task: 1, timeout_seconds: 60, executor: mock, model: m}\ntasks: ['tasks/*.yaml']\n"
TASK = "id: {0}\nname: {0}\ninputs: {{prompt: hi}}\nexpected: {{output_contains: [hi]}}\n"


@pytest.fixture
def line(tmp_path: Path) -> Iterator[Line]:
    """A line in a workspace with an eval and two tasks."""
    root = tmp_path / "workspace"
    (root / "tasks").mkdir(parents=True)
    (root / "eval.yaml").write_text(EVAL, encoding="utf-8")
    for it in ("a", "b"):
        (root / "tasks" / f"{it}.yaml").write_text(TASK.format(it), encoding="utf-8")
    found = Line(root, tmp_path / "scratch", {}, {})
    found.tell("initialized", {})
    yield found
    found.kill()


def test_a_restored_text_is_seen_by_the_others_and_gone_when_it_is_closed(line: Line, tmp_path: Path) -> None:
    one, other = ((tmp_path / "workspace" / "tasks" / f"{it}.yaml").as_uri() for it in ("a", "b"))

    def open_document(uri: str, text: str) -> None:
        item = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
        line.tell("textDocument/didOpen", {"textDocument": item})

    def codes(uri: str) -> set[str]:
        return {it["code"] for it in line.published.get(uri, {}).get("diagnostics", ())}

    open_document(one, TASK.format("a"))
    open_document(other, TASK.format("a"))  # What the editor kept of the last session.
    line.wait_for(lambda: "duplicate-task-id" in codes(other), "the finding of the file itself")
    line.wait_for(lambda: "duplicate-task-id" in codes(one), "the finding of the other file")
    line.tell("textDocument/didClose", {"textDocument": {"uri": other}})
    line.wait_for(lambda: "duplicate-task-id" not in codes(one), "that the finding is gone")
