"""The comment in a converted file that holds what its dialect cannot say, so that the way back restores it.

It holds a small YAML mapping: the keys themselves (`golden_patch: ...`), and four keys of its own. `instead` and `without`
correct values that the way back would write otherwise, unless you changed them in between. `graders` are the original
graders, each with those that stand `as` it; `names` and `weights` are those of graders that changed nothing else.
All functions are pure, on plain data.
"""

import hashlib
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from waza_engine.lib.yaml.reader import YamlError, read_yaml
from waza_engine.lib.yaml.scalars import plain
from waza_engine.lib.yaml.writing import yaml_text

INSTEAD, WITHOUT, GRADERS = "instead", "without", "graders"
NAMES, WEIGHTS, JUDGE, STANDS_IN = "names", "weights", "judge", "as"
_OWN = (INSTEAD, WITHOUT, GRADERS, NAMES, WEIGHTS, JUDGE)
_TITLE = re.compile(r"\s*[Kk]ept from (?P<dialect>\w+)(?:;.*|, which has more words for it):\s*")
_LINE = re.compile(r"\s*\|(?: (?P<text>.*))?\s*", re.DOTALL)
_SECTIONS = frozenset(["config", "defaults", "environment", "inputs", "expected", "tags", "scoring"])
_LONGEST_MARK = 60
_EMPTY: tuple[Any, ...] = (None, [], {}, "")


class Found(NamedTuple):
    """Comment lines, split: the kept parts of `dialect`, the user's own lines, and the error if the parts are damaged."""

    parts: dict[str, Any]
    own: tuple[str, ...]
    problem: str = ""


def kept_lines(parts: Mapping[str, Any], dialect: str) -> list[str]:
    """Return the parts as comment lines without `#`; none without parts."""
    if not parts:
        return []
    title = f" Kept from {dialect}; `waza-lsp convert --to {dialect}` restores it:"
    return [title, *(f" | {it}".rstrip() for it in yaml_text(parts).splitlines())]


def kept_in(lines: Sequence[str], dialect: str) -> Found:
    """Return what `kept_lines` put into these lines. Damaged blocks stay among the user's own lines."""
    own: list[str] = []
    block: list[str] = []
    is_open = False
    for line in lines:
        title = _TITLE.fullmatch(line)
        if title and title["dialect"] == dialect:
            is_open = True
        elif is_open and (found := _LINE.fullmatch(line)):
            block.append(found["text"] or "")
        else:
            is_open = False
            own.append(line)
    if not block:
        return Found({}, tuple(own))
    try:
        parts = plain(read_yaml("\n".join([*block, ""])))
    except YamlError as error:
        return Found({}, tuple(lines), error.message)
    if not isinstance(parts, dict):
        return Found({}, tuple(lines), "it is not a mapping")
    return Found(parts, tuple(own))


def mark(value: Any) -> Any:
    """Return a short value itself, or a digest of a long one: enough to see whether you changed it."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    return (
        value if len(text) <= _LONGEST_MARK and isinstance(value, str | int | float | bool) else digest(value)
    )


def digest(value: Any) -> str:
    """Return the digest of plain data."""
    text = json.dumps(value, sort_keys=True, ensure_ascii=False, default=str)
    return f"sha256-{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def difference(original: Mapping[str, Any], again: Mapping[str, Any]) -> dict[str, Any]:
    """Return the parts that make `original` of `again`, which is what the way back writes by itself."""
    instead: dict[str, Any] = {}
    without: dict[str, Any] = {}
    parts = _difference(original, again, (), instead, without)
    return parts | ({INSTEAD: instead} if instead else {}) | ({WITHOUT: without} if without else {})


def _difference(
    original: Mapping[str, Any],
    again: Mapping[str, Any],
    above: tuple[str, ...],
    instead: dict[str, Any],
    without: dict[str, Any],
) -> dict[str, Any]:
    parts: dict[str, Any] = {}
    for key, value in original.items():
        there = again.get(key)
        if key not in again:
            if value not in _EMPTY:
                parts[key] = value
        elif isinstance(value, Mapping) and isinstance(there, Mapping):
            if inner := _difference(value, there, (*above, key), instead, without):
                parts[key] = inner
        elif value != there and str(value) != str(there):
            instead[_path((*above, key))] = {"of": mark(there), "is": value}
    for key, value in again.items():
        if key not in original and value not in _EMPTY:
            without[_path((*above, key))] = mark(value)
    return parts


def restored(data: Mapping[str, Any], parts: Mapping[str, Any]) -> dict[str, Any]:
    """Return the data with the kept parts restored. Values that the user has changed since the conversion stay."""
    made: dict[str, Any] = _copy(data)
    for path, change in _pairs(parts.get(INSTEAD)):
        if isinstance(change, Mapping) and "is" in change:
            _change(made, path, change.get("of"), change["is"])
    for path, before in _pairs(parts.get(WITHOUT)):
        _change(made, path, before, ...)
    _add(made, {key: it for key, it in parts.items() if key not in _OWN})
    return made


def own_keys(parts: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yield the paths of the keys that the other dialect lacks."""
    for key, value in parts.items():
        if key not in _OWN:
            yield from _leaves(value, (key,))


def _leaves(value: Any, path: tuple[str, ...]) -> Iterator[tuple[str, ...]]:
    # Keys of settings are listed one by one; any other key is listed as a whole.
    if path[0] in _SECTIONS and len(path) == 1 and isinstance(value, Mapping):
        for key in value:
            yield (*path, str(key))
    else:
        yield path


def _pairs(value: Any) -> Iterator[tuple[list[str], Any]]:
    if isinstance(value, Mapping):
        for path, it in value.items():
            yield [part.replace("~1", "/").replace("~0", "~") for part in str(path).split("/")], it


def _path(keys: Sequence[str]) -> str:
    return "/".join(str(it).replace("~", "~0").replace("/", "~1") for it in keys)


def _change(data: dict[str, Any], path: Sequence[str], before: Any, value: Any) -> None:
    """Set the value at a path, or remove it (`...`), if the value there is the one from `before`."""
    owners = [data]
    for key in path[:-1]:
        inner = owners[-1].get(key)
        if not isinstance(inner, dict):
            return
        owners.append(inner)
    key = path[-1]
    if key not in owners[-1] or mark(owners[-1][key]) != before:
        return
    if value is ...:
        del owners[-1][key]
    else:
        owners[-1][key] = value
    for name, owner in reversed(list(zip(path, owners[:-1], strict=False))):
        if owner[name] == {}:
            del owner[name]


def _add(data: dict[str, Any], parts: Mapping[str, Any]) -> None:
    for key, value in parts.items():
        there = data.get(key)
        if key not in data:
            data[key] = value
        elif isinstance(there, dict) and isinstance(value, Mapping):
            _add(there, value)


def _copy(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _copy(it) for key, it in value.items()}
    return [_copy(it) for it in value] if isinstance(value, list | tuple) else value
