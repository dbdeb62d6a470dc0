"""Empty files: one finding, and a skeleton as its fix."""

from pathlib import Path

import pytest

from tests.behaviour.fixes_harness import actions_at, apply_action, draft_of, findings_of
from waza_engine.model.findings import Severity
from waza_lsp.fixes.fixes import solutions
from waza_lsp.snapshot import Snapshot

EVAL = "name: a\nskill: a\nconfig: {trials_per_task: 1}\ntasks: [tasks/*.yaml]\n"


@pytest.mark.parametrize(
    ("before", "kept"),
    [
        ("# c\n¦", "# c\n"),
        ("# c\n# d\n\n¦\n\n", "# c\n# d\n"),
        ("\n\n¦", ""),
        ("---\n¦", "---\n"),
        ("¦# c\n", "# c\n"),
        ("# c\n  ¦", "# c\n"),
    ],
)
@pytest.mark.parametrize("name", ["eval.yaml", "trigger_tests.yaml"])
def test_the_skeleton_is_offered_wherever_the_cursor_is(name: str, before: str, kept: str) -> None:
    snapshot, actions = actions_at(before, name, only=["quickfix"])
    [action] = [it for it in actions if it.title == "Write a skeleton"]
    written = apply_action(snapshot, action)
    assert written.startswith(kept)
    assert len(written.strip().splitlines()) > len(kept.splitlines()) + 1


@pytest.mark.parametrize("name", ["eval.yaml", "tasks/a.yaml", "trigger_tests.yaml"])
@pytest.mark.parametrize("text", ["", "\n\n", "# about it\n", "# about it", "---\n", "# about it\r\n\r\n"])
def test_a_skeleton_is_written_behind_what_is_there(name: str, text: str, tmp_path: Path) -> None:
    if name != "eval.yaml":
        (tmp_path / "eval.yaml").write_text(EVAL)
    (tmp_path / "tasks").mkdir()
    (tmp_path / name).write_text(text, newline="")
    snapshot = Snapshot.of((tmp_path / name).as_uri(), text)
    assert snapshot.form is not None
    [mark] = findings_of(snapshot)
    assert (mark.finding.code, mark.finding.severity) == ("empty-file", Severity.INFORMATION)
    [solution] = solutions(mark, draft_of(snapshot), snapshot.form.schema)
    assert solution.title == "Write a skeleton"
    written = str(draft_of(snapshot).apply(solution.edits).text)
    assert written.startswith(text.rstrip("\r\n"))
    left = findings_of(Snapshot.of(snapshot.uri, written))
    assert {it.finding.code for it in left if it.finding.severity is Severity.ERROR} <= {"glob-without-match"}
