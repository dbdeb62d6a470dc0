"""What has changed for a failed task since the last run that passed it."""

from dataclasses import replace
from pathlib import Path

import pytest

from waza_engine.model.results.records import Change, GraderOutcome, SinceGreen, TaskParts, TrialRecord
from waza_engine.model.results.scores import Status
from waza_engine.model.suite import ExperimentArm
from waza_engine.model.trajectory import Trajectory
from waza_engine.runs.history import read_history
from waza_engine.runs.past.changes import since_green
from waza_engine.runs.reviews import PENDING, Review, add_review, review_file
from waza_engine.runs.run_header import RunEnd, RunFrame, TaskFrame
from waza_engine.runs.store.record import stored_record
from waza_engine.runs.store.store import RunStore

EVAL = Path("/evals/eval.yaml")
PARTS = TaskParts("t", "s", "g", "k", "f")
TASK = TaskFrame("a", "A", fingerprint="1", parts=PARTS)
FRAME = RunFrame(
    "demo", executor="copilot-sdk", model="m", tasks=(TASK,), agent="x", agent_versioned=True, engine="1"
)


def compared(green: RunFrame, red: RunFrame) -> SinceGreen:
    return since_green("r1", 1.0, green, red, red.tasks[0])


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"model": "n"}, ["model (m -> n)"]),
        ({"model": ""}, ["model (m -> default)"]),
        # Another executor has other versions: that says nothing more.
        ({"executor": "mock", "agent": "y"}, ["executor (copilot-sdk -> mock)"]),
        ({"agent": "y"}, ["executor version"]),
        ({"judge_model": "j"}, ["judge model (default -> j)"]),
        ({"engine": "2"}, ["waza-lsp (1 -> 2)"]),
        (
            {"tasks": (replace(TASK, parts=replace(PARTS, skill="l", fixtures="h")),)},
            ["skill text", "fixtures"],
        ),
        (
            {"tasks": (replace(TASK, parts=TaskParts("1", "2", "3", "k", "f")),)},
            ["task text", "eval settings", "grader text"],
        ),
        ({}, []),
    ],
)
def test_each_difference_has_a_word(changed: dict[str, object], words: list[str]) -> None:
    found = compared(FRAME, replace(FRAME, **changed))  # type: ignore[arg-type]
    assert ([*map(str, found.changes)], found.unknown) == (words, ())
    assert ("nothing that is recorded changed" in found.text) is (words == [])
    assert found.short_text == (f"changed: {', '.join(words)}" if words else "")


def test_changed_recordings_are_no_version() -> None:
    green = replace(FRAME, executor="replay")
    assert compared(green, replace(green, agent="y")).changes == (Change("recordings"),)


def test_what_an_old_run_did_not_record_is_called_so() -> None:
    old = RunFrame("demo", executor="copilot-sdk", model="m", tasks=(TaskFrame("a", "A", fingerprint="1"),))
    same = compared(old, FRAME)
    assert (same.changes, same.unknown) == ((), ("executor version",))
    assert (
        same.text
        == "last passed in run r1; nothing else that is recorded changed since; not recorded: executor version"
    )
    other = compared(replace(old, tasks=(TaskFrame("a", "A", fingerprint="2"),)), replace(FRAME, model="n"))
    assert other.changes == (Change("model", "m", "n"),)
    assert other.unknown == (
        "executor version",
        "task text",
        "eval settings",
        "grader text",
        "skill text",
        "fixtures",
    )


def test_an_executor_without_an_identity_has_no_known_version() -> None:
    assert compared(FRAME, replace(FRAME, agent_versioned=False)).unknown == ("executor version",)


def store_run(
    store: RunStore,
    run_id: str,
    *statuses: Status,
    frame: RunFrame = FRAME,
    pending: bool = False,
    of: str | None = None,
) -> None:
    store.start_run(run_id, EVAL, frame, started_at=1.0, baseline_of=of)
    graders = (
        (GraderOutcome("human", "human", "failed", 0.0, 1.0, details={"status": PENDING}),) if pending else ()
    )
    for number, status in enumerate(statuses, 1):
        store.save_trial(run_id, TrialRecord("a", 0, number, status, 0.0, 0.0, Trajectory(), graders))
    store.finish_run(run_id, "passed", 1.0, RunEnd())


def green_run(store: RunStore, run_id: str) -> str:
    [run] = store.find_runs(run_id)
    [task] = stored_record(store, run).tasks
    return task.since_green.run_id if task.since_green else ""


def test_the_last_run_that_passed_all_trials_is_compared(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        store_run(store, "r1", "passed", "passed")
        store_run(store, "r2", "passed", "skipped", frame=replace(FRAME, model="n"))
        store_run(store, "r3", "passed", "failed")
        store_run(store, "r4", "skipped")
        store_run(store, "r5", "passed", of="r4")
        store_run(store, "r6", "failed", frame=replace(FRAME, model="o"))
        store_run(store, "r7", "passed")
        assert [green_run(store, it) for it in ("r1", "r3", "r6", "r7")] == ["", "r2", "r2", ""]
        [run] = store.find_runs("r6")
        [task] = stored_record(store, run).tasks
        assert task.since_green is not None
        assert task.since_green.changes == (Change("model", "n", "o"),)


def test_reviews_decide_which_run_passed(tmp_path: Path) -> None:
    with RunStore(tmp_path) as store:
        store_run(store, "r1", "passed")
        store_run(store, "r2", "failed", pending=True)
        store_run(store, "r3", "failed", pending=True)
        assert green_run(store, "r3") == "r1"
        add_review(review_file(tmp_path), Review(run="r2", task="a", grader="human", score=1.0, passed=True))
        assert green_run(store, "r3") == "r2"
    # The lens says the same.
    found = read_history(tmp_path, EVAL)["a"].since_green
    assert found is not None
    assert found.run_id == "r2"


def test_arms_of_an_experiment_are_compared_with_themselves(tmp_path: Path) -> None:
    def arm(name: str) -> RunFrame:
        return replace(FRAME, arm=ExperimentArm("e", "e", name, "base", str(EVAL), "/evals/one.yaml"))

    with RunStore(tmp_path) as store:
        store_run(store, "r1", "passed", frame=arm("base"))
        store_run(store, "r2", "passed", frame=arm("new"))
        store_run(store, "r3", "failed", frame=arm("base"))
        assert green_run(store, "r3") == "r1"
