"""The environment of a stimulus: the spec's and its own, merged (docs/reference/vally.md, section 4).

Lists are concatenated, the spec's first. In mappings, the stimulus' entries take precedence, and its repository
replaces that of the spec. Paths are relative to the spec, even in a named environment.
"""

import os
from collections.abc import Iterator
from pathlib import Path

from waza_engine.dialects.vally.formats.environment import Environment, StagedFile
from waza_engine.dialects.vally.formats.project_file import Project
from waza_engine.lib.files.safe_read import open_regular
from waza_engine.lib.pointer import Pointer
from waza_engine.model.file_names import SKILL_FILE
from waza_engine.model.suite import InputFile, LoadError, Repository

_MAX_BYTES = 32 << 20
_MAX_FILES = 10_000


def merge_environments(of_spec: Environment, of_stimulus: Environment) -> Environment:
    """Merge the environments of a spec and a stimulus."""
    return Environment.model_construct(
        skills=[*of_spec.skills, *of_stimulus.skills],
        files=[*of_spec.files, *of_stimulus.files],
        commands=[*of_spec.commands, *of_stimulus.commands],
        git=of_stimulus.git or of_spec.git,
        mcp_servers={**of_spec.mcp_servers, **of_stimulus.mcp_servers},
        env={**of_spec.env, **of_stimulus.env},
    )


def named_or_inline(
    value: str | Environment | None, project: Project, path: Path, pointer: Pointer
) -> Environment:
    """Return the inline or named environment of a spec.

    Raises:
        LoadError: the project has no environment of that name.

    """
    if value is None or value == "":
        return Environment()
    if isinstance(value, Environment):
        return value
    if (named := project.environments.get(value)) is not None:
        return named
    known = ", ".join(project.environments) or "none"
    where = project.path or ".vally.yaml (missing)"
    raise LoadError(
        path,
        f"No environment '{value}' under 'environments' of {where}. Known environments: {known}",
        pointer,
    )


def staged_files(files: list[StagedFile], eval_dir: Path) -> tuple[list[InputFile], str]:
    """Return the files to copy into the workspace, and an error message or ""."""
    inputs: list[InputFile] = []
    bytes_left, number = _MAX_BYTES, 0
    for it in files:
        if problem := _refusal(it, eval_dir):
            return [], problem
        try:
            for target, path in _copies(it, eval_dir / it.src):
                number += 1
                if path.is_file():
                    with open_regular(path) as stream:
                        # The reported size is wrong for some files, such as those in /proc.
                        content = stream.read(bytes_left + 1) or b""
                    bytes_left -= len(content)
                    inputs.append(
                        InputFile(target.as_posix(), content, is_executable=os.access(path, os.X_OK))
                    )
                if bytes_left < 0 or number > _MAX_FILES:
                    limit = f"the limit is {_MAX_FILES:,} files and folders, {_MAX_BYTES >> 20} MB in total"
                    return [], f"environment.files: {it.src} is too big: {limit}"
        except OSError as error:
            return [], f"environment.files: {it.src} cannot be read: {error.strerror or error}"
    return inputs, ""


def _refusal(it: StagedFile, eval_dir: Path) -> str:
    dest = Path(it.dest)
    if "\0" in it.dest + it.src or dest.is_absolute() or ".." in dest.parts:
        return f"environment.files: 'dest' must be a relative path without '..', not '{it.dest}'"
    if not (eval_dir / it.src).exists():
        return f"environment.files: {eval_dir / it.src} not found"
    return ""


def _copies(it: StagedFile, source: Path) -> Iterator[tuple[Path, Path]]:
    """Yield target and source of each file and folder, lazily: a folder may be huge."""
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
    """Return the repository to use as workspace; empty if there is none."""
    if environment.git is None:
        return ()
    source = eval_dir / environment.git.source
    return (Repository(source, "", environment.git.ref, is_workspace=True),)


def skill_directories(environment: Environment, eval_dir: Path) -> tuple[str, ...]:
    """Return the absolute directories of the listed skills; a SKILL.md means its directory."""
    paths = [Path(eval_dir, it) for it in environment.skills]
    return tuple(str(it.parent if it.name == SKILL_FILE else it) for it in paths)
