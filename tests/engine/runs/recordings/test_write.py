"""Recordings that a run leaves behind are those that a replay finds."""

from pathlib import Path

import pytest

from tests.engine.runs.bench import Bench, Scripted, said, task
from waza_engine.executors.base import ExecutorOptions, TrialRequest
from waza_engine.executors.replay import ReplayExecutor
from waza_engine.model.trajectory import Trajectory
from waza_engine.runs.recordings.write import RecordingError, write_recordings


@pytest.fixture
def numbering(scripted: Scripted) -> Scripted:
    async def numbers(request: TrialRequest) -> Trajectory:
        return said(f"{request.task.id} #{request.trial}")

    scripted.perform = numbers
    return scripted


def names(folder: Path) -> list[str]:
    return sorted(it.name for it in folder.iterdir())


async def test_every_trial_has_a_file_of_its_own(bench: Bench, numbering: Scripted, tmp_path: Path) -> None:
    suite = bench.suite(task("p"), task("p.2"), task("p.2.1"))
    assert write_recordings(await bench.run(suite, numbering, trials=2), tmp_path / "kept") == 6
    replay = ReplayExecutor(ExecutorOptions(tmp_path, recordings=tmp_path / "kept"))
    again = await bench.run(suite, replay, trials=2)
    assert [trial.trajectory.output for it in again.tasks for trial in it.trials] == [
        *("p #1", "p #2", "p.2 #1", "p.2 #2", "p.2.1 #1", "p.2.1 #2"),
    ]


async def test_a_run_with_fewer_trials_leaves_none_of_an_older_one(
    bench: Bench, numbering: Scripted, tmp_path: Path
) -> None:
    suite = bench.suite(task("a"), task("b"))
    folder = tmp_path / "kept"
    write_recordings(await bench.run(suite, numbering, trials=3), folder)
    (folder / "a.4.json").write_text('{"output": "by hand"}', encoding="utf-8")
    write_recordings(await bench.run(suite, numbering, trials=1, tasks=("a",)), folder)
    assert names(folder) == ["a.4.json", "a.json", "b.2.json", "b.3.json", "b.json"]


async def test_the_recording_of_another_task_is_not_written_over(
    bench: Bench, numbering: Scripted, tmp_path: Path
) -> None:
    folder = tmp_path / "kept"
    both = bench.suite(task("p"), task("p.2"))
    write_recordings(await bench.run(both, numbering, trials=2, tasks=("p",)), folder)
    write_recordings(await bench.run(both, numbering, trials=1, tasks=("p.2",)), folder)
    assert names(folder) == ["p.2.1.json", "p.2.json", "p.json"]
    other = tmp_path / "other"
    write_recordings(await bench.run(both, numbering, trials=1, tasks=("p.2",)), other)
    with pytest.raises(RecordingError, match="already holds the recording of another task"):
        write_recordings(await bench.run(both, numbering, trials=2, tasks=("p",)), other)
    assert "p.2 #1" in (other / "p.2.json").read_text(encoding="utf-8")
