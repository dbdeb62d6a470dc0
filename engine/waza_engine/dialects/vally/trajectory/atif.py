"""Validate trajectories in the ATIF format, the format of golden trajectories.

See docs/reference/vally.md, section 10.3.
"""

import json
import sys
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from waza_engine.lib.pointer import Pointer

_SOURCES = ("system", "user", "agent")
_PARTS = ("text", "image", "image_url")
_IMAGES = ("image/jpeg", "image/png", "image/gif", "image/webp")


class AtifProblem(NamedTuple):
    """An error, with its location in the trajectory."""

    pointer: Pointer
    message: str

    def __str__(self) -> str:
        path = "".join(f"[{it}]" if isinstance(it, int) else f".{it}" for it in self.pointer)
        return f"{path.removeprefix('.')}: {self.message}" if path else self.message


def atif_problem(data: Any) -> AtifProblem | None:
    """Return the first problem of a trajectory in plain JSON; None if it is valid."""
    return next(_problems(data, ()), None)


def _problems(data: Any, at: Pointer) -> Iterator[AtifProblem]:
    if not isinstance(data, Mapping):
        yield AtifProblem(at, "must be a mapping")
        return
    version = data.get("schema_version")
    if not (isinstance(version, str) and version.startswith("ATIF-")):
        yield AtifProblem((*at, "schema_version"), "must be a string that starts with 'ATIF-'")
    yield from _texts(data, at, "session_id")
    agent = data.get("agent")
    if isinstance(agent, Mapping):
        yield from _texts(agent, (*at, "agent"), "name", "version")
        yield from _texts(agent, (*at, "agent"), "model_name", required=False)
    else:
        yield AtifProblem((*at, "agent"), "must be a mapping with 'name' and 'version'")
    yield from _lists(data, at, "steps")
    yield from _lists(data, at, "subagent_trajectories", required=False)
    for place, step in _items(data, at, "steps"):
        yield from _step(step, place)
    yield from _metrics(data.get("final_metrics"), (*at, "final_metrics"))
    seen: set[str] = set()
    for place, nested in _items(data, at, "subagent_trajectories"):
        yield from _problems(nested, place)
        name = nested.get("trajectory_id") if isinstance(nested, Mapping) else None
        if not isinstance(name, str) or name in seen:
            yield AtifProblem(
                (*place, "trajectory_id"), "must be a string that is unique among the subagent trajectories"
            )
        seen.add(str(name))


def _step(step: Any, at: Pointer) -> Iterator[AtifProblem]:
    if not isinstance(step, Mapping):
        yield AtifProblem(at, "must be a mapping")
        return
    if not _is_number(step.get("step_id")):
        yield AtifProblem((*at, "step_id"), "must be a number")
    if step.get("source") not in _SOURCES:
        yield AtifProblem((*at, "source"), f"must be one of {', '.join(_SOURCES)}")
    yield from _message(step.get("message"), (*at, "message"))
    yield from _texts(step, at, "model_name", "reasoning_content", required=False)
    yield from _lists(step, at, "tool_calls", required=False)
    for place, call in _items(step, at, "tool_calls"):
        yield from _call(call, place)
    yield from _observation(step.get("observation"), (*at, "observation"))
    yield from _metrics(step.get("metrics"), (*at, "metrics"))


def _call(call: Any, at: Pointer) -> Iterator[AtifProblem]:
    if not isinstance(call, Mapping):
        yield AtifProblem(at, "must be a mapping")
        return
    yield from _texts(call, at, "tool_call_id", "function_name")
    if not isinstance(call.get("arguments"), Mapping):
        yield AtifProblem((*at, "arguments"), "must be a mapping")


def _observation(value: Any, at: Pointer) -> Iterator[AtifProblem]:
    if value is None:
        return
    if not isinstance(value, Mapping):
        yield AtifProblem(at, "must be a mapping with 'results'")
        return
    yield from _lists(value, at, "results")
    for place, it in _items(value, at, "results"):
        if not isinstance(it, Mapping):
            yield AtifProblem(place, "must be a mapping")


def _message(message: Any, at: Pointer) -> Iterator[AtifProblem]:
    if isinstance(message, str):
        return
    if not isinstance(message, list):
        yield AtifProblem(at, "must be a string or a list of parts")
        return
    for index, part in enumerate(message):
        kind = part.get("type") if isinstance(part, Mapping) else None
        if kind not in _PARTS:
            yield AtifProblem((*at, index, "type"), f"must be one of {', '.join(_PARTS)}")
            continue
        source = part.get("source")
        media = source.get("media_type") if isinstance(source, Mapping) else part.get("media_type")
        if media is not None and media not in _IMAGES:
            yield AtifProblem((*at, index), f"the media type of an image must be one of {', '.join(_IMAGES)}")


def _metrics(value: Any, at: Pointer) -> Iterator[AtifProblem]:
    if value is None:
        return
    if not isinstance(value, Mapping):
        yield AtifProblem(at, "must be a mapping")
        return
    for key, it in value.items():
        if it is None:
            continue
        if str(key).endswith("tokens") and not (_is_number(it) and it >= 0 and it == int(it)):
            yield AtifProblem((*at, key), "must be a non-negative whole number")
        if "cost" in str(key) and not _is_number(it):
            yield AtifProblem((*at, key), "must be a finite number")


def _texts(data: Mapping[str, Any], at: Pointer, *keys: str, required: bool = True) -> Iterator[AtifProblem]:
    for key in keys:
        if not isinstance(data.get(key), str) and (required or data.get(key) is not None):
            yield AtifProblem((*at, key), "must be a string")


def _lists(data: Mapping[str, Any], at: Pointer, *keys: str, required: bool = True) -> Iterator[AtifProblem]:
    for key in keys:
        if not isinstance(data.get(key), list) and (required or data.get(key) is not None):
            yield AtifProblem((*at, key), "must be a list")


def _items(data: Mapping[str, Any], at: Pointer, key: str) -> Iterator[tuple[Pointer, Any]]:
    items = data.get(key)
    yield from (((*at, key, index), it) for index, it in enumerate(items if isinstance(items, list) else ()))


def _is_number(value: Any) -> bool:
    # A larger number is infinite in JavaScript. `math.isfinite` raises OverflowError for such an int.
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and abs(value) <= sys.float_info.max


def text_problem(text: str) -> str:
    """Return why a text is not an ATIF trajectory in JSON, or ""."""
    try:
        data = json.loads(text)
    except (ValueError, RecursionError) as error:
        return f"not valid JSON: {error}"
    problem = atif_problem(data)
    return str(problem) if problem else ""
