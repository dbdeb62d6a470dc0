"""The parts of a file that the other dialect has no words for: pure functions of the raw data of the file.

Parts that the other dialect has no words for, carried through it in comments and taken out again on the way back.
"""

import io
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ruamel.yaml import YAML

from waza_engine.lib.yaml.reader import YamlError, read_yaml
from waza_engine.lib.yaml.scalars import plain

TAGS, SKILL, TRIGGER = "tags", "skill", "trigger-test"
"""The tags of a stimulus that hold what waza has keys for."""

_EVAL_SAID = {"name", "description", "skill", "config", "tasks", "tasks_from", "range", "graders", "inputs"}
_CONFIG_SAID = {
    *("trials_per_task", "timeout_seconds", "executor", "model", "judge_model", "judge_reasoning_effort"),
    *("skill_directories", "mcp_servers", "parallel", "workers"),
}
_TASK_SAID = {"id", "graders", "inputs", "tags", "enabled"}
_INPUTS_SAID = {"prompt", "prompt_file", "files", "follow_up_prompts", "environment"}

_SPEC_SAID = {
    *("name", "description", "tags", "environment", "defaults", "config", "stimuli", "graders", "scoring"),
}
_STIMULUS_SAID = {"name", "prompt", "turns", "tags", "environment", "graders", "constraints"}
_ENVIRONMENT_SAID = {"skills", "files", "env", "mcpServers"}


def left_of_eval(data: Mapping[str, Any]) -> dict[str, Any]:
    """What vally has nothing for in a waza eval."""
    return _rest_of(data, _EVAL_SAID) | _rest_in(data, "config", _CONFIG_SAID)


def left_of_task(data: Mapping[str, Any]) -> dict[str, Any]:
    """What vally has nothing for in a task of waza: its stimuli have one name, and that is the id here."""
    return _rest_of(data, _TASK_SAID) | _rest_in(data, "inputs", _INPUTS_SAID)


def left_of_spec(data: Mapping[str, Any], commands: Sequence[str] = ()) -> dict[str, Any]:
    """What waza has nothing for in a vally spec; `commands` are those of an environment that it only names."""
    parts = _rest_of(data, _SPEC_SAID) | _rest_in(data, "environment", _ENVIRONMENT_SAID)
    if commands:
        parts["environment"] = {"commands": list(commands)}
    parts |= _rest_in(data, "tags", {SKILL})
    scoring = data.get("scoring")
    return parts | ({"scoring": plain(scoring)} if isinstance(scoring, Mapping) and scoring else {})


def left_of_stimulus(data: Mapping[str, Any]) -> dict[str, Any]:
    """What waza has nothing for in a stimulus."""
    parts = _rest_of(data, _STIMULUS_SAID) | _rest_in(data, "environment", _ENVIRONMENT_SAID)
    return parts | _rest_in(data, "tags", {TAGS})


def _rest_of(data: Mapping[str, Any], said: set[str]) -> dict[str, Any]:
    """The keys of a mapping that nothing was made of, as plain data; empty values are left out."""
    return {
        key: plain(it) for key, it in data.items() if key not in said and plain(it) not in (None, [], {}, "")
    }


def _rest_in(data: Mapping[str, Any], key: str, said: set[str]) -> dict[str, Any]:
    """The same for the mapping under a key, if there is one with a rest."""
    inner = data.get(key)
    left = _rest_of(inner, said) if isinstance(inner, Mapping) else {}
    return {key: left} if left else {}


def as_comment(parts: Mapping[str, Any], dialect: str) -> list[str]:
    """The parts as comment lines without their `#`; none when there are no parts."""
    if not parts:
        return []
    stream = io.StringIO()
    writer = YAML()
    writer.width = 4096
    writer.indent(mapping=2, sequence=4, offset=2)
    writer.dump(dict(parts), stream)
    lines = stream.getvalue().splitlines()
    return [_title(dialect), *(f" | {it}" for it in lines)]


def from_comment(lines: Iterable[str], dialect: str) -> tuple[dict[str, Any], list[str]]:
    """What `as_comment` has put into these lines, and the lines that are somebody's own."""
    own: list[str] = []
    kept: list[str] = []
    title = _title(dialect)
    for it in lines:
        bare = it.removeprefix(" ")
        if bare.startswith("|"):
            kept.append(bare.removeprefix("|").removeprefix(" "))
        elif it.strip() != title.strip():
            own.append(it)
    try:
        found = read_yaml("\n".join(kept)) if kept else {}
    except YamlError:
        return {}, list(lines)
    return (found, own) if isinstance(found, dict) else ({}, list(lines))


def _title(dialect: str) -> str:
    return f" kept from {dialect}, which has more words for it:"
