"""The arms of an experiment, and the settings of a spec in each arm.

See docs/reference/vally.md, section 9. The settings of an arm are applied to a spec as a JSON merge patch: mappings
merge key by key, `null` removes a key, and all other values replace, so a list of skills is never extended. The data
may be incomplete; invalid parts produce no arm. Paths in a variant are relative to the experiment, paths in a spec to
the spec. `${eval.parent}` and `${eval.grandparent}` are the names of the folders that contain a spec.
"""

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any

from waza_engine.dialects.vally.formats.environment import Environment, NamedOrInline
from waza_engine.dialects.vally.formats.model import TolerantModel
from waza_engine.dialects.vally.formats.project_file import Project
from waza_engine.dialects.vally.formats.settings import EvalConfig
from waza_engine.dialects.vally.formats.surroundings import merge_environments, named_or_inline
from waza_engine.lib.paths import real_path
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.experiment import Arm
from waza_engine.model.fields import as_text, is_null
from waza_engine.model.placeholders import EVAL_FOLDER
from waza_engine.project.reading import build

_SECTION_ALIASES = {"agent_environment": "environment"}
"""Names of newer specs for a section; experiments treat both names as one section."""
_MOST_ARMS = 1000


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of an axis, with its label and its location."""

    label: str
    value: Any
    pointer: Pointer


def arms_of(data: Mapping[str, Any]) -> list[Arm]:
    """Return the arms in file order; `matrix` takes precedence over `variants`."""
    return list(_matrix_arms(data) if _mapping(data.get("matrix")) else _variant_arms(data))


def _variant_arms(data: Mapping[str, Any]) -> Iterator[Arm]:
    for name, value in _mapping(data.get("variants")).items():
        variant = _mapping(value)
        over: dict[str, Any] = {}
        if overrides := _mapping(variant.get("overrides")):
            over["defaults"] = overrides
        for key in ("environment", "agent_environment"):
            if not is_null(environment := variant.get(key)):
                over["environment"] = environment
        yield Arm(str(name), over, ("variants", str(name)))


def _matrix_arms(data: Mapping[str, Any]) -> Iterator[Arm]:
    axes = [(axis, path, choices_of(data, axis)) for axis, path in axes_of(data).items()]
    if not all(choices for _, _, choices in axes):
        return
    for number, combination in enumerate(product(*(choices for _, _, choices in axes))):
        if number == _MOST_ARMS:
            return
        over: dict[str, Any] = {}
        for (_, path, _), choice in zip(axes, combination, strict=True):
            _set_at(over, path, choice.value)
        labels = {axis: it.label for (axis, _, _), it in zip(axes, combination, strict=True)}
        yield Arm(arm_name(labels), over, labels=labels)


def arm_name(labels: Mapping[str, str]) -> str:
    """Return the name of a matrix combination: `model=gpt-5.2,skill=on`."""
    return ",".join(f"{axis}={label}" for axis, label in labels.items())


def axes_of(data: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return the axes of the matrix with the keys of their paths."""
    axes = _mapping(data.get("matrix"))
    return {str(axis): path_of(_mapping(it).get("path")) for axis, it in axes.items()}


def choices_of(data: Mapping[str, Any], axis: str) -> list[Choice]:
    """Return the values of an axis. A mapping with one key labels its value; other values are their own label."""
    values = _mapping(_mapping(data.get("matrix")).get(axis)).get("values")
    choices = []
    for index, it in enumerate(values if isinstance(values, list) else ()):
        pointer = ("matrix", axis, "values", index)
        if isinstance(it, dict) and len(it) == 1:
            ((label, value),) = it.items()
            choices.append(Choice(str(label), value, (*pointer, str(label))))
        else:
            choices.append(Choice(label_of(it), it, pointer))
    return choices


def label_of(value: Any) -> str:
    """Return a value as a label."""
    text = as_text(value)
    return text if isinstance(text, str) else json.dumps(plain(value), ensure_ascii=False)


def path_of(pointer: Any) -> tuple[str, ...]:
    """Return the keys of a JSON pointer; empty if it is not valid."""
    text = pointer if isinstance(pointer, str) else ""
    if not text.startswith("/"):
        return ()
    first, *rest = (it.replace("~1", "/").replace("~0", "~") for it in text[1:].rstrip("/").split("/"))
    return (_SECTION_ALIASES.get(first, first), *rest)


def pointer_text(path: tuple[str, ...]) -> str:
    """Return the keys as a JSON pointer."""
    return "".join("/" + it.replace("~", "~0").replace("/", "~1") for it in path)


def baseline_name(data: Mapping[str, Any]) -> str:
    """Return the name of the baseline arm; empty if the file has no baseline."""
    baseline = data.get("baseline")
    if not isinstance(baseline, dict):
        return label_of(baseline) if not is_null(baseline) else ""
    labels = {str(axis): label_of(it) for axis, it in baseline.items()}
    order = [it for it in axes_of(data) if it in labels]
    return arm_name({it: labels[it] for it in [*order, *(it for it in labels if it not in order)]})


def varied_paths(data: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """Return the paths in which arms may differ: those of `vary` or of the matrix."""
    if _mapping(data.get("matrix")):
        return [it for it in axes_of(data).values() if it]
    vary = data.get("vary")
    return [path for it in (vary if isinstance(vary, list) else ()) if (path := path_of(it))]


def may_differ(path: tuple[str, ...], varied: list[tuple[str, ...]]) -> bool:
    """Whether a path is at or below one that varies."""
    return any(path[: len(it)] == it for it in varied)


def settings_in(spec: Mapping[str, Any], data: Mapping[str, Any], arm: Arm) -> dict[str, Any]:
    """Return the spec's `defaults` and `environment` with the experiment's `overrides` and the arm's settings."""
    own = spec.get("defaults") if not is_null(spec.get("defaults")) else spec.get("config")
    settings = {
        "defaults": merge_patch(_mapping(own), _mapping(data.get("overrides"))),
        "environment": spec.get("environment"),
    }
    patched = merge_patch(settings, arm.over)
    return {key: it for key, it in patched.items() if not is_null(it)}


def merge_patch(below: Any, above: Any) -> Any:
    """Apply the merge patch `above` to `below` (RFC 7396)."""
    if not isinstance(above, dict):
        return above
    result = dict(below) if isinstance(below, dict) else {}
    for key, it in above.items():
        if is_null(it):
            result.pop(key, None)
        else:
            result[key] = merge_patch(result.get(key), it)
    return result


def differences(one: Any, other: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """Yield the paths in which two settings differ. Empty mappings and lists equal missing ones."""
    mappings = [it for it in (one, other) if isinstance(it, dict)]
    if mappings and all(isinstance(it, dict) or is_null(it) for it in (one, other)):
        first, second = _mapping(one), _mapping(other)
        for key in dict.fromkeys([*first, *second]):
            yield from differences(first.get(key), second.get(key), (*path, str(key)))
    elif (plain(one) or None) != (plain(other) or None) or _is_zero(one) != _is_zero(other):
        yield path


def _is_zero(value: Any) -> bool:
    """Whether the value is 0 or false, which are settings unlike other empty values."""
    data = plain(value)
    return data is False or (isinstance(data, int | float) and data == 0)


def _set_at(over: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
    if not path:
        return
    for key in path[:-1]:
        below = over.get(key)
        over[key] = dict(below) if isinstance(below, dict) else {}
        over = over[key]
    over[path[-1]] = value


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


SETTINGS: dict[str, tuple[str, ...]] = {
    section: tuple(it.alias or name for name, it in model.model_fields.items())
    for section, model in (("defaults", EvalConfig), ("environment", Environment))
}
"""The settings that arms may differ in, by section."""


def arm_settings(
    experiment: Mapping[str, Any], spec: Mapping[str, Any], arm: Arm, eval_path: Path, project: Project
) -> dict[str, Any]:
    """Return the settings of a spec in an arm, with paths as in the files."""
    names = {"parent": eval_path.parent.name, "grandparent": eval_path.parent.parent.name}
    over = dict(_with_resolved_environment(arm.over, project, eval_path))
    filled = _fill_folder_names({"over": over, "overrides": experiment.get("overrides")}, names)
    return settings_in(
        with_full_environment(spec, project, eval_path), filled, replace(arm, over=filled["over"])
    )


class _AgentEnvironments(TolerantModel):
    """The environments of the agent in a spec, inline or by name."""

    environment: NamedOrInline | None = None
    agent_environment: NamedOrInline | None = None


def with_full_environment(spec: Mapping[str, Any], project: Project, path: Path) -> dict[str, Any]:
    """Return the spec with the agent's merged and resolved environments under `environment`."""
    environments = build(
        _AgentEnvironments, {key: spec.get(key) for key in _AgentEnvironments.model_fields}, path
    )
    first = named_or_inline(environments.environment, project, path, ("environment",))
    second = named_or_inline(environments.agent_environment, project, path, ("agent_environment",))
    merged = merge_environments(first, second).model_dump(
        by_alias=True, exclude_unset=True, exclude_none=True
    )
    return {**spec, "environment": {key: it for key, it in merged.items() if it}}


def with_full_arm_environments(data: Mapping[str, Any], project: Project, path: Path) -> dict[str, Any]:
    """Return the experiment with named environments of its arms resolved."""
    variants = data.get("variants")
    if not isinstance(variants, dict):
        return dict(data)
    resolved = {name: _with_resolved_environment(it, project, path) for name, it in variants.items()}
    return {**data, "variants": resolved}


def _with_resolved_environment(variant: Any, project: Project, path: Path) -> Any:
    environment = variant.get("environment") if isinstance(variant, dict) else None
    if isinstance(environment, dict) or is_null(environment):
        return variant
    known = named_or_inline(str(environment), project, path, ("environment",))
    return {**variant, "environment": known.model_dump(by_alias=True, exclude_unset=True)}


def _fill_folder_names(value: Any, names: Mapping[str, str]) -> Any:
    match value:
        case str():
            return EVAL_FOLDER.sub(lambda it: names[it[1]], value)
        case dict():
            return {key: _fill_folder_names(it, names) for key, it in value.items()}
        case list():
            return [_fill_folder_names(it, names) for it in value]
        case _:
            return value


def resolve_paths(environment: Any, arm: Arm, folder: Path) -> Any:
    """Return the environment with the arm's paths resolved against the experiment's folder."""
    own = arm.over.get("environment")
    if not isinstance(environment, dict) or not isinstance(own, dict):
        return environment
    resolved = dict(environment)
    if "skills" in own and isinstance(resolved.get("skills"), list):
        resolved["skills"] = [_absolute(folder, it) for it in resolved["skills"]]
    if "files" in own and isinstance(resolved.get("files"), list):
        resolved["files"] = [
            {**it, "src": _absolute(folder, it["src"])} if isinstance(it, dict) and "src" in it else it
            for it in resolved["files"]
        ]
    git = own.get("git")
    if isinstance(git, dict) and "source" in git and isinstance(resolved.get("git"), dict):
        resolved["git"] = {**resolved["git"], "source": _absolute(folder, resolved["git"]["source"])}
    return resolved


def _absolute(folder: Path, path: Any) -> Any:
    return str(real_path(folder / path)) if isinstance(path, str) else path
