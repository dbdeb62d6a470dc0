"""A spec as it is in an arm of an experiment: what it is run with (docs/reference/vally.md, section 9).

Paths in a variant start at the experiment, those of a spec at the spec. `${eval.parent}` and `${eval.grandparent}` are the
names of the folders that a spec is in.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from waza_engine.formats.reading import build
from waza_engine.formats.vally.environment import Environment, NamedOrInline
from waza_engine.formats.vally.model import TolerantModel
from waza_engine.formats.vally.project_file import Project
from waza_engine.formats.vally.settings import EvalConfig
from waza_engine.formats.vally.surroundings import merged, named_or_inline
from waza_engine.model.experiment import Arm
from waza_engine.placeholders import FOLDER_OF_EVAL
from waza_engine.vally.experiment_arms import settings_in
from waza_engine.values import is_null

SETTINGS: dict[str, tuple[str, ...]] = {
    section: tuple(it.alias or name for name, it in model.model_fields.items())
    for section, model in (("defaults", EvalConfig), ("environment", Environment))
}
"""The settings that arms may differ in, by section."""


def settings_of(
    experiment: Mapping[str, Any], spec: Mapping[str, Any], arm: Arm, eval_path: Path, project: Project
) -> dict[str, Any]:
    """What a spec is run with in an arm, as the files have it: no path is moved."""
    names = {"parent": eval_path.parent.name, "grandparent": eval_path.parent.parent.name}
    over = dict(_with_inlined_environment(arm.over, project, eval_path))
    filled = _filled({"over": over, "overrides": experiment.get("overrides")}, names)
    return settings_in(inlined(spec, project, eval_path), filled, replace(arm, over=filled["over"]))


class _Surroundings(TolerantModel):
    """What a spec gives the agent, which may be a name."""

    environment: NamedOrInline | None = None
    agent_environment: NamedOrInline | None = None


def inlined(spec: Mapping[str, Any], project: Project, path: Path) -> dict[str, Any]:
    """The spec with all that it gives the agent in its `environment`, which may be a name, or stand under two keys."""
    given = build(_Surroundings, {key: spec.get(key) for key in _Surroundings.model_fields}, path)
    usual = named_or_inline(given.environment, project, path, ("environment",))
    besides = named_or_inline(given.agent_environment, project, path, ("agent_environment",))
    found = merged(usual, besides).model_dump(by_alias=True, exclude_unset=True, exclude_none=True)
    return {**spec, "environment": {key: it for key, it in found.items() if it}}


def with_inlined_arms(data: Mapping[str, Any], project: Project, path: Path) -> dict[str, Any]:
    """The experiment with what its arms give the agent in full, where they only name it."""
    variants = data.get("variants")
    if not isinstance(variants, dict):
        return dict(data)
    in_full = {name: _with_inlined_environment(it, project, path) for name, it in variants.items()}
    return {**data, "variants": in_full}


def _with_inlined_environment(variant: Any, project: Project, path: Path) -> Any:
    given = variant.get("environment") if isinstance(variant, dict) else None
    if isinstance(given, dict) or is_null(given):
        return variant
    known = named_or_inline(str(given), project, path, ("environment",))
    return {**variant, "environment": known.model_dump(by_alias=True, exclude_unset=True)}


def _filled(value: Any, names: Mapping[str, str]) -> Any:
    match value:
        case str():
            return FOLDER_OF_EVAL.sub(lambda it: names[it[1]], value)
        case dict():
            return {key: _filled(it, names) for key, it in value.items()}
        case list():
            return [_filled(it, names) for it in value]
        case _:
            return value


def placed(environment: Any, arm: Arm, folder: Path) -> Any:
    """The environment with the paths of the arm made absolute: they start at the experiment."""
    own = arm.over.get("environment")
    if not isinstance(environment, dict) or not isinstance(own, dict):
        return environment
    found = dict(environment)
    if "skills" in own and isinstance(found.get("skills"), list):
        found["skills"] = [_from(folder, it) for it in found["skills"]]
    if "files" in own and isinstance(found.get("files"), list):
        found["files"] = [
            {**it, "src": _from(folder, it["src"])} if isinstance(it, dict) and "src" in it else it
            for it in found["files"]
        ]
    git = own.get("git")
    if isinstance(git, dict) and "source" in git and isinstance(found.get("git"), dict):
        found["git"] = {**found["git"], "source": _from(folder, found["git"]["source"])}
    return found


def _from(folder: Path, path: Any) -> Any:
    return str((folder / path).resolve()) if isinstance(path, str) else path
