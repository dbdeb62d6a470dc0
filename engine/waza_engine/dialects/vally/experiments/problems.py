"""What keeps an experiment from being planned: for the findings of the editor, and for the run.

See docs/reference/vally.md, section 9.

Everything is said of data that may be half-written; what the schema says already is not said again.
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

_LISTED = 6


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong at `pointer`; `instead` are values that would be right there.

    It `is_doubtful` when experiments that are in use have it, too: another version of vally may know what is meant.
    """

    pointer: Pointer
    message: str
    on: Literal["key", "value"] = "value"
    instead: tuple[str, ...] = ()
    is_doubtful: bool = False


@dataclass(frozen=True, slots=True)
class Difference:
    """An arm sets something that the baseline has not, and that may not differ. `path` leads to it in the spec."""

    arm: Arm
    path: tuple[str, ...]
    pointer: Pointer


def baseline_problems(data: Mapping[str, Any]) -> Iterator[Problem]:
    """A baseline that is no arm."""
    given = data.get("baseline")
    if is_null(given) or has_placeholder(given):
        return
    if _has(data, "matrix"):
        yield from _matrix_baseline(data, given)
    elif isinstance(given, dict):
        if _has(data, "variants"):
            message = "With 'variants' the baseline is the name of one of them"
            yield Problem(("baseline",), message, is_doubtful=True)
    elif _has(data, "variants"):
        known = [it.name for it in arms_of(data)]
        name = label_of(given)
        if name not in known:
            message = f"There is no variant '{name}'; there are: {_listed(known)}"
            yield Problem(("baseline",), message, instead=tuple(nearest(name, known)))


def _matrix_baseline(data: Mapping[str, Any], given: Any) -> Iterator[Problem]:
    axes = list(axes_of(data))
    if not isinstance(given, dict):
        message = f"With 'matrix' the baseline has a value for each axis: {_listed(axes)}"
        yield Problem(("baseline",), message)
        return
    for axis, value in given.items():
        if axis not in axes:
            message = f"The matrix has no axis '{axis}'; there are: {_listed(axes)}"
            yield Problem(("baseline", axis), message, "key", tuple(nearest(axis, axes)))
            continue
        labels = [it.label for it in choices_of(data, axis)]
        label = label_of(value)
        if labels and label not in labels and not has_placeholder(label):
            message = f"'{axis}' does not take the value '{label}'; it takes: {_listed(labels)}"
            yield Problem(("baseline", axis), message, instead=tuple(nearest(label, labels)))
    if missing := [it for it in axes if it not in given]:
        yield Problem(("baseline",), f"The baseline has no value for {_listed(missing)}", "key")


def matrix_problems(data: Mapping[str, Any]) -> Iterator[Problem]:
    """What may not stand beside a matrix: it makes the arms, and says by itself what they differ in."""
    if not _has(data, "matrix"):
        return
    if _has(data, "variants"):
        yield Problem(
            ("matrix",), "There are 'variants' and a 'matrix': an experiment has one of them", "key"
        )
    elif "vary" in data:
        yield Problem(("vary",), "'vary' goes with 'variants'; a matrix varies the paths of its axes", "key")


def arm_problems(data: Mapping[str, Any]) -> Iterator[Problem]:
    """Arms that cannot be compared: too few of them, or several of one name."""
    for axis in axes_of(data):
        seen: set[str] = set()
        for it in choices_of(data, axis):
            if it.label in seen:
                yield Problem(it.pointer, f"'{axis}' has the value '{it.label}' twice")
            seen.add(it.label)
    arms = arms_of(data)
    if len(arms) == 1:
        place = ("matrix",) if _has(data, "matrix") else ("variants",)
        yield Problem(
            place,
            f"There is nothing to compare '{arms[0].name}' with: an experiment has at least two arms",
            "key",
        )


def path_problems(data: Mapping[str, Any], known: Mapping[str, Sequence[str]]) -> Iterator[Problem]:
    """Paths that lead to no setting; `known` are the settings by section. Those without a slash are the schema's matter."""
    given = data.get("vary")
    places: list[tuple[Pointer, Any]] = [
        (("vary", index), it) for index, it in enumerate(given if isinstance(given, list) else ())
    ]
    matrix = data.get("matrix")
    if isinstance(matrix, dict):
        places += [
            (("matrix", str(axis), "path"), it.get("path"))
            for axis, it in matrix.items()
            if isinstance(it, dict)
        ]
    for pointer, text in places:
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
        message = (
            f"{pointer_text(path)} leads to nothing that arms may differ in; paths begin with {sections}"
        )
        return Problem(pointer, message, instead=tuple(better), is_doubtful=not better)
    if rest and rest[0] not in known[section]:
        near = nearest(rest[0], list(known[section]))
        better = [pointer_text((section, it, *rest[1:])) for it in near]
        message = f"'{section}' has no setting '{rest[0]}'; there are: {_listed(known[section])}"
        return Problem(pointer, message, instead=tuple(better))
    return None


def undeclared_differences(data: Mapping[str, Any], spec: Mapping[str, Any]) -> Iterator[Difference]:
    """Where arms differ from the baseline, in a spec, in what does not vary."""
    arms = {it.name: it for it in arms_of(data)}
    baseline = arms.get(baseline_name(data))
    if baseline is None or _has(data, "matrix"):
        return
    varied = varied_paths(data)
    first = settings_in(spec, data, baseline)
    for arm in arms.values():
        for path in differences(first, settings_in(spec, data, arm)):
            if not may_differ(path, varied):
                yield Difference(arm, path, _written(arm, path) or _written(baseline, path) or arm.pointer)


def _written(arm: Arm, path: tuple[str, ...]) -> Pointer | None:
    """Where the file sets it for an arm, as far as that can be said."""
    value: Any = arm.over
    found: list[str] = []
    for key in path:
        if not isinstance(value, dict) or key not in value:
            break
        found.append(key)
        value = value[key]
    if not found:
        return None
    section = "overrides" if found[0] == "defaults" else found[0]
    return (*arm.pointer, section, *found[1:])


def _has(data: Mapping[str, Any], key: str) -> bool:
    value = data.get(key)
    return isinstance(value, dict) and bool(value)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names[:_LISTED]) + (", ..." if len(names) > _LISTED else "")
