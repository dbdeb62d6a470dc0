"""Where the skills of a suite are: their SKILL.md files and custom agents (waza-formats.md, sections 2 and 8).

Wider than what a run takes: somebody who reads a name wants to see what it means, whichever way the agent gets it.
"""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from waza_engine.checking.files import Files
from waza_engine.checking.suite_files import SuiteFiles
from waza_engine.scalars import Scalar
from waza_engine.yaml_reader import YamlError, read_yaml

SKILL = "skill"
"""What the schemas call the name of a skill (`x-reference`)."""
FOR_THE_AGENT = ("environment", "agent_environment")
"""The keys of vally's files for what an agent finds."""
_NAME = "SKILL.md"
_AGENT = ".agent.md"
_LEVELS = 10
_USUAL = ("skills", ".github/skills", "agents", ".github/agents")
_FENCE = "---"


class Skill(NamedTuple):
    """A skill or custom agent. Without a name in its front matter it is called after its folder (or file)."""

    path: Path
    name: str
    description: str


def skills(suite: SuiteFiles, files: Files) -> Iterator[Skill]:
    """The skills around a suite, those that it names itself first; each file once."""
    seen: set[Path] = set()
    for path in _paths(suite, files):
        if path not in seen:
            seen.add(path)
            yield skill_at(path, files)


def skill_at(path: Path, files: Files) -> Skill:
    """The skill that a file describes."""
    front = files.made(path, front_matter) or {}
    usual = path.name.removesuffix(_AGENT) if path.name.endswith(_AGENT) else path.parent.name
    return Skill(path, _text(front.get("name")) or usual, _text(front.get("description")))


def is_skill_file(path: Path) -> bool:
    """Whether a file of this name describes a skill or a custom agent."""
    return _is_skill_name(path.name)


def _is_skill_name(name: str) -> bool:
    return name == _NAME or name.endswith(_AGENT)


def front_matter(text: str) -> dict[str, Any]:
    """What stands between the fences at the top of a Markdown file, as read; empty when that cannot be read."""
    lines = front_lines(text)
    try:
        data = read_yaml("".join(lines)) if lines else None
    except YamlError:
        return {}
    return data if isinstance(data, dict) else {}


def front_lines(text: str) -> list[str]:
    """The lines between the fences at the top, with their ends; the first one is line 1 of the file."""
    lines = text.splitlines(keepends=True)
    if not lines or not lines[0].startswith(_FENCE):
        return []
    end = next((i for i, it in enumerate(lines) if i and it.startswith(_FENCE)), 0)
    return lines[1:end]


def _paths(suite: SuiteFiles, files: Files) -> Iterator[Path]:
    for it in _listed(suite):
        path = Path(os.path.normpath(suite.folder / it))
        folder = path.parent if is_skill_file(path) else path
        yield from _in_folder(folder, files)
        yield from _below(folder, files)
    usual = [*_texts(suite.setting("project:paths.skills")), *_USUAL]
    for above in (suite.folder, *suite.folder.parents)[:_LEVELS]:
        yield from _in_folder(above, files)
        for it in usual:
            yield from _in_folder(above / it, files)
            yield from _below(above / it, files)
        if files.exists(above / ".git"):
            return


def _listed(suite: SuiteFiles) -> Iterator[str]:
    """What the eval itself lists: directories, or SKILL.md files, in its settings or in its environments."""
    yield from _texts(suite.config.get("skill_directories"))
    stimuli = suite.eval.get("stimuli")
    for it in (suite.eval, *(stimuli if isinstance(stimuli, list) else ())):
        for key in FOR_THE_AGENT if isinstance(it, Mapping) else ():
            if isinstance(environment := it.get(key), Mapping):
                yield from _texts(environment.get("skills"))


def _texts(value: Any) -> Iterator[str]:
    """The texts of a list, or the one text."""
    yield from (it for it in (value if isinstance(value, list) else [value]) if isinstance(it, str) and it)


def _in_folder(folder: Path, files: Files) -> Iterator[Path]:
    return (folder / it for it in files.names(folder) if _is_skill_name(it))


def _below(folder: Path, files: Files) -> Iterator[Path]:
    """The skills whose folders stand in a folder."""
    return (folder / it / _NAME for it in files.names(folder) if files.is_file(folder / it / _NAME))


def _text(value: Any) -> str:
    # A plain scalar that is no text for YAML (`name: 365`) is one here.
    text = value.source if isinstance(value, Scalar) and value.value is not None else value
    return text.strip() if isinstance(text, str) else ""
