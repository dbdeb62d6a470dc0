"""Plan runs: filters and overrides (docs/reference/waza-formats.md, section 13.8)."""

from pathlib import Path
from typing import Any

import pytest

from tests.engine.runs.bench import task
from waza_engine.model.suite import RunSettings, Suite, Task
from waza_engine.runs.planning.plan import Overrides, Plan, PlanError, make_plan

TASKS = (
    task("explain-sort", name="Explain sort", tags=("basic", "go")),
    task("explain-join", name="Explain join", tags=("sql/ansi",)),
    task("write-sort", name="Write sort"),
)


def plan(settings: RunSettings | None = None, of: tuple[Task, ...] = TASKS, **overrides: Any) -> Plan:
    suite = Suite("waza", Path("eval.yaml"), Path(), "demo", "s", settings or RunSettings(), tasks=of)
    return make_plan(suite, Overrides(**overrides), processors=2)


def ids(**overrides: Any) -> list[str]:
    return [it.id for it in plan(**overrides).tasks]


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        ({}, ["explain-sort", "explain-join", "write-sort"]),
        ({"tasks": ("explain-*",)}, ["explain-sort", "explain-join"]),
        ({"tasks": ("Write sort", "explain-join")}, ["explain-join", "write-sort"]),
        ({"tasks": ("* sort",)}, ["explain-sort", "write-sort"]),
        ({"tasks": ("[ew]*-sort",)}, ["explain-sort", "write-sort"]),
        ({"tags": ("g?",)}, ["explain-sort"]),
        ({"tags": ("sql/*", "basic")}, ["explain-sort", "explain-join"]),
        ({"tasks": ("*join*",), "tags": ("sql/ansi",)}, ["explain-join"]),
        ({"tasks": (r"explain\-sort",)}, ["explain-sort"]),
    ],
)
def test_filters(filters: dict[str, tuple[str, ...]], expected: list[str]) -> None:
    assert ids(**filters) == expected


@pytest.mark.parametrize(
    "filters",
    [
        {"tasks": ("sort",)},
        {"tasks": ("EXPLAIN-*",)},
        {"tags": ("sql*",)},
        {"tasks": ("write-sort",), "tags": ("basic",)},
        {"tasks": ("",)},
    ],
)
def test_an_empty_selection_is_an_error_that_lists_the_tasks(filters: dict[str, tuple[str, ...]]) -> None:
    with pytest.raises(PlanError, match="explain-sort, explain-join, write-sort"):
        ids(**filters)


@pytest.mark.parametrize("pattern", ["[a", "a\\", "[]"])
def test_a_malformed_pattern_is_an_error(pattern: str) -> None:
    with pytest.raises(PlanError, match="not a valid pattern"):
        plan(tasks=("*", pattern))


def test_a_suite_without_tasks_cannot_run() -> None:
    with pytest.raises(PlanError, match="no task to run"):
        plan(of=())


def test_overrides_beat_the_suite() -> None:
    own = RunSettings(trials=2, executor="copilot-sdk", model="m", judge_model="j")
    assert plan(own).settings == own
    changed = plan(own, trials=5, executor="mock", model="n", judge_model="k").settings
    assert (changed.trials, changed.executor, changed.model, changed.judge_model) == (5, "mock", "n", "k")


@pytest.mark.parametrize(
    ("settings", "asked", "parallel", "workers"),
    [
        (RunSettings(), None, False, 1),
        (RunSettings(workers=3), None, False, 1),
        (RunSettings(parallel=True), None, True, 2),
        (RunSettings(parallel=True, workers=3), None, True, 3),
        (RunSettings(parallel=True, workers=30), None, True, 3),
        (RunSettings(), 2, True, 2),
        (RunSettings(parallel=True, workers=3), 1, False, 1),
    ],
)
def test_workers(settings: RunSettings, asked: int | None, parallel: bool, workers: int) -> None:
    made = plan(settings, workers=asked)
    assert (made.settings.parallel, made.workers) == (parallel, workers)


def test_results_are_grouped_by_model_or_by_tags() -> None:
    assert {it.group for it in plan(RunSettings(group_by="model", model="m")).tasks} == {"m"}
    assert {it.group for it in plan(RunSettings(group_by="task_id", model="m")).tasks} == {""}
    assert [it.group for it in plan(RunSettings(group_by="tags")).tasks] == ["basic, go", "sql/ansi", ""]
