"""Which tasks and graders vary although nothing has changed, and who varies."""

import pytest

from waza_engine.runs.past.flakiness import GraderVerdict, PastTrial, task_flakiness
from waza_engine.statistics.flips import flip_rate
from waza_engine.statistics.rates import wilson

TYPES = {"free": "text", "runs": "program", "asks": "prompt"}


def trial(run: int, work: str, *, conditions: str = "c", judging: str = "j", **verdicts: bool) -> PastTrial:
    graders = tuple(GraderVerdict(name, TYPES[name], passed) for name, passed in verdicts.items())
    return PastTrial(f"r{run}", all(verdicts.values()), conditions, judging, work, graders)


def is_free(kind: str) -> bool:
    return kind == "text"


@pytest.mark.parametrize(
    ("trials", "cause", "flaky"),
    [
        ([trial(1, "a", free=True), trial(2, "b", free=True)], "", []),
        # Only the work differs, and the grader cannot vary.
        ([trial(1, "a", free=True), trial(2, "b", free=False)], "agent", []),
        # Nobody knows, for no work was graded twice.
        ([trial(1, "a", runs=True), trial(2, "b", runs=False)], "agent or grader", []),
        ([trial(1, "", runs=True), trial(2, "", runs=False)], "agent or grader", []),
        # A second verdict on one of them was the same, which is little; three are enough.
        (
            [trial(1, "a", runs=True), trial(2, "b", runs=False), trial(3, "b", runs=False)],
            "agent or grader",
            [],
        ),
        (
            [trial(1, "a", runs=True), *(trial(it, "b", runs=False) for it in range(2, 6))],
            "agent",
            [],
        ),
        ([trial(1, "a", runs=True), trial(2, "a", runs=False)], "grader", ["runs"]),
        ([trial(1, "a", runs=True, free=True), trial(2, "a", runs=False, free=True)], "grader", ["runs"]),
        (
            [
                trial(1, "a", runs=True, free=True),
                trial(2, "a", runs=False, free=True),
                trial(3, "b", runs=True, free=False),
            ],
            "agent and grader",
            ["runs"],
        ),
        # The agent ended with an error before anything was graded.
        ([trial(1, "a", free=True), PastTrial("r2", False, "c", "j", "b", ())], "agent", []),
        # The agent is another one in the replay: the task did not vary, but its grader did.
        ([trial(1, "a", asks=True), trial(2, "a", conditions="d", asks=False)], "", ["asks"]),
        # Someone edited the grader between the two.
        ([trial(1, "a", runs=True), trial(2, "a", conditions="d", judging="k", runs=False)], "", []),
        # An old run did not record how it was judged.
        (
            [trial(1, "a", judging="", runs=True), trial(2, "a", conditions="d", judging="", runs=False)],
            "",
            [],
        ),
    ],
)
def test_who_varies(trials: list[PastTrial], cause: str, flaky: list[str]) -> None:
    found = task_flakiness("t", trials, is_free)
    assert (found.cause, [it.name for it in found.graders if it.is_flaky]) == (cause, flaky)
    assert found.is_flaky == bool(cause or flaky)


def test_rates_have_intervals() -> None:
    trials = [trial(it, str(it), free=it % 3 > 0) for it in range(9)]
    found = task_flakiness("t", [trial(0, "x", conditions="old", free=False), *trials], is_free)
    assert (found.trials, found.passed, found.runs) == (9, 6, 9)
    assert found.interval == wilson(6, 9)
    assert found.flips == flip_rate([[it.passed for it in trials]])
    assert found.graders[0].over_trials == found.flips
    assert found.graders[0].on_same_work.rate is None


def test_replays_tell_about_graders_only() -> None:
    performed = [trial(1, "a", runs=True), trial(2, "b", runs=False)]
    replays = [
        trial(number, "a", conditions="replay", runs=passed)._replace(is_replay=True)
        for number, passed in ((3, True), (4, False), (5, False))
    ]
    found = task_flakiness("t", [*performed, *replays], is_free)
    assert (found.trials, found.passed, found.cause, found.streak) == (2, 1, "grader", 0)
    assert found.graders[0].on_same_work == flip_rate([[True, True, False, False]])
    alone = task_flakiness("t", replays, is_free)
    assert (alone.trials, alone.passed) == (3, 1)


def test_a_streak_counts_runs_without_a_failed_trial() -> None:
    def streak(*runs: str) -> int:
        trials = [trial(number, "w", free=one == "+") for number, run in enumerate(runs) for one in run]
        return task_flakiness("t", trials, is_free).streak

    assert [
        streak("+"),
        streak("-"),
        streak("++", "+-"),
        streak("-", "++", "+"),
        streak("+", "-+", "+", "+"),
    ] == [1, 0, 0, 2, 2]
