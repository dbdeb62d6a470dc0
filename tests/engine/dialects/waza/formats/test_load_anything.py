"""Whatever stands in the files: a suite, or one error in one line."""

import json
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.engine.dialects.waza.suite_files import EVAL, TASK, write
from tests.slow import examples
from waza_engine.lib.yaml.reader import read_yaml
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.suite import LoadError
from waza_engine.project.load_suite import load_suite

WHOLE: dict[str, Any] = {
    "eval.yaml": {
        **plain(read_yaml(EVAL)),
        "graders": [{"type": "text", "name": "a", "weight": 1, "config": {"contains": ["x"]}}],
        "metrics": [{"name": "trigger_accuracy", "weight": 1, "threshold": 0.5}],
        "hooks": {"before_run": [{"command": "x", "exit_codes": [0]}]},
        "tasks_from": "",
        "range": [1, 2],
        "mcp_mocks": [{"name": "m", "tools": {"t": {"responses": [{"return": 1}]}}}],
    },
    "tasks/a.yaml": {
        **plain(read_yaml(TASK)),
        "inputs": {"prompt": "p", "files": [{"path": "f"}], "context": {"fixture": "f"}},
        "expected": {"output_contains": ["a"], "graders": [{"type": "text", "name": "b"}]},
        "command_mocks": [{"name": "c", "responses": [{"args": ["a"], "stdout": "x"}]}],
    },
    "trigger_tests.yaml": {"skill": "s", "should_trigger_prompts": [{"prompt": "p"}]},
}
ODD: list[Any] = [
    None,
    "",
    0,
    -1,
    1.5,
    "x",
    True,
    [],
    {},
    [None],
    [[]],
    {"a": 1},
    "\0",
    "../..",
    "/",
    ".",
    "[",
    10**30,
    "{{",
    [{}],
]


def _places(data: Any, above: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    members = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    return [above, *(place for key, it in members for place in _places(it, (*above, key)))]


def _changed(data: Any, place: tuple[Any, ...], value: Any) -> Any:
    if not place:
        return value
    copy = dict(data) if isinstance(data, dict) else list(data)
    copy[place[0]] = _changed(copy[place[0]], place[1:], value)
    return copy


CHANGES = [(name, place) for name, data in WHOLE.items() for place in _places(data)]


@settings(
    max_examples=examples(150), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
@given(change=st.sampled_from(CHANGES), value=st.sampled_from(ODD))
def test_one_odd_value_never_gives_a_traceback(
    tmp_path: Path, change: tuple[str, tuple[Any, ...]], value: object
) -> None:
    name, place = change
    data = {**WHOLE, name: _changed(WHOLE[name], place, value)}
    write(tmp_path, {file: json.dumps(it) for file, it in data.items()})
    problem = "loaded"
    try:
        load_suite(tmp_path / "eval.yaml", process_dir=tmp_path)
    except LoadError as error:
        problem = error.message
    assert len(problem.splitlines()) == 1
