"""Load an eval spec and the files it names into a `Suite` (docs/reference/vally.md, sections 2 to 5)."""

import math
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from waza_engine.dialects.vally.fields import milliseconds
from waza_engine.dialects.vally.formats.entries import grader_entries
from waza_engine.dialects.vally.formats.environment import Environment, McpServer
from waza_engine.dialects.vally.formats.eval import EvalFile
from waza_engine.dialects.vally.formats.golden import check_golden_patch, check_golden_trajectory
from waza_engine.dialects.vally.formats.project_file import Project, find_project
from waza_engine.dialects.vally.formats.settings import EvalConfig
from waza_engine.dialects.vally.formats.stimulus import Constraints, Stimulus
from waza_engine.dialects.vally.formats.surroundings import (
    merge_environments,
    named_or_inline,
    repository,
    skill_directories,
    staged_files,
)
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.reader import YamlError
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.placeholders import expand_placeholders
from waza_engine.model.suite import Constraint, LoadError, RunSettings, Scoring, Suite, Task
from waza_engine.project.reading import build, parse_yaml, read_text

ALL_SKILLS = "*"


def load_suite(path: Path, *, process_dir: Path, context_dir: Path | None = None) -> Suite:  # noqa: ARG001  # every dialect's loader takes it
    """Load the spec at `path`. Paths under `environment` are relative to `context_dir`, or else to the spec.

    Raises:
        LoadError: vally could not run the spec; reports the first problem.

    """
    return suite_of(path, spec_data(path), context_dir)


def suite_of(path: Path, data: Mapping[str, Any], context_dir: Path | None = None) -> Suite:
    """Return the suite of a spec at `path` from its data.

    Raises:
        LoadError: vally could not run the spec; reports the first problem.

    """
    spec = build(EvalFile, data, path)
    if spec.config is not None and "defaults" in spec.model_fields_set:
        raise LoadError(path, "'config' is the old name of 'defaults'. Use only 'defaults'", ("config",))
    config = spec.config or spec.defaults
    folder = path.parent.absolute()
    project = find_project(folder)
    loader = _Loader(spec, path, context_dir or folder, project)
    return Suite(
        dialect="vally",
        path=path,
        directory=folder,
        name=spec.name or path.name.partition(".")[0],
        skill="",
        settings=_run_settings(config),
        tasks=tuple(loader.tasks()),
        scoring=Scoring(spec.scoring.threshold),
        warnings=(project.warning,) if project.warning else (),
        judge_provider=config.judge_provider,
    )


def spec_data(path: Path) -> dict[str, Any]:
    """Return the data of the spec with placeholders expanded.

    Raises:
        LoadError: the file cannot be read or is not a mapping.

    """
    try:
        data = parse_yaml(expand_placeholders(read_text(path), os.environ))
    except YamlError as error:
        raise LoadError(path, error.message, line=error.line, column=error.column) from error
    if plain(data) is None:
        return {}
    if not isinstance(data, dict):
        raise LoadError(path, "The file must be a mapping of keys")
    return data


def _run_settings(config: EvalConfig) -> RunSettings:
    return RunSettings(
        trials=config.runs,
        timeout_seconds=max(1, math.ceil((milliseconds(config.timeout) or 0) / 1000)),
        executor=config.executor_name or "copilot-sdk",
        model=config.model,
        judge_model=config.judge_model,
        own_judge_model=config.judge_model,
        judge_reasoning_effort=config.judge_reasoning_effort,
        inject_skill_body=False,
        timeout_of_trial=True,
    )


class _Loader:
    """Turns the stimuli of one spec into tasks."""

    def __init__(self, spec: EvalFile, path: Path, start: Path, project: Project) -> None:
        self._spec, self._path, self._start, self._project = spec, path, start, project
        self._shared = self._environment(spec, ())

    def tasks(self) -> Iterator[Task]:
        seen: set[str] = set()
        for index, it in enumerate(self._spec.stimuli):
            if it.name in seen:
                message = f"Two stimuli are named '{it.name}'. Stimulus names must be unique"
                raise LoadError(self._path, message, ("stimuli", index, "name"))
            seen.add(it.name)
            yield self._task(it, ("stimuli", index))

    def _task(self, it: Stimulus, pointer: Pointer) -> Task:
        first, *rest = it.turns or [it.prompt]
        if not first:
            raise LoadError(self._path, f"'{it.name}' has neither 'prompt' nor 'turns'", pointer)
        check_golden_trajectory(it.golden_trajectory, self._path, (*pointer, "golden_trajectory"))
        check_golden_patch(it.golden_patch, self._path, (*pointer, "golden_patch"))
        environment = merge_environments(self._shared, self._environment(it, pointer))
        files, problem = staged_files(environment.files, self._start)
        constraints = tuple(_constraints(it.constraints, (*pointer, "constraints")))
        return Task(
            id=it.name,
            name=it.name,
            prompt=first,
            follow_ups=tuple(rest),
            tags=tuple(tag_texts({**self._spec.tags, **it.tags})),
            files=tuple(files),
            graders=grader_entries(self._spec, it, self._path, pointer),
            repos=repository(environment, self._start),
            skill_directories=self._skills(environment, it.constraints),
            mcp_servers={name: _server(server) for name, server in environment.mcp_servers.items()},
            environment=environment.env,
            setup=tuple(environment.commands),
            rubric=tuple(text for text in it.rubric if text.strip()),
            constraints=constraints,
            blocked=problem,
            path=self._path,
            pointer=pointer,
        )

    def _environment(self, owner: EvalFile | Stimulus, pointer: Pointer) -> Environment:
        """Return the agent's environment of the spec or a stimulus, merged from both keys."""
        first, second = (
            named_or_inline(value, self._project, self._path, (*pointer, key))
            for key, value in (
                ("environment", owner.environment),
                ("agent_environment", owner.agent_environment),
            )
        )
        return merge_environments(first, second)

    def _skills(self, environment: Environment, constraints: Constraints) -> tuple[str, ...]:
        """Return the listed skills; none if the constraints reject all skills."""
        rejects_all = ALL_SKILLS in constraints.reject_skills
        return () if rejects_all else skill_directories(environment, self._start)


def _constraints(constraints: Constraints, pointer: Pointer) -> Iterator[Constraint]:
    for key in type(constraints).model_fields:
        value = getattr(constraints, key)
        if value is None or value == []:
            continue
        if isinstance(value, str):
            value = milliseconds(value)
        yield Constraint(key, tuple(value) if isinstance(value, list) else value, (*pointer, key))


def tag_texts(tags: Mapping[str, Any]) -> Iterator[str]:
    """Yield tags as `key=value`, as in filters; for a list, one per value."""
    for key, value in tags.items():
        for it in value if isinstance(value, list) else [value]:
            yield f"{key}={it}"


def _server(server: McpServer) -> dict[str, Any]:
    """Return a server for the executors: vally's keys, with the time limit in milliseconds."""
    data: dict[str, Any] = plain(server.model_dump(exclude_unset=True))
    if server.timeout:
        data["timeout"] = milliseconds(server.timeout)
    return data
