"""Loading arbitrary files gives a runnable suite or a one-line error, never a traceback."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.engine.dialects.waza.formats.test_load_anything import ODD, _changed, _places
from tests.engine.dialects.waza.suite_files import write
from tests.slow import first_quick
from waza_engine.executors.base import ExecutorOptions
from waza_engine.executors.mock import MockExecutor
from waza_engine.model.suite import LoadError
from waza_engine.project.load_suite import load_suite
from waza_engine.reports.results.write_jsonl import results_lines
from waza_engine.runs.live import RunOutputs
from waza_engine.runs.planning.plan import Overrides, PlanError, make_plan
from waza_engine.runs.run import run_suite
from waza_engine.runs.trial.grade import Bench

WHOLE: dict[str, Any] = {
    "eval.yaml": {
        "name": "x",
        "type": "regression",
        "tags": {"a": "b", "c": ["d"]},
        "environment": "app",
        "defaults": {"runs": 1, "timeout": "30s", "executor": "mock"},
        "scoring": {"weights": {"completed": 1.0}, "threshold": 0.5},
        "graders": [{"type": "completed", "name": "x", "turn": 0}],
        "stimuli": [
            {
                "name": "a",
                "turns": ["one", {"prompt": "two"}],
                "rubric": ["kind"],
                "tags": {"a": ["b"]},
                "constraints": {"max_turns": 3, "max_duration": "1m", "expect_tools": ["bash"]},
                "environment": {
                    "skills": ["skills/a"],
                    "files": [{"src": "a.txt", "dest": "."}],
                    "commands": ["true"],
                    "env": {"A": "b"},
                    "mcpServers": {"m": {"type": "stdio", "command": "x", "timeout": "5s"}},
                },
                "artifacts": {"include": ["*"]},
                "golden_patch": {"inline": "x"},
                "graders": [
                    {"type": "output-contains", "config": {"substring": "a"}},
                    {"type": "wall-time", "config": {"max": "5s"}},
                    {"type": "tool-calls", "config": {"required": ["bash", {"name": "x", "min_count": 2}]}},
                ],
            }
        ],
    },
    ".vally.yaml": {
        "paths": {"evals": "evals", "skills": ["a"]},
        "suites": {"ci": {"filter": {"a": "b"}, "evals": ["**"]}},
        "environments": {"app": {"env": {"A": "b"}}},
    },
    "a.txt": "text",
}
CHANGES = [(name, place) for name, data in WHOLE.items() if name != "a.txt" for place in _places(data)]


@pytest.mark.parametrize("value", first_quick(ODD, 2), ids=repr)
async def test_one_odd_value_never_gives_a_traceback(tmp_path: Path, value: object) -> None:
    problems: list[str] = []
    # Each value in every other place.
    for number, (name, place) in enumerate(CHANGES[ODD.index(value) % 2 :: 2]):
        folder = tmp_path / str(number)
        data = {**WHOLE, name: _changed(WHOLE[name], place, value)}
        path = write(folder, {file: json.dumps(it) for file, it in data.items()})
        try:
            suite = load_suite(path, process_dir=folder, dialect_name="vally")
            plan = make_plan(suite, Overrides(executor="mock", trials=1))
        except (LoadError, PlanError) as error:
            problems.append(str(error))
            continue
        if number % 5:
            continue
        record = await run_suite(
            Bench(plan, MockExecutor(ExecutorOptions(folder)), folder),
            RunOutputs(lambda _: None, folder),
            "r",
        )
        assert record.status in {"passed", "failed"}, (place, value, record.error)
        assert list(results_lines(record))
    assert [it for it in problems if len(it.splitlines()) != 1] == []
