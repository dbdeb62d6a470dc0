"""Problems that prevent a run of an experiment, for findings in the editor and errors of a run.

See docs/reference/vally.md, section 9. The data may be incomplete. Problems that the schema reports are not repeated.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from waza_engine.dialects.vally.experiments.arms import (
    arms_of,
    axes_of,
    baseline_name,
    choices_of,
    differences,
    label_of,
    may_differ,
    path_of,
    pointer_text,
    settings_in,
    varied_paths,
)
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.spelling import nearest
from waza_engine.model.experiment import Arm
from waza_engine.model.fields import is_null
from waza_engine.model.placeholders import has_placeholder

_MAX_LISTED = 6


@dataclass(frozen=True, slots=True)
class Problem:
    """One problem at `pointer`; `instead` are valid values.

    It `is_doubtful` if experiments in use have it as well: another vally version may accept it.
    """

    pointer: Pointer
    message: str
    on: Literal["key", "value"] = "value"
    instead: tuple[str, ...] = ()
    is_doubtful: bool = False


@dataclass(frozen=True, slots=True)
class Difference:
    """A setting that differs between an arm and the baseline, but must not. `path` is its path in the spec."""

    arm: Arm
    path: tuple[str, ...]
    pointer: Pointer


def baseline_problems(data: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield a problem if the baseline is not an arm."""
    baseline = data.get("baseline")
    if is_null(baseline) or has_placeholder(baseline):
        return
    if _has(data, "matrix"):
        yield from _matrix_baseline(data, baseline)
    elif isinstance(baseline, dict):
        if _has(data, "variants"):
            message = "With 'variants', the baseline must be the name of a variant"
            yield Problem(("baseline",), message, is_doubtful=True)
    elif _has(data, "variants"):
        known = [it.name for it in arms_of(data)]
        name = label_of(baseline)
        if name not in known:
            message = f"No variant named '{name}'. Known variants: {_listed(known)}"
            yield Problem(("baseline",), message, instead=tuple(nearest(name, known)))


def _matrix_baseline(data: Mapping[str, Any], baseline: Any) -> Iterator[Problem]:
    axes = list(axes_of(data))
    if not isinstance(baseline, dict):
        message = f"With 'matrix', the baseline must have a value for each axis: {_listed(axes)}"
        yield Problem(("baseline",), message)
        return
    for axis, value in baseline.items():
        if axis not in axes:
            message = f"The matrix has no axis '{axis}'. Known axes: {_listed(axes)}"
            yield Problem(("baseline", axis), message, "key", tuple(nearest(axis, axes)))
            continue
        labels = [it.label for it in choices_of(data, axis)]
        label = label_of(value)
        if labels and label not in labels and not has_placeholder(label):
            message = f"'{axis}' has no value '{label}'. Known values: {_listed(labels)}"
            yield Problem(("baseline", axis), message, instead=tuple(nearest(label, labels)))
    if missing := [it for it in axes if it not in baseline]:
        yield Problem(("baseline",), f"The baseline has no value for {_listed(missing)}", "key")


def matrix_problems(data: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield problems of keys that conflict with a matrix: `variants` and `vary`."""
    if not _has(data, "matrix"):
        return
    if _has(data, "variants"):
        yield Problem(
            ("matrix",), "The experiment has both 'variants' and 'matrix'. Remove one of them", "key"
        )
    elif "vary" in data:
        yield Problem(("vary",), "'vary' belongs to 'variants'. A matrix varies the paths of its axes", "key")


def arm_problems(data: Mapping[str, Any]) -> Iterator[Problem]:
    """Yield problems of arms that cannot be compared: a single arm, or duplicate names."""
    for axis in axes_of(data):
        seen: set[str] = set()
        for it in choices_of(data, axis):
            if it.label in seen:
                yield Problem(it.pointer, f"'{axis}' has the value '{it.label}' twice")
            seen.add(it.label)
    arms = arms_of(data)
    if len(arms) == 1:
        pointer = ("matrix",) if _has(data, "matrix") else ("variants",)
        yield Problem(
            pointer,
            f"'{arms[0].name}' is the only arm. An experiment needs at least two arms to compare",
            "key",
        )


def path_problems(data: Mapping[str, Any], known: Mapping[str, Sequence[str]]) -> Iterator[Problem]:
    """Yield problems of paths that are not settings (`known`, by section). The schema checks the leading slash."""
    vary = data.get("vary")
    paths: list[tuple[Pointer, Any]] = [
        (("vary", index), it) for index, it in enumerate(vary if isinstance(vary, list) else ())
    ]
    matrix = data.get("matrix")
    if isinstance(matrix, dict):
        paths += [
            (("matrix", str(axis), "path"), it.get("path"))
            for axis, it in matrix.items()
            if isinstance(it, dict)
        ]
    for pointer, text in paths:
        path = path_of(text)
        if (
            path
            and path != ("",)
            and not has_placeholder(text)
            and (problem := _path_problem(pointer, path, known))
        ):
            yield problem


def _path_problem(
    pointer: Pointer, path: tuple[str, ...], known: Mapping[str, Sequence[str]]
) -> Problem | None:
    section, *rest = path
    if section not in known:
        sections = _listed([f"/{it}" for it in known])
        better = [pointer_text((it, *path)) for it, keys in known.items() if section in keys]
        if section in {"config", "overrides"}:
            better = [pointer_text(("defaults", *rest))]
        message = f"Arms cannot differ in {pointer_text(path)}. Paths must start with {sections}"
        return Problem(pointer, message, instead=tuple(better), is_doubtful=not better)
    if rest and rest[0] not in known[section]:
        near = nearest(rest[0], list(known[section]))
        better = [pointer_text((section, it, *rest[1:])) for it in near]
        message = f"'{section}' has no setting '{rest[0]}'. Known settings: {_listed(known[section])}"
        return Problem(pointer, message, instead=tuple(better))
    return None


def undeclared_differences(data: Mapping[str, Any], spec: Mapping[str, Any]) -> Iterator[Difference]:
    """Yield the settings of a spec that do not vary, but differ between arms and the baseline."""
    arms = {it.name: it for it in arms_of(data)}
    baseline = arms.get(baseline_name(data))
    if baseline is None or _has(data, "matrix"):
        return
    varied = varied_paths(data)
    first = settings_in(spec, data, baseline)
    for arm in arms.values():
        for path in differences(first, settings_in(spec, data, arm)):
            if not may_differ(path, varied):
                yield Difference(
                    arm, path, _setting_pointer(arm, path) or _setting_pointer(baseline, path) or arm.pointer
                )


def _setting_pointer(arm: Arm, path: tuple[str, ...]) -> Pointer | None:
    """Return the deepest known location of a setting of an arm; None if the arm does not set it."""
    value: Any = arm.over
    keys: list[str] = []
    for key in path:
        if not isinstance(value, dict) or key not in value:
            break
        keys.append(key)
        value = value[key]
    if not keys:
        return None
    section = "overrides" if keys[0] == "defaults" else keys[0]
    return (*arm.pointer, section, *keys[1:])


def _has(data: Mapping[str, Any], key: str) -> bool:
    value = data.get(key)
    return isinstance(value, dict) and bool(value)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_MAX_LISTED]) + (", ..." if len(names) > _MAX_LISTED else "")
