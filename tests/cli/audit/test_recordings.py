"""`waza-lsp audit` reads recordings task by task, and keeps only those that are swapped into other tasks."""

from pathlib import Path
from typing import Any

import pytest

from tests.engine.audit.evals import plan_of, recording, text_grader, write_eval
from waza_engine.audit.other_trials import MOST_OTHERS, first_trials
from waza_lsp.cli.audit import recordings as recordings_file
from waza_lsp.cli.audit.perform import Audits, Request
from waza_lsp.cli.audit.recordings import AuditedRecordings

TASKS = [f"t{it:02}" for it in range(MOST_OTHERS + 10)]


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An eval with more tasks than are swapped; the first has no recording, and one of the second is broken."""
    graders = [text_grader(contains=["Version"])]
    trials = [recording(it, f"Version of {it} is out") for it in TASKS[1:]]
    path = write_eval(tmp_path / "e", [{"id": it, "graders": graders} for it in TASKS], recordings=trials)
    (path.parent / "recordings" / f"{TASKS[1]}.2.json").write_text("{")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.chdir(tmp_path)
    return path


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The tasks whose recordings were read, in order."""
    found: list[str] = []
    recordings_to_audit = vars(recordings_file)["recordings_to_audit"]

    def noting(path: Path, task: str, *arguments: Any, **options: Any) -> Any:
        found.append(task)
        return recordings_to_audit(path, task, *arguments, **options)

    monkeypatch.setattr(recordings_file, "recordings_to_audit", noting)
    return found


def test_only_trials_that_are_swapped_are_kept(suite: Path, read: list[str]) -> None:
    with AuditedRecordings(plan_of(suite), suite.parent / ".none") as found:
        assert read == []
        assert [task for task, _ in first_trials(found)] == TASKS[1 : MOST_OTHERS + 2]
        assert read == TASKS[: MOST_OTHERS + 2]
        first, last = TASKS[1], TASKS[-1]
        assert found[first][0].trajectory is found[first][0].trajectory
        assert found[last] == found[last]
        assert found[last][0].trajectory is not found[last][0].trajectory
        assert [it.path.name for it in found.unreadable[first]] == [f"{first}.2.json"]
        assert "x" not in found
        assert len(found) == len(TASKS)
    assert read.count(first) == 1


def test_each_task_is_read_once_and_known_the_next_time(suite: Path, read: list[str]) -> None:
    first = Audits(Request()).perform([suite])
    assert read == TASKS
    read.clear()
    again = Audits(Request()).perform([suite])
    assert list(again.audits) == list(first.audits)
    assert [len(it.unreadable) for it in first.audits] == [0, 1, *(0 for _ in TASKS[2:])]
    assert read == TASKS
    # Only one task is audited, but trials of others are swapped into it.
    read.clear()
    Audits(Request(tasks=(TASKS[-1],))).perform([suite])
    assert read == [*TASKS[: MOST_OTHERS + 2], TASKS[-1]]
