"""What the store tells about flaky tasks: which trials count, and as what."""

import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest

from waza_engine.model.results.records import GraderOutcome, TaskParts, TrialRecord
from waza_engine.model.suite import ExperimentArm
from waza_engine.model.trajectory import Session, Trajectory
from waza_engine.runs.past.flakiness import TaskFlakiness
from waza_engine.runs.past.read import read_flakiness
from waza_engine.runs.reviews import PENDING, Review, add_review, review_file
from waza_engine.runs.run_header import RunFrame, TaskFrame
from waza_engine.runs.store.rows import work_digest
from waza_engine.runs.store.store import FILE_NAME, RunStore

EVAL = Path("/evals/eval.yaml")
TASK = TaskFrame("a", "A", fingerprint="1", parts=TaskParts("t", "s", "g", "k", "f"))
FRAME = RunFrame("demo", executor="command", tasks=(TASK,), agent="x", dialect="waza")
NUMBER = iter(range(1, 1000))


def save(
    store: RunStore, run_id: str, *trials: TrialRecord, frame: RunFrame = FRAME, of: str | None = None
) -> None:
    store.start_run(run_id, EVAL, frame, started_at=1.0, baseline_of=of)
    for number, it in enumerate(trials, 1):
        # Each trial began at a time of its own.
        store.save_trial(run_id, replace(it, trial=number, started_at=float(next(NUMBER))))


def trial(passed: bool, output: str = "work", kind: str = "program", **more: object) -> TrialRecord:
    status = "passed" if passed else "failed"
    grader = GraderOutcome("checks", kind, status, float(passed), 1.0, path=EVAL, pointer=("graders", 0))  # type: ignore[arg-type]  # both are statuses
    record = TrialRecord("a", 0, 1, status, 0.0, 0.0, Trajectory(output=output), (grader,))  # type: ignore[arg-type]  # see above
    return replace(record, **more)  # type: ignore[arg-type]  # the test's own names


def read(folder: Path) -> TaskFlakiness:
    [found] = read_flakiness(folder, EVAL)
    return found


def test_decided_trials_of_unchanged_runs_count(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        save(store, "r1", trial(False), frame=replace(FRAME, agent="other"))
        save(store, "r2", trial(False), frame=replace(FRAME, tasks=(replace(TASK, fingerprint="2"),)))
        save(store, "r3", trial(True, "one"), trial(True, "two"))
        save(store, "r4", trial(False, "one", status="error", infrastructure=True))
        save(store, "r5", trial(False, "one", status="skipped"))
        save(store, "r6", trial(False, "one"), of="r5")
        save(store, "r7", trial(False, "three"))
    found = read(tmp_path)
    assert (found.trials, found.passed, found.runs, found.streak) == (3, 2, 2, 0)
    # One verdict on other work was repeated, which is little.
    assert found.cause == "agent or grader"
    assert read_flakiness(tmp_path, Path("/evals/other.yaml")) == []
    assert read_flakiness(tmp_path / "nowhere", EVAL) == []


def test_the_place_of_a_flaky_grader_is_known(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        save(store, "r1", trial(True), trial(False))
    [grader] = read(tmp_path).graders
    assert (grader.is_flaky, grader.path, grader.pointer) == (True, EVAL, ("graders", 0))


@pytest.mark.parametrize(
    ("kind", "cause"), [("text", "agent"), ("program", "agent or grader"), ("gone", "agent or grader")]
)
def test_a_grader_without_program_and_judge_cannot_vary(tmp_path: Path, kind: str, cause: str) -> None:
    with RunStore(tmp_path) as store:
        save(store, "r1", trial(True, "one", kind), trial(False, "two", kind))
    assert read(tmp_path).cause == cause


def test_reviews_decide(tmp_path: Path) -> None:
    pending = GraderOutcome("person", "human", "failed", 0.0, 1.0, details={"status": PENDING})
    with RunStore(tmp_path) as store:
        save(store, "r1", trial(True), trial(False, graders=(pending,)))
    assert read(tmp_path).passed == 1
    add_review(
        review_file(tmp_path), Review(run="r1", task="a", grader="person", score=1, passed=True, trial=2)
    )
    assert read(tmp_path).passed == 2


def test_arms_of_an_experiment_are_tasks_of_their_own(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        for name, passed in (("base", True), ("new", False)):
            arm = ExperimentArm("e", "e", name, "base", str(EVAL), "/evals/one.yaml")
            save(store, f"r-{name}", trial(passed), frame=replace(FRAME, arm=arm))
    found = {it.task: it.passed for it in read_flakiness(tmp_path, EVAL)}
    assert found == {"a [base]": 1, "a [new]": 0}


def test_a_store_of_an_older_version_knows_nothing(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        save(store, "r1", trial(True))
    connection = sqlite3.connect(tmp_path / FILE_NAME)
    connection.executescript(
        "DROP INDEX trials_by_work; ALTER TABLE trials DROP COLUMN work; PRAGMA user_version = 3"
    )
    connection.close()
    assert read_flakiness(tmp_path, EVAL) == []


def test_what_graders_see_is_the_work() -> None:
    one = Trajectory(task="a", model="m", output="o", session_id="1", session=Session(session_id="1"))
    other = one.model_copy(
        update={"task": "b", "model": "n", "session_id": "2", "session": Session(session_id="2")}
    )
    assert work_digest(one) == work_digest(other)
    for change in (
        {"output": "p"},
        {"files": {"a": "b"}},
        {"duration_ms": 5},
        {"error": "e"},
        {"patch": "+"},
    ):
        assert work_digest(one.model_copy(update=change)) != work_digest(one)
    # Graders may read what was not captured.
    assert work_digest(one.model_copy(update={"uncaptured": ["a.bin"]})) == ""
