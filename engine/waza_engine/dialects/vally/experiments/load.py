"""Load an experiment: check it, find its specs and plan its arms.

See docs/reference/vally.md, section 9.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

from waza_engine.dialects.vally.experiments.arms import (
    SETTINGS,
    arm_settings,
    arms_of,
    baseline_name,
    may_differ,
    pointer_text,
    resolve_paths,
    varied_paths,
    with_full_arm_environments,
    with_full_environment,
)
from waza_engine.dialects.vally.experiments.globs import matching_specs
from waza_engine.dialects.vally.experiments.problems import (
    Problem,
    arm_problems,
    baseline_problems,
    matrix_problems,
    path_problems,
    undeclared_differences,
)
from waza_engine.dialects.vally.formats.experiment import ExperimentFile
from waza_engine.dialects.vally.formats.load import spec_data, suite_of
from waza_engine.dialects.vally.formats.project_file import find_project
from waza_engine.lib.files.vfs import Files
from waza_engine.lib.paths import real_path
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.experiment import Arm
from waza_engine.model.fields import is_null
from waza_engine.model.suite import ExperimentArm, LoadError, Suite
from waza_engine.project.reading import build, read_text
from waza_engine.recognition.recognise import recognise

_SETTINGS = {
    "trials": ("defaults", "runs"),
    "timeout": ("defaults", "timeout"),
    "executor": ("defaults", "executor"),
    "model": ("defaults", "model"),
    "judge_model": ("defaults", "judge_model"),
}
"""The settings that command line options override."""
_UNSAFE_CHARACTERS = re.compile(r"[^\w.,=+@-]")
_HASH_DIGITS = 16


@dataclass(frozen=True, slots=True)
class Experiment:
    """A runnable experiment. Its arms may differ in the `varied` paths; `notes` are remarks for the user."""

    path: Path
    name: str
    data: Mapping[str, Any]
    arms: tuple[Arm, ...]
    baseline: str
    evals: tuple[Path, ...]
    varied: tuple[tuple[str, ...], ...]
    workers: int | None = None
    notes: tuple[str, ...] = ()

    def folder_name(self, arm: str) -> str:
        """Return a folder name that is unique to an arm."""
        taken: set[str] = set()
        for it in self.arms:
            name = _UNSAFE_CHARACTERS.sub("-", it.name).strip(".") or "arm"
            while name in taken:
                name += "-"
            taken.add(name)
            if it.name == arm:
                return name
        return _UNSAFE_CHARACTERS.sub("-", arm)

    def varied_setting(self, option: str) -> str:
        """Return the setting that a command line option overrides, if arms may differ in it; otherwise ""."""
        path = _SETTINGS.get(option)
        return pointer_text(path) if path is not None and may_differ(path, list(self.varied)) else ""

    def suite(
        self,
        arm: Arm,
        eval_path: Path,
        *,
        run_id: str = "",
        chosen: Sequence[str] = (),
        context_dir: Path | None = None,
    ) -> Suite:
        """Return a spec in an arm, for the run `run_id` with the `chosen` arms.

        Raises:
            LoadError: the spec cannot be used in this arm.

        """
        data = spec_data(eval_path)
        project = find_project(eval_path.parent)
        settings = arm_settings(self.data, data, arm, eval_path, project)
        environment = resolve_paths(settings.get("environment"), arm, self.path.parent)
        others = {key: it for key, it in data.items() if key not in {"config", "agent_environment"}}
        suite = suite_of(eval_path, {**others, **settings, "environment": environment}, context_dir)
        about = ExperimentArm(
            run_id=run_id,
            name=self.name,
            variant=arm.name,
            baseline=self.baseline,
            path=str(self.path),
            eval_path=str(eval_path),
            eval_hash=_digest(read_text(eval_path)),
            config_hash=_digest(json.dumps(plain(settings), sort_keys=True, default=str)),
            arms=tuple(chosen),
        )
        return replace(suite, arm=about)


def load_experiment(path: Path) -> Experiment:
    """Load and check the experiment at `path`. Afterwards, only its specs can prevent a run.

    Raises:
        LoadError: the experiment is not valid; reports the first problem.

    """
    path = path.absolute()
    data = spec_data(path)
    file = build(ExperimentFile, _without_nulls(data, "variants"), path)
    if not (file.variants or file.matrix):
        raise LoadError(path, "An experiment needs 'variants' or a 'matrix'")
    if (problem := next(_problems(data), None)) is not None:
        raise LoadError(path, problem.message, problem.pointer)
    evals, notes = _evals(path, file.evals)
    for it in evals:
        _refuse_undeclared_differences(path, data, it)
    return Experiment(
        path,
        file.name,
        data,
        tuple(arms_of(data)),
        baseline_name(data),
        tuple(evals),
        tuple(varied_paths(data)),
        file.execution.workers,
        tuple(chain(notes, *(_addition_notes(data, it) for it in evals))),
    )


def _problems(data: Mapping[str, Any]) -> Iterator[Problem]:
    yield from matrix_problems(data)
    yield from path_problems(data, SETTINGS)
    yield from arm_problems(data)
    yield from baseline_problems(data)


def _evals(path: Path, patterns: list[str]) -> tuple[list[Path], list[str]]:
    """Return the distinct specs that match the patterns, and notes on patterns without a match."""
    specs: dict[Path, None] = {}
    notes = []
    files = Files()
    for index, it in enumerate(patterns):
        matches = matching_specs(it, path.parent, files)
        if not matches:
            notes.append(f"No eval matches '{it}'")
        for spec in matches:
            _require_vally_eval(path, spec, index)
            specs[real_path(Path(spec))] = None
    if not specs:
        raise LoadError(
            path, f"No eval matches {', '.join(patterns) or 'the empty list'} in {path.parent}", ("evals",)
        )
    return list(specs), notes


def _require_vally_eval(path: Path, spec: Path, index: int) -> None:
    match = recognise(spec_data(spec), spec)
    if match is None or (match[0].name, match[1].name) != ("vally", "eval"):
        raise LoadError(
            path, f"{spec} is not a vally eval spec. List only eval specs under 'evals'", ("evals", index)
        )


def _refuse_undeclared_differences(path: Path, data: Mapping[str, Any], eval_path: Path) -> None:
    """Raise LoadError if arms differ in settings that do not vary."""
    project = find_project(eval_path.parent)
    spec = with_full_environment(spec_data(eval_path), project, eval_path)
    experiment = with_full_arm_environments(data, project, path)
    for it in undeclared_differences(experiment, spec):
        setting = pointer_text(it.path)
        message = f"'{it.arm.name}' differs from the baseline in {setting}, which does not vary. Add it to 'vary', or use the same value"
        raise LoadError(path, message, it.pointer)


def _without_nulls(data: Mapping[str, Any], key: str) -> dict[str, Any]:
    """Return the data without nulls below `key`, where a null removes a setting."""
    return {**data, key: _drop_nulls(data[key])} if key in data else dict(data)


def _drop_nulls(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _drop_nulls(it) for key, it in value.items() if not is_null(it)}
    return value


def _addition_notes(data: Mapping[str, Any], eval_path: Path) -> Iterator[str]:
    """Yield notes on stimuli that add to a varied setting, which makes arms more alike."""
    spec = spec_data(eval_path)
    stimuli = spec.get("stimuli")
    keys = {it[1] for it in varied_paths(data) if it[0] == "environment" and len(it) > 1}
    for index, it in enumerate(stimuli if isinstance(stimuli, list) else ()):
        own = it.get("environment") if isinstance(it, dict) else None
        for key in sorted(keys & own.keys()) if isinstance(own, dict) else ():
            name = plain(it.get("name")) or _pointer_text(("stimuli", index))
            yield f"{eval_path.name}: '{name}' adds its own {key} in every arm"


def _pointer_text(pointer: Pointer) -> str:
    return "/".join(map(str, pointer))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()[:_HASH_DIGITS]
