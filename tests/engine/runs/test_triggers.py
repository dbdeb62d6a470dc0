"""Trigger tests and the only metric that can fail a run (docs/reference/waza-formats.md, sections 6 and 14.4)."""

import asyncio
from pathlib import Path

import pytest

from tests.engine.runs.bench import Bench, Scripted, task
from waza_engine.executors.base import ExecutorError, TriggerRequest, UnavailableError, workspace_of
from waza_engine.model.results.records import TriggerMetrics, TriggerResult
from waza_engine.model.suite import Metric, Suite, TriggerPrompt, TriggerTests
from waza_engine.reports.junit import junit_xml
from waza_engine.reports.results.read import record_of
from waza_engine.reports.results.write import results_data
from waza_engine.runs.events import Note
from waza_engine.runs.run import exit_status
from waza_engine.runs.trigger_metrics import trigger_metrics

TESTS = TriggerTests(
    "notes",
    (
        TriggerPrompt("take notes", should_trigger=True),
        TriggerPrompt("keep this", should_trigger=True, confidence="medium"),
        TriggerPrompt("weather", should_trigger=False),
        TriggerPrompt("news", should_trigger=False, confidence="medium"),
    ),
)


def suite(bench: Bench, threshold: float | None = None) -> Suite:
    metrics = () if threshold is None else (Metric("trigger_accuracy", 2.0, threshold),)
    return bench.suite(task("a"), triggers=TESTS, metrics=metrics)


def result(*, should: bool, did: bool, medium: bool = False, error: str = "") -> TriggerResult:
    return TriggerResult("p", "medium" if medium else "high", should, did, error)


def metrics_of(results: list[TriggerResult]) -> TriggerMetrics:
    measured = trigger_metrics(results)
    assert measured is not None
    return measured


def test_weights_rounding_and_four_digits() -> None:
    measured = metrics_of(
        [
            result(should=True, did=True),
            result(should=True, did=True, medium=True),
            result(should=True, did=False),
            result(should=False, did=True, medium=True),
            result(should=False, did=False),
        ]
    )
    # Weighted sums 1.5, 0.5, 1, 1; halves are rounded up.
    assert (measured.true_positives, measured.false_positives) == (2, 1)
    assert (measured.true_negatives, measured.false_negatives) == (1, 1)
    assert (measured.precision, measured.recall) == (0.75, 0.6)
    assert (measured.f1, measured.accuracy) == (0.6667, 0.625)


def test_an_error_is_the_wrong_prediction() -> None:
    measured = metrics_of(
        [result(should=False, did=False, error="gone"), result(should=True, did=False, error="gone")]
    )
    assert (measured.false_positives, measured.false_negatives, measured.errors) == (1, 1, 2)
    assert (measured.precision, measured.recall, measured.f1, measured.accuracy) == (0.0, 0.0, 0.0, 0.0)


@pytest.mark.parametrize(
    ("right", "status"), [(True, "error"), (False, "failed")], ids=["it can be saved", "it cannot be saved"]
)
async def test_an_outage_counts_in_no_rate(
    bench: Bench, scripted: Scripted, status: str, *, right: bool
) -> None:
    async def is_down(request: TriggerRequest) -> bool:
        if request.prompt == "weather":
            raise ExecutorError("503", infrastructure=True)
        if request.prompt == "news":
            raise OSError(28, "No space left on device")
        return request.should_trigger is right

    scripted.triggered = is_down  # type: ignore[method-assign]  # the test's own answer
    record = await bench.run(suite(bench, threshold=0.9), scripted)
    assert (record.status, record.infrastructure, exit_status(record)) == (status, right, 3 if right else 1)
    assert record.trigger_metrics is not None
    assert record.trigger_metrics.accuracy == float(right)
    assert (record.trigger_metrics.errors, record.trigger_metrics.false_positives) == (0, 0)
    assert [it.infrastructure for it in record.triggers] == [False, False, True, True]
    assert record_of(results_data(record)).triggers == record.triggers
    junit = junit_xml(record)
    assert ("InfrastructureError" in junit, 'errors="1"' in junit, "RunFailure" in junit) == (
        right,
        right,
        not right,
    )
    if right:
        assert "2 trigger prompts could not be judged" in record.error
        assert "--resume" in record.error


async def test_a_prompt_is_repeated_after_an_outage(
    bench: Bench, scripted: Scripted, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("waza_engine.runs.trial.retries._FIRST_PAUSE_SECONDS", 0.0)
    asked: list[str] = []

    async def is_down_once(request: TriggerRequest) -> bool:
        asked.append(request.prompt)
        if asked.count(request.prompt) == 1:
            raise ExecutorError("503", infrastructure=True)
        return request.should_trigger

    scripted.triggered = is_down_once  # type: ignore[method-assign]  # the test's own answer
    record = await bench.run(suite(bench, threshold=0.9), scripted, retry_infrastructure=1)
    assert (record.status, record.infrastructure) == ("passed", False)
    assert len(asked) == 2 * len(record.triggers)


async def test_nothing_is_known_if_no_prompt_could_be_run(bench: Bench, scripted: Scripted) -> None:
    async def is_down(request: TriggerRequest) -> bool:
        raise ExecutorError(f"503: {request.prompt}", infrastructure=True)

    scripted.triggered = is_down  # type: ignore[method-assign]  # the test's own answer
    record = await bench.run(suite(bench, threshold=0.9), scripted)
    assert (record.status, record.trigger_metrics, record.metrics) == ("error", None, ())


async def test_the_mock_predicts_everything_right(bench: Bench) -> None:
    record = await bench.run(suite(bench, threshold=1.0))
    assert record.status == "passed"
    assert record.trigger_metrics is not None
    assert record.trigger_metrics.accuracy == 1.0
    assert [(it.name, it.value, it.threshold, it.weight) for it in record.metrics] == [
        ("trigger_accuracy", 1.0, 1.0, 2.0)
    ]


@pytest.mark.parametrize(
    ("threshold", "status", "metrics"),
    [(0.9, "failed", 1), (0.5, "passed", 1), (0, "passed", 1), (None, "passed", 0)],
)
async def test_the_threshold_decides(
    bench: Bench, scripted: Scripted, threshold: float | None, status: str, metrics: int
) -> None:
    async def only_the_first(request: TriggerRequest) -> bool:
        return request.prompt in {"take notes", "weather"}

    scripted.triggered = only_the_first  # type: ignore[method-assign]  # the test's own answer
    record = await bench.run(suite(bench, threshold), scripted)
    assert (record.status, len(record.metrics)) == (status, metrics)
    assert [it.did_trigger for it in record.triggers] == [True, False, True, False]


async def test_a_prompt_that_goes_wrong_does_not_end_the_others(bench: Bench, scripted: Scripted) -> None:
    async def fails_once(request: TriggerRequest) -> bool:
        if request.prompt == "weather":
            raise ExecutorError("no answer")
        return request.should_trigger

    scripted.triggered = fails_once  # type: ignore[method-assign]  # the test's own answer
    record = await bench.run(suite(bench), scripted)
    assert [it.error for it in record.triggers] == ["", "", "no answer", ""]
    assert record.trigger_metrics is not None
    assert record.trigger_metrics.errors == 1


async def test_prompts_that_cannot_run_only_warn(bench: Bench, scripted: Scripted) -> None:
    async def cannot(request: TriggerRequest) -> bool:
        raise UnavailableError(f"no triggers.json for {request.skill}")

    scripted.triggered = cannot  # type: ignore[method-assign]  # the test's own answer
    record = await bench.run(suite(bench, threshold=1.0), scripted)
    assert (record.status, record.trigger_metrics, record.metrics) == ("passed", None, ())
    assert any("no triggers.json for notes" in it.message for it in bench.events if isinstance(it, Note))


async def test_prompts_run_in_parallel_up_to_the_workers(bench: Bench, scripted: Scripted) -> None:
    asked: list[str] = []
    most = 0

    async def slow(request: TriggerRequest) -> bool:
        nonlocal most
        asked.append(request.prompt)
        most = max(most, len(asked))
        await asyncio.sleep(0.01)
        asked.remove(request.prompt)
        return request.should_trigger

    scripted.triggered = slow  # type: ignore[method-assign]  # the test's own answer
    await bench.run(bench.suite(task("a"), triggers=TESTS, settings={"workers": 2}), scripted)
    assert most == 2


async def test_prompts_are_asked_among_the_fixtures_and_skills_of_the_eval(
    bench: Bench, scripted: Scripted
) -> None:
    fixtures = bench.folder / "fixtures"
    for name in ("src/a.py", ".hidden/b", "node_modules/c", "big.bin"):
        path = fixtures / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * ((1 << 20) + 1 if name == "big.bin" else 1))
    asked: list[TriggerRequest] = []

    async def triggered(request: TriggerRequest) -> bool:
        asked.append(request)
        return request.should_trigger

    scripted.triggered = triggered  # type: ignore[method-assign]  # the test's own
    settings = {"skills_of_process": True, "skill_directories": ("skills/a",)}
    await bench.run(bench.suite(task("a"), triggers=TESTS, fixtures=fixtures, settings=settings), scripted)
    assert [it.target for it in asked[0].files] == ["src/a.py"]
    assert asked[0].skill_directories == (bench.folder, bench.folder / "skills" / "a")
    assert scripted.requests[0].skill_directories == (bench.folder, bench.folder / "skills" / "a")
    with workspace_of(asked[0]) as folder:
        assert Path(folder, "src", "a.py").read_bytes() == b"x"  # noqa: ASYNC240  # in no time
    scripted.requests.clear()
    await bench.run(bench.suite(task("a"), settings=settings), scripted, no_skills=True)
    assert [it.skill_directories for it in scripted.requests] == [()]
