"""Recordings with what vally added from 0.8 to 0.19: read, graded, stored as ours and written again.

See docs/reference/vally-newest.md, sections 3 and 5.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from waza_engine.dialects.vally.read_results import read_run
from waza_engine.dialects.vally.trajectory.events import events_of
from waza_engine.dialects.vally.trajectory.read import trajectory_of
from waza_engine.dialects.vally.trajectory.write import context_of, vally_trajectory
from waza_engine.graders.base import GraderResult, GradingContext
from waza_engine.graders.result import GraderVerdict
from waza_engine.grading.batch_input import grading_context
from waza_engine.grading.grade import grade_entry
from waza_engine.model.results.records import TrialRecord
from waza_engine.model.trajectory import Trajectory
from waza_engine.runs.recordings.find import Recording, recordings_of
from waza_engine.runs.recordings.regrade import (
    bench_for,
    grade_recording,
    grade_single_entry,
    plan_for_grading,
    replayed_trial,
)

EVENTS: list[dict[str, Any]] = [
    {"type": "user_message", "data": {"content": "Where is order 4711?"}},
    {
        "type": "tool_call",
        "data": {"toolName": "get_order", "toolCallId": "1", "arguments": "4711", "turnId": "t"},
    },
    {"type": "tool_call", "data": {"toolName": "view", "toolCallId": "2", "arguments": [1], "turnId": "t"}},
    {
        "type": "tool_result",
        "data": {"toolName": "get_order", "toolCallId": "1", "success": True, "result": "order 4711"},
    },
    {"type": "tool_result", "data": {"toolName": "view", "toolCallId": "2", "success": True, "result": None}},
    {"type": "system", "data": {"eventType": "compaction", "reason": "full"}},
    {"type": "assistant_message", "data": {"content": "It is 4711"}},
]
RECORDED: dict[str, Any] = {
    "output": "It is 4711",
    "events": EVENTS,
    "metrics": {},
    "artifactDir": "out/artifacts",
    "diff": "+a",
    "metadata": {"startedAt": "2026-10-13T10:00:00Z", "completedAt": "2026-10-13T10:00:02Z"},
}
ENTRIES = [
    ("system-event", {"required": ["compaction"]}, True),
    ("assistant-contains-tool-output", {"tools": ["get_order"], "pattern": "order (\\d+)"}, True),
    ("max-repeat", {"max": 1, "match": "name-args"}, True),
    ("loop-outcome", {"max_acceptable_retries": 0}, True),
    ("loop-outcome", {"max_acceptable_retries": 0, "should_loop": True}, False),
    ("tool-calls", {"parallel": ["get_order", "view"]}, True),
    ("tool-calls", {"required": [{"name": "get_order", "args": {"id": "."}}]}, False),
    ("step-count", {"max": 2}, True),
    ("transcript-matches", {"pattern": "4711$"}, True),
    ("transcript-not-contains", {"substring": "4711"}, False),
    ("diff-contains", {"value": "+a"}, True),
    ("wall-time", {"max": "2s"}, True),
]
SPEC = """\
name: orders
stimuli:
  - name: a
    prompt: Where is order 4711?
    graders:
      - {type: custom-metrics, config: {assertions: [{metric: failed, equals: 0}]}}
      - {type: system-event, config: {required: [compaction]}}
      - {type: max-repeat, config: {max: 1, match: name}}
      - {type: token-budget, config: {max: 10}}
scoring: {threshold: 1}
"""


def _verdict(entry: dict[str, Any], context: GradingContext) -> GraderResult:
    graded = grade_entry(entry, context, "VALLY")
    assert isinstance(graded, GraderVerdict), graded
    return graded.result


@pytest.mark.parametrize(("type_name", "config", "passed"), ENTRIES)
@pytest.mark.parametrize("stored", [False, True])
def test_a_recording_of_vally_is_graded_alike_before_and_after_it_is_stored(
    type_name: str, config: dict[str, Any], passed: bool, stored: bool
) -> None:
    trajectory = Trajectory.model_validate_json(trajectory_of(RECORDED, "a").model_dump_json())
    direct = grading_context(
        {"trajectory": {**RECORDED, "metrics": {"wallTimeMs": 2000}}},
        workspace_dir=None,
        process_dir=Path(),
        meaning="VALLY",
    )
    result = _verdict({"type": type_name, "config": config}, context_of(trajectory) if stored else direct)
    assert (result.passed, result.status) == (passed, "")


def test_events_survive_reading_and_writing() -> None:
    trial = TrialRecord("a", 0, 1, "passed", 1.0, 1.0, trajectory_of(RECORDED, "a"))
    written = vally_trajectory(trial, "replay")
    assert [it["type"] for it in written["events"]][:-1] == [it["type"] for it in EVENTS]
    assert [it["data"] for it in written["events"] if it["type"] in {"system", "tool_call"}] == [
        it["data"] for it in EVENTS if it["type"] in {"system", "tool_call"}
    ]
    assert written["artifactDir"] == "out/artifacts"
    assert written["metrics"]["wallTimeMs"] == 2000
    assert "tokenUsage" not in written["metrics"]


@pytest.mark.parametrize("arguments", ["text", 7, None, True, ["a"], {"command": "ls"}])
def test_arguments_may_be_any_value(arguments: Any) -> None:
    call = {"type": "tool_call", "data": {"toolName": "bash", "toolCallId": "1", "arguments": arguments}}
    result = {"type": "tool_result", "data": {"toolCallId": "1", "result": arguments}}
    context = GradingContext(events=[call, result])
    assert _verdict({"type": "tool-calls", "config": {"required": ["bash"]}}, context).passed
    by_command = {"type": "tool-calls", "config": {"required": [{"name": "bash", "command": "ls"}]}}
    assert _verdict(by_command, context).passed is isinstance(arguments, dict)
    stored = context_of(trajectory_of({"events": [call, result]}, "a"))
    assert events_of(stored)[0]["data"]["arguments"] == arguments


def test_a_result_keeps_its_type_and_an_error_is_no_failure() -> None:
    details = [
        {"name": "calls of bash", "graderType": "tool-call-count", "passed": True, "score": 1},
        {"name": "judge", "graderType": "prompt", "passed": False, "score": 0, "status": "error"},
    ]
    line = {
        "runId": "r",
        "type": "trial-result",
        "stimulus": "a",
        "trajectory": RECORDED,
        "gradeResult": {"passed": False, "score": 0.5, "details": details},
    }
    [trial] = read_run([line]).trials["a"]
    assert [(it.name, it.type, it.status) for it in trial.graders] == [
        ("calls of bash", "tool-call-count", "passed"),
        ("judge", "prompt", "error"),
    ]


@pytest.mark.parametrize(
    ("folder", "passed"), [("artifacts", True), ("../elsewhere", False), ("", False), ("missing", False)]
)
def test_the_metrics_file_of_the_artifact_directory_comes_first(
    tmp_path: Path, folder: str, passed: bool
) -> None:
    start, workspace = tmp_path / "start", tmp_path / "ws"
    for place, failed in (("start/artifacts", 0), ("elsewhere", 0), ("ws", 1)):
        (tmp_path / place).mkdir(parents=True, exist_ok=True)
        (tmp_path / place / "custom_metrics.json").write_text(json.dumps({"failed": failed}))
    context = grading_context(
        {"trajectory": {"artifactDir": folder}}, workspace_dir=workspace, process_dir=start, meaning="VALLY"
    )
    entry = {"type": "custom-metrics", "config": {"assertions": [{"metric": "failed", "equals": 0}]}}
    assert _verdict(entry, context).passed is passed
    given = grading_context(
        {}, workspace_dir=workspace, process_dir=start, meaning="VALLY", artifact_dir=tmp_path / "elsewhere"
    )
    assert _verdict(entry, given).passed


def test_a_metrics_file_outside_by_a_link_is_not_read(tmp_path: Path) -> None:
    (tmp_path / "ws").mkdir()
    (tmp_path / "secret.json").write_text('{"failed": 0}')
    (tmp_path / "ws" / "custom_metrics.json").symlink_to(tmp_path / "secret.json")
    entry = {"type": "custom-metrics", "config": {"assertions": [{"metric": "failed", "equals": 0}]}}
    result = _verdict(entry, GradingContext(workspace_dir=tmp_path / "ws"))
    assert result.status == "error"


def _recorded_suite(folder: Path) -> Path:
    (folder / "recordings").mkdir()
    trajectory = trajectory_of(RECORDED, "a").model_copy(
        update={"files": {"custom_metrics.json": '{"failed": 0}'}}
    )
    (folder / "recordings" / "a.json").write_text(trajectory.model_dump_json())
    path = folder / "eval.yaml"
    path.write_text(SPEC)
    return path


def test_a_recording_beside_the_spec_is_graded(tmp_path: Path) -> None:
    path = _recorded_suite(tmp_path)
    [recording] = recordings_of(path, "a", tmp_path / "store")
    record = grade_recording(path, recording, process_dir=tmp_path, environment={})
    assert {it.name: it.status for it in record.graders} == {
        "custom-metrics": "passed",
        "system-event": "passed",
        "max-repeat": "passed",
        "token-budget": "error",
    }
    assert [it.feedback for it in record.graders if it.status == "error"] == [
        "Cannot tell: the recording has no number of tokens"
    ]


def test_one_entry_is_graded_as_in_live_grading(tmp_path: Path) -> None:
    path = _recorded_suite(tmp_path)
    plan = plan_for_grading(path, tmp_path)
    [recording] = recordings_of(path, "a", tmp_path / "store")
    bench = bench_for(plan, recording, tmp_path)
    with replayed_trial(plan.tasks[0], recording) as trial:
        found = [grade_single_entry(bench, trial, it, "task") for it in plan.tasks[0].graders]
    assert [it.status for it in found] == ["passed", "passed", "passed", "error"]
    assert isinstance(recording, Recording)


def test_events_keep_their_times_unless_all_are_the_same() -> None:
    times = ["2026-10-13T10:00:00.250Z", "2026-10-13T10:00:01Z", None, "no time"]

    def read(stamps: list[str | None]) -> list[object]:
        events = [{**it, "timestamp": at} for it, at in zip(EVENTS, stamps, strict=False)]
        return [it.get("at_ms") for it in trajectory_of({"events": events}, "a").transcript]

    assert read(times) == [0, 750, None, None]
    assert read([times[0]] * 4) == [None] * 4
    assert read([times[0], "", None, None]) == [None] * 4
