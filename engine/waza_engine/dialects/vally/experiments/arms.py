"""The arms of an experiment, and what is laid over the specs in each of them.

See docs/reference/vally.md, section 9. Plain data, no I/O.

What is laid over merges as JSON merge patches do: mappings key by key, everything else replaces, `null` takes away. So
a list of skills is never added to that of the spec. The data may be half-written: what makes no sense is no arm.

A spec as it is in an arm of an experiment: what it is run with (docs/reference/vally.md, section 9).

Paths in a variant start at the experiment, those of a spec at the spec. `${eval.parent}` and `${eval.grandparent}` are the
names of the folders that a spec is in.
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
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.experiment import Arm
from waza_engine.model.fields import as_text, is_null
from waza_engine.model.placeholders import EVAL_FOLDER
from waza_engine.project.reading import build

_OTHER_NAMES = {"agent_environment": "environment"}
"""What newer specs call a section; for an experiment it is the same one."""
_MOST_ARMS = 1000


@dataclass(frozen=True, slots=True)
class Choice:
    """One value of an axis: what it is called, the value, and where it stands."""

    label: str
    value: Any
    pointer: Pointer


def arms_of(data: Mapping[str, Any]) -> list[Arm]:
    """The arms in the order of the file: those of `matrix`, which beats `variants`."""
    return list(_combinations(data) if _mapping(data.get("matrix")) else _variants(data))


def _variants(data: Mapping[str, Any]) -> Iterator[Arm]:
    for name, given in _mapping(data.get("variants")).items():
        variant = _mapping(given)
        over: dict[str, Any] = {}
        if overrides := _mapping(variant.get("overrides")):
            over["defaults"] = overrides
        for key in ("environment", "agent_environment"):
            if not is_null(environment := variant.get(key)):
                over["environment"] = environment
        yield Arm(str(name), over, ("variants", str(name)))


def _combinations(data: Mapping[str, Any]) -> Iterator[Arm]:
    axes = [(axis, path, choices_of(data, axis)) for axis, path in axes_of(data).items()]
    if not all(choices for _, _, choices in axes):
        return
    for number, chosen in enumerate(product(*(choices for _, _, choices in axes))):
        if number == _MOST_ARMS:
            return
        over: dict[str, Any] = {}
        for (_, path, _), choice in zip(axes, chosen, strict=True):
            _put(over, path, choice.value)
        labels = {axis: it.label for (axis, _, _), it in zip(axes, chosen, strict=True)}
        yield Arm(arm_name(labels), over, labels=labels)


def arm_name(labels: Mapping[str, str]) -> str:
    """How a combination of a matrix is called: `model=gpt-5.2,skill=on`."""
    return ",".join(f"{axis}={label}" for axis, label in labels.items())


def axes_of(data: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The axes of the matrix with the keys that their paths lead along."""
    axes = _mapping(data.get("matrix"))
    return {str(axis): path_of(_mapping(given).get("path")) for axis, given in axes.items()}


def choices_of(data: Mapping[str, Any], axis: str) -> list[Choice]:
    """The values of an axis. A mapping of one key gives its value a name; other values are called as they are written."""
    values = _mapping(_mapping(data.get("matrix")).get(axis)).get("values")
    found = []
    for index, it in enumerate(values if isinstance(values, list) else ()):
        place = ("matrix", axis, "values", index)
        if isinstance(it, dict) and len(it) == 1:
            ((label, value),) = it.items()
            found.append(Choice(str(label), value, (*place, str(label))))
        else:
            found.append(Choice(label_of(it), it, place))
    return found


def label_of(value: Any) -> str:
    """A value as a name."""
    text = as_text(value)
    return text if isinstance(text, str) else json.dumps(plain(value), ensure_ascii=False)


def path_of(pointer: Any) -> tuple[str, ...]:
    """The keys of a JSON pointer; none when it is not one."""
    text = pointer if isinstance(pointer, str) else ""
    if not text.startswith("/"):
        return ()
    first, *rest = (it.replace("~1", "/").replace("~0", "~") for it in text[1:].rstrip("/").split("/"))
    return (_OTHER_NAMES.get(first, first), *rest)


def pointer_text(path: tuple[str, ...]) -> str:
    """The keys as a JSON pointer."""
    return "".join("/" + it.replace("~", "~0").replace("/", "~1") for it in path)


def baseline_name(data: Mapping[str, Any]) -> str:
    """What the baseline is called; empty when the file names none."""
    given = data.get("baseline")
    if not isinstance(given, dict):
        return label_of(given) if not is_null(given) else ""
    labels = {str(axis): label_of(it) for axis, it in given.items()}
    order = [it for it in axes_of(data) if it in labels]
    return arm_name({it: labels[it] for it in [*order, *(it for it in labels if it not in order)]})


def varied_paths(data: Mapping[str, Any]) -> list[tuple[str, ...]]:
    """What arms may differ in: the pointers of `vary`, or the paths of the matrix."""
    if _mapping(data.get("matrix")):
        return [it for it in axes_of(data).values() if it]
    given = data.get("vary")
    return [path for it in (given if isinstance(given, list) else ()) if (path := path_of(it))]


def may_differ(path: tuple[str, ...], varied: list[tuple[str, ...]]) -> bool:
    """Whether a place is at or below one that varies."""
    return any(path[: len(it)] == it for it in varied)


def settings_in(spec: Mapping[str, Any], data: Mapping[str, Any], arm: Arm) -> dict[str, Any]:
    """`defaults` and `environment` of a spec as they are in an arm: the spec's, the experiment's `overrides`, the arm's."""
    own = spec.get("defaults") if not is_null(spec.get("defaults")) else spec.get("config")
    settings = {
        "defaults": merge_patch(_mapping(own), _mapping(data.get("overrides"))),
        "environment": spec.get("environment"),
    }
    found = merge_patch(settings, arm.over)
    return {key: it for key, it in found.items() if not is_null(it)}


def merge_patch(below: Any, above: Any) -> Any:
    """A merge patch applied (RFC 7396)."""
    if not isinstance(above, dict):
        return above
    found = dict(below) if isinstance(below, dict) else {}
    for key, it in above.items():
        if is_null(it):
            found.pop(key, None)
        else:
            found[key] = merge_patch(found.get(key), it)
    return found


def differences(one: Any, other: Any, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    """The places in which two settings differ, as deep as mappings go. Empty mappings and lists are as good as none."""
    mappings = [it for it in (one, other) if isinstance(it, dict)]
    if mappings and all(isinstance(it, dict) or is_null(it) for it in (one, other)):
        first, second = _mapping(one), _mapping(other)
        for key in dict.fromkeys([*first, *second]):
            yield from differences(first.get(key), second.get(key), (*path, str(key)))
    elif (plain(one) or None) != (plain(other) or None) or _is_zero(one) != _is_zero(other):
        yield path


def _is_zero(value: Any) -> bool:
    """0 and false are settings, not nothing."""
    found = plain(value)
    return found is False or (isinstance(found, int | float) and found == 0)


def _put(over: dict[str, Any], path: tuple[str, ...], value: Any) -> None:
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
    """What a spec is run with in an arm, as the files have it: no path is moved."""
    names = {"parent": eval_path.parent.name, "grandparent": eval_path.parent.parent.name}
    over = dict(_with_inlined_environment(arm.over, project, eval_path))
    filled = _filled({"over": over, "overrides": experiment.get("overrides")}, names)
    return settings_in(
        with_full_environment(spec, project, eval_path), filled, replace(arm, over=filled["over"])
    )


class _Surroundings(TolerantModel):
    """What a spec gives the agent, which may be a name."""

    environment: NamedOrInline | None = None
    agent_environment: NamedOrInline | None = None


def with_full_environment(spec: Mapping[str, Any], project: Project, path: Path) -> dict[str, Any]:
    """The spec with all that it gives the agent in its `environment`, which may be a name, or stand under two keys."""
    given = build(_Surroundings, {key: spec.get(key) for key in _Surroundings.model_fields}, path)
    usual = named_or_inline(given.environment, project, path, ("environment",))
    besides = named_or_inline(given.agent_environment, project, path, ("agent_environment",))
    found = merge_environments(usual, besides).model_dump(
        by_alias=True, exclude_unset=True, exclude_none=True
    )
    return {**spec, "environment": {key: it for key, it in found.items() if it}}


def with_full_arm_environments(data: Mapping[str, Any], project: Project, path: Path) -> dict[str, Any]:
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
            return EVAL_FOLDER.sub(lambda it: names[it[1]], value)
        case dict():
            return {key: _filled(it, names) for key, it in value.items()}
        case list():
            return [_filled(it, names) for it in value]
        case _:
            return value


def resolve_paths(environment: Any, arm: Arm, folder: Path) -> Any:
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
