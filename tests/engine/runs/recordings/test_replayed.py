"""Grading recordings again: from files and from the store, with the text as it is open in an editor."""

import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from waza_engine.model.results.records import TrialRecord
from waza_engine.model.suite import GraderEntry
from waza_engine.model.trajectory import Session, Trajectory
from waza_engine.project.reading import reading_open_texts
from waza_engine.runs.history import read_history
from waza_engine.runs.recordings.find import recordings_of, recordings_to_audit
from waza_engine.runs.recordings.regrade import (
    bench_for,
    grade_single_entry,
    plan_for_grading,
    plan_without_suite,
    regrade_trial,
    replayed_trial,
    task_of_recording,
)
from waza_engine.runs.run_header import frame_of
from waza_engine.runs.store.store import RunStore, StoreError

EXAMPLES = Path(__file__).parents[4] / "examples"


@pytest.fixture
def eval_path(tmp_path: Path) -> Path:
    folder = tmp_path / "examples" / "file-editor"
    shutil.copytree(EXAMPLES / "file-editor", folder)
    return folder / "eval.yaml"


@pytest.mark.slow
def test_the_verdict_is_that_of_a_run(eval_path: Path, tmp_path: Path) -> None:
    plan = plan_for_grading(eval_path, tmp_path)
    found = recordings_of(eval_path, "rename-function", tmp_path / "none", trials=2)
    assert [it.trial for it in found] == [1, 2]
    records = []
    for it in found:
        with replayed_trial(task_of_recording(plan, it), it) as trial:
            assert (trial.workspace / "README.md").is_file()
            records.append(regrade_trial(bench_for(plan, it, tmp_path), trial))
        assert not trial.workspace.exists()
    assert [(it.status, it.trial) for it in records] == [("failed", 1), ("passed", 2)]
    [docs] = [it for it in records[0].graders if it.name == "docs-renamed"]
    assert docs.parts[0].pointer[:3] == ("content_patterns", 0, "must_match")


def test_as_many_files_as_a_run_has_trials(eval_path: Path, tmp_path: Path) -> None:
    assert len(recordings_of(eval_path, "rename-function", tmp_path)) == 1
    assert recordings_of(eval_path, "no-such-task", tmp_path) == []
    assert recordings_of(eval_path, "../recordings/rename-function", tmp_path, 5) != []
    assert recordings_of(eval_path, "../../../etc/passwd", tmp_path) == []


def test_the_newest_stored_run_comes_before_files(eval_path: Path, tmp_path: Path) -> None:
    plan = plan_for_grading(eval_path, tmp_path)
    [recording] = recordings_of(eval_path, "list-todos", tmp_path / ".waza-lsp")
    with replayed_trial(task_of_recording(plan, recording), recording) as trial:
        record = regrade_trial(bench_for(plan, recording, tmp_path), trial)
    with RunStore(tmp_path / ".waza-lsp") as store:
        store.start_run("r1", eval_path, frame_of(plan, tmp_path), started_at=1.0)
        store.save_trial("r1", record)
    [found] = recordings_of(eval_path, "list-todos", tmp_path / ".waza-lsp")
    assert (found.run_id, found.trial) == ("r1", 1)


def test_a_run_that_performed_nothing_hides_no_recording(eval_path: Path, tmp_path: Path) -> None:
    store_dir = tmp_path / ".waza-lsp"
    plan = plan_for_grading(eval_path, tmp_path)
    failed = TrialRecord(
        "list-todos", 0, 1, "error", 0.0, 0.0, Trajectory(error="no agent"), error="no agent"
    )
    said = replace(failed, status="passed", trajectory=Trajectory(output="x", session=Session()), error="")
    with RunStore(store_dir) as store:
        for number, record in enumerate((said, said, failed, failed)):
            store.start_run(f"r{number}", eval_path, frame_of(plan, tmp_path), started_at=number)
            store.save_trial(f"r{number}", record)
    assert [it.run_id for it in recordings_of(eval_path, "list-todos", store_dir)] == ["r1"]


def test_an_audit_gets_the_newest_run_then_others_that_passed_then_files(
    eval_path: Path, tmp_path: Path
) -> None:
    store_dir = tmp_path / ".waza-lsp"
    plan = plan_for_grading(eval_path, tmp_path)

    def found(most: int) -> list[tuple[str, int]]:
        return [(it.run_id, it.trial) for it in recordings_to_audit(eval_path, "list-todos", store_dir, most)]

    assert found(9) == [("", 1)]
    record = TrialRecord("list-todos", 0, 1, "failed", 0.0, 0.0, Trajectory(session=Session()))
    lost = replace(record, status="error", trajectory=Trajectory(error="no agent"), error="no agent")
    passed = replace(record, status="passed")
    runs = (
        [passed],
        [record, replace(passed, trial=2)],
        [record],
        [lost],
        [record, replace(record, trial=2)],
    )
    with RunStore(store_dir) as store:
        for number, records in enumerate(runs):
            store.start_run(f"r{number}", eval_path, frame_of(plan, tmp_path), started_at=number)
            for it in records:
                store.save_trial(f"r{number}", it)
        assert found(9) == [
            *((("r4", it)) for it in (1, 2)),
            ("r1", 2),
            ("r0", 1),
            ("r2", 1),
            ("r1", 1),
            ("", 1),
        ]
    assert found(1) == [("r4", 1), ("r1", 2), ("", 1)]


def test_a_single_entry_needs_no_suite_that_loads(eval_path: Path, tmp_path: Path) -> None:
    [recording] = recordings_of(eval_path, "list-todos", tmp_path)
    plan = plan_without_suite(eval_path)
    task = task_of_recording(plan, recording)
    assert task.prompt == recording.trajectory.prompt
    entry = GraderEntry(
        "text", "n", config={"contains": ["src/server.py", "nowhere"]}, pointer=("graders", 0)
    )
    with replayed_trial(task, recording) as trial:
        outcome = grade_single_entry(bench_for(plan, recording, tmp_path), trial, entry, "task")
        broken = grade_single_entry(
            bench_for(plan, recording, tmp_path), trial, GraderEntry("text", "n", config={"x": 1}), "task"
        )
    assert (outcome.status, outcome.score) == ("failed", 0.5)
    assert [it.pointer for it in outcome.parts] == [("contains", 1)]
    assert broken.status == "error"
    assert broken.feedback.startswith("config.x: Unknown key 'x'")


def test_open_texts_are_read_instead_of_files(eval_path: Path, tmp_path: Path) -> None:
    path = eval_path.parent / "tasks" / "list-todos.yaml"
    text = path.read_text(encoding="utf-8").replace("name: List the TODO", "name: Count the TODO")
    with reading_open_texts({path: text}):
        names = [it.name for it in plan_for_grading(eval_path, tmp_path).tasks]
    assert any(it.startswith("Count") for it in names)
    assert not any(it.name.startswith("Count") for it in plan_for_grading(eval_path, tmp_path).tasks)


def test_history_of_nothing_makes_nothing(eval_path: Path, tmp_path: Path) -> None:
    assert read_history(tmp_path / "none", eval_path) == {}
    assert not (tmp_path / "none").exists()


def test_history_of_a_damaged_store_says_so(eval_path: Path, tmp_path: Path) -> None:
    (tmp_path / "runs.sqlite3").write_bytes(b"no database" * 500)
    with pytest.raises(StoreError, match="cannot be read"):
        read_history(tmp_path, eval_path)


@pytest.mark.slow
def test_history_knows_the_newest_run_and_the_scores_before(eval_path: Path, tmp_path: Path) -> None:
    plan = plan_for_grading(eval_path, tmp_path)
    store_dir = tmp_path / ".waza-lsp"
    found = recordings_of(eval_path, "rename-function", store_dir, trials=2)
    with RunStore(store_dir) as store:
        for index, it in enumerate([*found, found[0]]):
            with replayed_trial(task_of_recording(plan, it), it) as trial:
                record = regrade_trial(bench_for(plan, it, tmp_path), trial)
            store.start_run(f"r{index}", eval_path, frame_of(plan, tmp_path), started_at=float(index))
            store.save_trial(f"r{index}", record)
    history = read_history(store_dir, eval_path)["rename-function"]
    assert (history.run_id, history.status, history.trials) == ("r2", "failed", 1)
    assert len(history.scores) == 3
    assert history.scores[0] == history.scores[2] < history.scores[1] == 1.0
    usage = found[0].trajectory.session
    assert usage is not None
    assert usage.usage is not None
    assert history.tokens == usage.usage.tokens
    [outcomes] = history.outcomes
    assert {it.name for it in outcomes} == {"docs-renamed", "old-name-is-gone"}
    assert outcomes[0].parts[0].message.startswith('README.md: no match for "')
