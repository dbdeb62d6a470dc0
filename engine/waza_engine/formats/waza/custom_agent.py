"""The custom agent under test: its `<name>.agent.md`, and the tools that it may use.

See docs/reference/waza-formats.md, section 8, v0.31.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from waza_engine.file_names import AGENT_SUFFIX, SKILL_FILE, WAZA_PROJECT
from waza_engine.front_matter import parted
from waza_engine.scalars import plain
from waza_engine.suite import CustomAgent, GraderEntry, Task
from waza_engine.yaml_reader import YamlError, read_yaml

_USUAL = ("agents", ".github/agents", ".")
_LEVELS = 10
_CONSTRAINT = "tool_constraint"
_IMPLICIT = "agent_tools_implicit"
"""The name of the grader that waza adds (docs/reference/waza-graders.md, section 2.7)."""


def custom_agent(name: str, eval_dir: Path, skill_directories: Iterable[Path]) -> CustomAgent | None:
    """The custom agent of that name; None when there is none, or a SKILL.md stands beside its file, which wins."""
    if not name or "/" in name or "\\" in name:
        return None
    for folder in _folders(eval_dir, skill_directories):
        path = folder / f"{name}{AGENT_SUFFIX}"
        if path.is_file():
            return None if (folder / SKILL_FILE).is_file() else _read(path, name)
    return None


def held_to_its_tools(
    tasks: Sequence[Task], agent: CustomAgent | None, eval_graders: Iterable[GraderEntry]
) -> list[Task]:
    """The tasks, with a grader for the agent's tools, unless a grader of the eval or the task speaks of tools itself."""
    if agent is None or agent.tools is None or _is_constrained(eval_graders):
        return list(tasks)
    config = {"allow_only": [{"tool": it} for it in agent.tools]}
    implicit = GraderEntry(_CONSTRAINT, _IMPLICIT, config=config, path=agent.path)
    return [
        it if _is_constrained(it.graders) else replace(it, graders=(*it.graders, implicit)) for it in tasks
    ]


def _is_constrained(entries: Iterable[GraderEntry]) -> bool:
    return any(it.type == _CONSTRAINT for it in entries)


def _folders(eval_dir: Path, skill_directories: Iterable[Path]) -> Iterator[Path]:
    for it in skill_directories:
        yield it
        yield from _below(it)
    for above in (eval_dir, *eval_dir.parents)[:_LEVELS]:
        yield from (above / it for it in _USUAL)
        if (above / ".git").exists() or (above / WAZA_PROJECT).exists():
            return


def _below(folder: Path) -> list[Path]:
    try:
        return sorted(it for it in folder.iterdir() if it.is_dir())
    except OSError:
        return []


def _read(path: Path, name: str) -> CustomAgent | None:
    try:
        parts = parted(path.read_text(encoding="utf-8-sig"))
        if parts is None:
            return None
        front = plain(read_yaml(parts.front)) if parts.front else {}
    except (OSError, UnicodeDecodeError, YamlError):
        return None
    front = front if isinstance(front, dict) else {}
    return CustomAgent(path, str(front.get("name") or name), parts.body.strip(), _tools(front.get("tools")))


def _tools(value: Any) -> tuple[str, ...] | None:
    return tuple(str(it) for it in value) if isinstance(value, list) else None
