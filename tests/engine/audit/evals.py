"""A small eval with recordings, to audit."""

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import yaml

from waza_engine.audit.run import AuditOptions, audit_suite
from waza_engine.audit.score import TaskAudit
from waza_engine.project.load_suite import load_suite
from waza_engine.runs.planning.plan import Overrides, Plan, make_plan
from waza_engine.runs.recordings.find import Recording, UnreadableRecording, recordings_of

SETTINGS = {"trials_per_task": 1, "timeout_seconds": 60, "executor": "mock", "model": "gpt-4o"}


def text_grader(name: str = "words", **config: Any) -> dict[str, Any]:
    return {"type": "text", "name": name, "config": config}


def recording(
    task: str, output: str, tools: Sequence[tuple[str, Mapping[str, Any]]] = (), **more: Any
) -> dict[str, Any]:
    """Return the JSON of a recorded trial with these tool calls."""
    calls = [
        {"id": f"c{number}", "name": name, "arguments": dict(arguments), "success": True}
        for number, (name, arguments) in enumerate(tools)
    ]
    events = [
        {
            "turn": 1,
            "sequence": number + 1,
            "tool_call_id": f"c{number}",
            "tool_name": name,
            "args": dict(arguments),
            "success": True,
        }
        for number, (name, arguments) in enumerate(tools)
    ]
    session = {
        "tool_call_count": len(tools),
        "tools_used": [name for name, _ in tools],
        "tool_calls": calls,
        "usage": {"turns": 1},
    }
    return {
        "version": 1,
        "task": task,
        "output": output,
        "session": session,
        "session_id": f"{task}-trial",
        "transcript": [{"type": "assistant.message", "content": output}],
        "tool_events": events,
        **more,
    }


def write_eval(
    folder: Path,
    tasks: Sequence[Mapping[str, Any]],
    graders: Sequence[Mapping[str, Any]] = (),
    recordings: Sequence[Mapping[str, Any]] = (),
) -> Path:
    """Write an eval with its tasks and recordings, and return its path. Each task has an `id`."""
    (folder / "tasks").mkdir(parents=True)
    for it in tasks:
        task = {"name": it["id"], "inputs": {"prompt": f"Do {it['id']}"}, **it}
        (folder / "tasks" / f"{it['id']}.yaml").write_text(yaml.safe_dump(task))
    (folder / "recordings").mkdir()
    for it in recordings:
        (folder / "recordings" / f"{it['task']}.json").write_text(json.dumps(it))
    path = folder / "eval.yaml"
    made = {
        "name": "e",
        "skill": "s",
        "config": SETTINGS,
        "tasks": ["tasks/*.yaml"],
        "graders": list(graders),
    }
    path.write_text(yaml.safe_dump(made))
    return path


def plan_of(path: Path) -> Plan:
    return make_plan(load_suite(path, process_dir=path.parent), Overrides())


def recorded(
    plan: Plan, unreadable: Mapping[str, list[UnreadableRecording]] | None = None
) -> dict[str, list[Recording]]:
    path, store, skipped = plan.suite.path, plan.suite.path.parent / ".no-store", unreadable or {}
    return {it.id: recordings_of(path, it.id, store, 20, unreadable=skipped.get(it.id)) for it in plan.tasks}


def audited(path: Path, options: AuditOptions | None = None) -> dict[str, TaskAudit]:
    """Return the audits of an eval by task."""
    plan = plan_of(path)
    unreadable: dict[str, list[UnreadableRecording]] = {it.id: [] for it in plan.tasks}
    found = audit_suite(plan, recorded(plan, unreadable), path.parent, options or AuditOptions(), unreadable)
    return {it.task: it for it in found}
