"""What a stimulus finds: the environment of the spec and its own, put together (docs/reference/vally.md, section 4).

Lists are joined, the spec's first; of mappings the stimulus' entries win; a repository of the stimulus replaces that of
the spec. Paths start at the spec, also those of a named environment.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from waza_engine.dialects.vally.formats.environment import Environment, StagedFile
from waza_engine.dialects.vally.formats.project_file import Project
from waza_engine.lib.pointer import Pointer
from waza_engine.model.file_names import SKILL_FILE
from waza_engine.model.suite import InputFile, LoadError, Repository

_MOST_BYTES = 32 << 20
_MOST_FILES = 10_000


def merge_environments(of_spec: Environment, of_stimulus: Environment) -> Environment:
    """The environment of a stimulus."""
    return Environment.model_construct(
        skills=[*of_spec.skills, *of_stimulus.skills],
        files=[*of_spec.files, *of_stimulus.files],
        commands=[*of_spec.commands, *of_stimulus.commands],
        git=of_stimulus.git or of_spec.git,
        mcp_servers={**of_spec.mcp_servers, **of_stimulus.mcp_servers},
        env={**of_spec.env, **of_stimulus.env},
    )


def named_or_inline(
    given: str | Environment | None, project: Project, path: Path, pointer: Pointer
) -> Environment:
    """The environment that stands in the spec, or that it names.

    Raises:
        LoadError: the project has none of that name.

    """
    if given is None or given == "":
        return Environment()
    if isinstance(given, Environment):
        return given
    if (found := project.environments.get(given)) is not None:
        return found
    known = ", ".join(project.environments) or "none"
    where = project.path or ".vally.yaml, which is not there"
    raise LoadError(
        path, f"There is no environment '{given}' under 'environments' of {where}; known: {known}", pointer
    )


def staged_files(files: list[StagedFile], eval_dir: Path) -> tuple[list[InputFile], str]:
    """The files to put into the workspace, and why that is impossible, or ""."""
    found: list[InputFile] = []
    left, number = _MOST_BYTES, 0
    for it in files:
        if problem := _refusal(it, eval_dir):
            return [], problem
        try:
            for target, path in _copies(it, eval_dir / it.src):
                number += 1
                if path.is_file():
                    with path.open("rb") as stream:
                        # Not by its size, which some files do not know.
                        content = stream.read(left + 1)
                    left -= len(content)
                    found.append(
                        InputFile(target.as_posix(), content, is_executable=os.access(path, os.X_OK))
                    )
                if left < 0 or number > _MOST_FILES:
                    most = f"at most {_MOST_FILES:,} files and folders, {_MOST_BYTES >> 20} MB together, are staged"
                    return [], f"environment.files: {it.src} is too big: {most}"
        except OSError as error:
            return [], f"environment.files: {it.src} cannot be read: {error.strerror or error}"
    return found, ""


def _refusal(it: StagedFile, eval_dir: Path) -> str:
    dest = Path(it.dest)
    if "\0" in it.dest + it.src or dest.is_absolute() or ".." in dest.parts:
        return f"environment.files: 'dest' must be a relative path without '..', not '{it.dest}'"
    if not (eval_dir / it.src).exists():
        return f"environment.files: there is no {eval_dir / it.src}"
    return ""


def _copies(it: StagedFile, source: Path) -> Iterator[tuple[Path, Path]]:
    """Where what goes, folders included: one by one, for nobody knows how much stands below a folder."""
    if not source.is_dir():
        inside = it.dest in {".", "./"} or it.dest.endswith("/")
        yield (Path(it.dest) / source.name if inside else Path(it.dest)), source
        return
    for folder, folders, names in os.walk(source):
        folders.sort()
        for name in sorted([*folders, *names]):
            path = Path(folder) / name
            yield Path(it.dest) / path.relative_to(source), path


def repository(environment: Environment, eval_dir: Path) -> tuple[Repository, ...]:
    """The repository whose state is the workspace; none without one."""
    if environment.git is None:
        return ()
    source = eval_dir / environment.git.source
    return (Repository(source, "", environment.git.ref, is_workspace=True),)


def skill_directories(environment: Environment, eval_dir: Path) -> tuple[str, ...]:
    """The absolute directories of the listed skills; a SKILL.md stands for its directory."""
    paths = [Path(eval_dir, it) for it in environment.skills]
    return tuple(str(it.parent if it.name == SKILL_FILE else it) for it in paths)
