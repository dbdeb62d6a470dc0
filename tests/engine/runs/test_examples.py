"""The example suites give the verdicts recorded beside them."""

import json
from pathlib import Path
from typing import Any

import pytest

from waza_engine.executors.base import ExecutorOptions
from waza_engine.executors.replay import ReplayExecutor
from waza_engine.project.load_suite import load_suite
from waza_engine.runs.events import Event
from waza_engine.runs.live import RunOutputs
from waza_engine.runs.planning.plan import Overrides, make_plan
from waza_engine.runs.planning.preflight import refuse_unreadable_graders
from waza_engine.runs.run import run_suite
from waza_engine.runs.trial.grade import Bench

ROOT = Path(__file__).parents[3]
EXPECTED: dict[str, Any] = json.loads(
    (ROOT / "examples" / "expected-verdicts.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", sorted(EXPECTED))
async def test_an_example_gives_its_verdicts(name: str, tmp_path: Path) -> None:
    suite = load_suite(ROOT / "examples" / name / "eval.yaml", process_dir=ROOT)
    refuse_unreadable_graders(suite)
    events: list[Event] = []
    record = await run_suite(
        Bench(
            make_plan(suite, Overrides(trials=1, executor="replay")),
            ReplayExecutor(ExecutorOptions(suite.directory)),
            ROOT,
        ),
        RunOutputs(events.append, tmp_path),
        "r",
    )
    found = {
        task.task: {
            "status": task.trials[0].status,
            "graders": {
                it.name: {"passed": it.passed, "score": pytest.approx(it.score)}
                for it in task.trials[0].graders
            },
        }
        for task in record.tasks
    }
    assert EXPECTED[name] == found
