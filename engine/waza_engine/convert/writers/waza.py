"""Write the suite between the dialects as a waza suite with a task file per task (docs/reference/vally.md, section 13)."""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from waza_engine.convert.keys import DEFAULT_EXECUTOR, EXECUTORS
from waza_engine.convert.suite import PortableFile, PortableSuite, PortableTask
from waza_engine.dialects.vally.fields import milliseconds
from waza_engine.dialects.waza.formats.settings import Settings

DEFAULT_MODEL = str((Settings.model_fields["model"].examples or [""])[0])
"""The model of a suite that names none: waza's executors choose one that changes over time."""
_DEFAULT_TIMEOUT = 120_000
"""vally's time limit if the spec has none; waza has no default."""


def top_data(suite: PortableSuite) -> dict[str, Any]:
    """Return the keys of the eval above its graders and tasks."""
    config: dict[str, Any] = {
        "trials_per_task": max(1, suite.trials or 1),
        "timeout_seconds": max(1, -(-(suite.timeout or _DEFAULT_TIMEOUT) // 1000)),
        "executor": suite.executor if suite.executor in EXECUTORS else DEFAULT_EXECUTOR,
        "model": suite.model or DEFAULT_MODEL,
        "judge_model": suite.judge_model,
        "reasoning_effort": suite.reasoning_effort,
        "judge_reasoning_effort": suite.judge_reasoning_effort,
        "skill_directories": list(suite.skills),
        "mcp_servers": {name: _server(it) for name, it in suite.servers.items()},
    }
    if suite.skill:
        # vally does not add the skill to the prompt.
        config["inject_skill_body"] = False
    data: dict[str, Any] = {
        "name": suite.name,
        "description": suite.description,
        "skill": suite.skill,
        "config": {key: it for key, it in config.items() if it is False or it},
    }
    return {key: it for key, it in data.items() if it}


def task_data(task: PortableTask, files: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return the task of a stimulus, without graders; `files` are the entries of its input files."""
    data: dict[str, Any] = {"id": task.id}
    if task.tags:
        data["tags"] = [f"{key}={value}" if key else value for key, value in task.tags]
    if task.skills is not None:
        data["skill_directories"] = list(task.skills)
    data["inputs"] = {"prompt": task.prompt}
    if task.follow_ups:
        data["inputs"]["follow_up_prompts"] = list(task.follow_ups)
    if entries := list(files):
        data["inputs"]["files"] = entries
    return data


def file_name(task_id: str, taken: set[str]) -> str:
    """Return a free name for the file of a task, without ending."""
    name = base = re.sub(r"[^\w.-]+", "-", task_id).strip("-.") or "task"
    number = 2
    while name.lower() in taken:
        name, number = f"{base}-{number}", number + 1
    taken.add(name.lower())
    return name


def file_entry(file: PortableFile, contents: dict[str, bytes]) -> dict[str, str]:
    """Return the entry of an input file. It joins the `contents` of `fixtures/`, unless another one has its name there."""
    there = contents.setdefault(file.target, file.content)
    if there == file.content:
        return {"path": file.target}
    return {"path": file.target, "content": file.content.decode("utf-8", "replace")}


def _server(server: Mapping[str, Any]) -> dict[str, Any]:
    """Convert a server of a vally spec, as plain data, for `config.mcp_servers`."""
    converted = {key: it for key, it in server.items() if key not in {"timeout", "type"}}
    if server.get("type") not in {None, "stdio"}:
        converted["type"] = server["type"]
    if timeout := server.get("timeout"):
        converted["timeout"] = milliseconds(str(timeout)) or 0
    return converted
