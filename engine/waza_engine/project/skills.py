"""Finds the skills around a suite (SKILL.md files and custom agents), and those that a run of an eval uses.

See docs/reference/waza-formats.md, sections 2, 8 and 13.2. `skills` finds more than a run uses: a hover should explain
a skill's name, however the agent gets that skill.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from waza_engine.lib.files.vfs import Files
from waza_engine.lib.paths import normal_path
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.queries.disk import note_read
from waza_engine.lib.queries.store import query
from waza_engine.lib.yaml.reader import front_matter, split_front_matter
from waza_engine.lib.yaml.scalars import Scalar
from waza_engine.model.file_names import AGENT_SUFFIX, SKILL_FILE
from waza_engine.project.document import Document
from waza_engine.project.suite_files import SuiteFiles

SKILL = "skill"
"""The value of `x-reference` in schemas for the name of a skill."""
FOR_THE_AGENT = ("environment", "agent_environment")
"""The keys in vally's files for the agent's environment."""
_LEVELS = 10
_MAX_FOLDERS = 2_000
_MOST_KEPT = 2_000
_FILE_NAME = re.compile(r"\w\.[A-Za-z0-9]{1,4}$")
_SKIPPED_FOLDERS = frozenset(
    [".git", "node_modules", ".venv", "venv", "__pycache__", "dist", "build", "target"]
)
_USUAL = ("skills", ".github/skills", "agents", ".github/agents")


class Skill(NamedTuple):
    """A skill or custom agent. Without a name in its front matter, its name is that of its folder (or file)."""

    path: Path
    name: str
    description: str


def skills(suite: SuiteFiles, files: Files) -> Iterator[Skill]:
    """Yield the skills around a suite, those that the eval names first; each file once."""
    seen: set[Path] = set()
    for path in _paths(suite, files):
        if path not in seen:
            seen.add(path)
            yield skill_at(path, files)


def workspace_skills(suite: SuiteFiles, files: Files) -> Iterator[Skill]:
    """Yield all skills of the workspace, at any depth, up to a limit of folders.

    The workspace is the repository or project around the suite; without one, the suite's folder and the one above.
    """
    above = [suite.folder, *suite.folder.parents][:_LEVELS]
    markers = [".git", *([suite.project_path.name] if suite.project_path is not None else [])]
    found = (it for marker in markers for it in above if files.exists(it / marker))
    yield from _skills_below(next(found, above[min(1, len(above) - 1)]), files)


def _skills_below(root: Path, files: Files) -> Iterator[Skill]:
    folders, read = [root], 0
    while folders and read < _MAX_FOLDERS:
        folder, read = folders.pop(0), read + 1
        for name in files.names(folder):
            if _is_skill_name(name):
                yield skill_at(folder / name, files)
            elif (
                name not in _SKIPPED_FOLDERS
                and not _FILE_NAME.search(name)
                and files.is_directory(folder / name)
            ):
                folders.append(folder / name)


def skill_at(path: Path, files: Files) -> Skill:
    """Return the skill that a file describes."""
    front = files.read_as(path, front_matter) or {}
    usual = path.name.removesuffix(AGENT_SUFFIX) if path.name.endswith(AGENT_SUFFIX) else path.parent.name
    return Skill(path, _text(front.get("name")) or usual, _text(front.get("description")))


def is_skill_file(path: Path) -> bool:
    """Whether a file of this name describes a skill or a custom agent."""
    return _is_skill_name(path.name)


def _is_skill_name(name: str) -> bool:
    return name == SKILL_FILE or name.endswith(AGENT_SUFFIX)


def front_lines(text: str) -> list[str]:
    """Return the lines of a file's front matter with line ends; the first one is line 1 of the file."""
    parts = split_front_matter(text)
    return parts.front.splitlines(keepends=True) if parts is not None else []


def _paths(suite: SuiteFiles, files: Files) -> Iterator[Path]:
    for it in _listed_paths(suite):
        path = normal_path(suite.folder / it)
        folder = path.parent if is_skill_file(path) else path
        yield from _in_folder(folder, files)
        yield from _below(folder, files)
    usual = *_texts(suite.setting("project:paths.skills")), *_USUAL
    for above in (suite.folder, *suite.folder.parents)[:_LEVELS]:
        yield from _paths_at(files, above, usual)
        if files.exists(above / ".git"):
            return


@query(keep=_MOST_KEPT)
def _paths_at(files: Files, above: Path, usual: tuple[str, ...]) -> tuple[Path, ...]:
    """Return the files in a folder and in its usual folders of skills: the same for all evals below."""
    found = [*_in_folder(above, files)]
    there = {it.lower() for it in files.names(above)}
    for it in usual:
        first = it.partition("/")[0]
        # Most folders have none of them; their names are known already. Without any name, the folder cannot be listed.
        if there and it in _USUAL and first not in there:
            note_read(above / first)
            continue
        found += [*_in_folder(above / it, files), *_below(above / it, files)]
    return tuple(found)


def _listed_paths(suite: SuiteFiles) -> Iterator[str]:
    """Yield the directories and SKILL.md files that the eval lists in its settings and environments."""
    yield from _texts(suite.config.get("skill_directories"))
    stimuli = suite.eval.get("stimuli")
    for it in (suite.eval, *(stimuli if isinstance(stimuli, list) else ())):
        for key in FOR_THE_AGENT if isinstance(it, Mapping) else ():
            if isinstance(environment := it.get(key), Mapping):
                yield from _texts(environment.get("skills"))


def _texts(value: Any) -> Iterator[str]:
    """Yield the strings of a list, or the single string."""
    yield from (it for it in (value if isinstance(value, list) else [value]) if isinstance(it, str) and it)


def _in_folder(folder: Path, files: Files) -> Iterator[Path]:
    return (folder / it for it in files.names(folder) if _is_skill_name(it))


def _below(folder: Path, files: Files) -> Iterator[Path]:
    """Yield the SKILL.md files in the subfolders of a folder."""
    return (folder / it / SKILL_FILE for it in files.names(folder) if files.is_file(folder / it / SKILL_FILE))


def _text(value: Any) -> str:
    # A plain scalar that YAML does not read as a string (`name: 365`) counts as one.
    text = value.source if isinstance(value, Scalar) and value.value is not None else value
    return text.strip() if isinstance(text, str) else ""


def skill_folders(document: Document) -> list[Path]:
    """Return the folders of `config.skill_directories`."""
    folder = document.folder
    return (
        [folder / it for _, it in document.texts("config", "skill_directories")] if folder is not None else []
    )


def are_skills_off(document: Document) -> bool:
    """Whether the eval disables all skills."""
    listed = document.value("config", "skill_directories")
    disabled = document.value("config", "disabled_skills")
    return (isinstance(listed, list) and "none" in listed) or (isinstance(disabled, list) and "*" in disabled)


def skill_in(folder: Path, files: Files) -> str:
    """Return the name of the skill in a folder; "" without a SKILL.md."""
    return skill_at(folder / SKILL_FILE, files).name if files.is_file(folder / SKILL_FILE) else ""


def missing_required(document: Document) -> list[tuple[Pointer, str]]:
    """Return the names in `config.required_skills` that no listed skill directory holds."""
    if are_skills_off(document) or not document.has("config", "skill_directories"):
        return []
    present = {skill_in(it, document.files) for it in skill_folders(document)} - {""}
    return [it for it in document.texts("config", "required_skills") if it[1] and it[1] not in present]


def has_project_skills(document: Document) -> bool:
    """Whether the project has skills, which evals without `skill_directories` use."""
    suite = document.suite
    if suite is None or suite.project_path is None:
        return False
    named = suite.setting("project:paths.skills")
    root = suite.project_path.parent / (named if isinstance(named, str) and named else "skills")
    return any(skill_in(root / it, document.files) for it in document.files.names(root))
