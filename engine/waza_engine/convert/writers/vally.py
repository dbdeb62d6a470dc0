"""Write the suite between the dialects as a vally spec with a stimulus per task (docs/reference/vally.md, section 14)."""

import os
from collections.abc import Iterable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any

from waza_engine.convert.keys import DEFAULT_EXECUTOR, EXECUTORS
from waza_engine.convert.readers.vally import SKILL, TAGS, TRIGGER
from waza_engine.convert.suite import PortableFile, PortableSuite, PortableTask, Trigger


def top_data(suite: PortableSuite) -> dict[str, Any]:
    """Return the keys of the spec above its stimuli, without `scoring`."""
    environment: dict[str, Any] = {}
    if suite.skills:
        environment["skills"] = list(suite.skills)
    if suite.servers:
        environment["mcpServers"] = {name: _server(it) for name, it in suite.servers.items()}
    defaults: dict[str, Any] = {
        "runs": suite.trials,
        "timeout": _duration(suite.timeout),
        "model": suite.model,
        "judge_model": suite.judge_model,
        "reasoning_effort": suite.reasoning_effort,
        "judge_reasoning_effort": suite.judge_reasoning_effort,
        "executor": executor_of(suite),
    }
    data = {
        "name": suite.name,
        "description": suite.description,
        "tags": {SKILL: suite.skill} if suite.skill else {},
        "environment": environment,
        "defaults": {key: it for key, it in defaults.items() if it not in {None, ""}},
    }
    return {key: it for key, it in data.items() if it}


def task_data(
    task: PortableTask, suite: PortableSuite, files: Iterable[PortableFile], folder: Path
) -> dict[str, Any]:
    """Return the stimulus of a task, without graders. The paths of `files` and skills start at `folder`."""
    data: dict[str, Any] = {"name": task.id}
    if task.follow_ups:
        data["turns"] = [task.prompt, *task.follow_ups]
    else:
        data["prompt"] = task.prompt
    if tags := _tags(task):
        data["tags"] = tags
    environment: dict[str, Any] = {}
    if task.skills is not None:
        environment["skills"] = [it for it in task.skills if it not in suite.skills] or list(task.skills)
    if staged := [{"src": _relative(it.source, folder), "dest": it.target} for it in files if it.source]:
        environment["files"] = staged
    if environment:
        data["environment"] = environment
    return data


def trigger_stimulus(task: PortableTask) -> dict[str, Any]:
    """Return the stimulus that stands in for a prompt of waza's trigger tests."""
    trigger = task.trigger or Trigger("", should_trigger=True)
    option = "required" if trigger.should_trigger else "disallowed"
    return {
        "name": task.id,
        "prompt": task.prompt,
        "tags": {TRIGGER: trigger.confidence},
        "graders": [{"type": "skill-invocation", "config": {option: [trigger.skill]}}],
    }


def executor_of(suite: PortableSuite) -> str:
    """Return the executor, if both dialects have it."""
    return suite.executor if suite.executor in EXECUTORS or not suite.executor else DEFAULT_EXECUTOR


def shares_of(weighted: Iterable[tuple[str, float]]) -> dict[str, float] | None:
    """Return the weights by grader type, which add up to 1: empty if all are 1, None if graders of a type differ."""
    weights: dict[str, set[float]] = {}
    for kind, weight in weighted:
        weights.setdefault(kind, set()).add(weight)
    if all(it == {1.0} for it in weights.values()):
        return {}
    if any(len(it) > 1 for it in weights.values()):
        return None
    single = {name: next(iter(it)) for name, it in weights.items()}
    total = sum(single.values())
    if abs(total - 1) < 1e-9:
        return single
    shares = {name: round(it / total, 4) for name, it in single.items()}
    last = next(reversed(shares))
    shares[last] = round(1 - sum(it for name, it in shares.items() if name != last), 4)
    return shares


def file_name(path: Path) -> str:
    """Return the name of the spec, in the form that vally finds."""
    return "eval.yaml" if path.stem == "eval" else f"{path.name.partition('.')[0]}.eval.yaml"


def inline_file(task: PortableTask, file: PortableFile) -> PurePosixPath:
    """Return where the content of a file goes that a task holds itself."""
    return PurePosixPath("fixtures", task.id, file.target)


def _tags(task: PortableTask) -> dict[str, Any]:
    tags: dict[str, Any] = {}
    for key, value in task.tags:
        if not key:
            tags.setdefault(TAGS, []).append(value)
        elif key not in tags:
            tags[key] = value
        else:
            tags[key] = [*(tags[key] if isinstance(tags[key], list) else [tags[key]]), value]
    return tags


def _duration(milliseconds: int | None) -> str | None:
    if milliseconds is None:
        return None
    return f"{milliseconds // 1000}s" if milliseconds % 1000 == 0 else f"{milliseconds}ms"


def _relative(path: Path | None, folder: Path) -> str:
    return Path(os.path.relpath(path or folder, folder)).as_posix()


def _server(server: Any) -> dict[str, Any]:
    """Convert a server of a waza eval, typed or raw, for `environment.mcpServers`."""
    options = server if isinstance(server, Mapping) else server.model_dump(exclude_defaults=True)
    converted = {
        key: value
        for key, value in options.items()
        if value not in (None, [], {}, "") and key not in {"tools", "timeout"}
    }
    if options.get("type") in {"local", None, ""}:
        converted["type"] = "stdio"
    if milliseconds := options.get("timeout"):
        converted["timeout"] = f"{milliseconds}ms"
    return converted
