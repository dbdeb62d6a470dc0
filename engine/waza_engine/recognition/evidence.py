"""What shows that a file is of some kind: the shape of values, sets of keys, file names. Plain data."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import PurePath
from typing import Any

from waza_engine.lib.spelling import is_typo
from waza_engine.lib.yaml.scalars import Scalar

_SAMPLE = 3


@dataclass(frozen=True, slots=True)
class Shape:
    """The values of a top-level key in our files, for keys that other tools use, too.

    A mapping is ours with one of the `own` keys, or with one of `types` under `type`; `common` keys only decide nothing.
    `text` returns the verdict on a string; without it a string is never ours. Without any keys a mapping decides
    nothing. With `named` the keys are names chosen by the author, and the values have the shape. With `closed` an
    unknown key speaks against a mapping even beside one of the `own` keys.
    """

    own: frozenset[str] = frozenset()
    common: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()
    text: Callable[[str], int] | None = None
    named: bool = False
    closed: bool = False

    def verdict(self, value: Any) -> int:
        """Return > 0 for a value of ours, < 0 for one of another tool, 0 if it is absent or may be either."""
        value = value.value if isinstance(value, Scalar) else value
        if isinstance(value, dict | Mapping):  # The check for `dict` is fast.
            return self._of_items(value.values()) if self.named else self._of_mapping(value)
        if isinstance(value, list):
            return -1 if self.named and value else self._of_items(value)
        if self.text and isinstance(value, str | int | float) and value != "":
            return self.text(str(value))
        if isinstance(value, str) and value:
            return -1 + self._begins_a_key(value)
        return -1 if isinstance(value, int | float) else 0

    def _of_items(self, values: Iterable[Any]) -> int:
        """Return the verdict of the first items: a later one may be incomplete, and the list long."""
        shaped = replace(self, named=False) if self.named else self
        return max((shaped.verdict(it) for it in islice(values, _SAMPLE)), default=0)

    def _begins_a_key(self, text: str) -> bool:
        """Whether the text is the beginning of a key of ours."""
        word = text.partition(":")[0]
        return any(it.startswith(word) for it in self.own | self.common)

    def _of_mapping(self, value: Mapping[str, Any]) -> int:
        is_ours = bool(self.own & value.keys()) or (
            isinstance(value.get("type"), str) and value["type"] in self.types
        )
        if is_ours and not self.closed:
            return 1
        if not (self.own or self.common):
            return 0
        # A key without a value is still being typed, and one unknown key may be a typo.
        known = self.own | self.common
        strange = [key for key, it in value.items() if key not in known and _is_written(it)]
        return -min(len(strange) - self._has_slip(strange), 2) or int(is_ours)

    def _has_slip(self, strange: list[str]) -> bool:
        return any(is_typo(str(key), it) for key in strange for it in self.own)


def _is_written(value: Any) -> bool:
    return (value.value if isinstance(value, Scalar) else value) is not None


@dataclass(frozen=True, slots=True)
class Signal:
    """Top-level keys that together indicate a kind: one of each group.

    A `weak` signal also occurs in files of other tools: then the kind must know most of the keys, and none may be
    typical of another tool. With `shaped`, the value of that key must be ours; then other keys do not matter. A signal
    with `at` (ends of paths, as in `FileName`) applies only there, whatever the other values are: see `Kind.signal_at`.
    """

    groups: tuple[frozenset[str], ...]
    weak: bool = False
    shaped: str = ""
    at: tuple[str, ...] = ()

    def evidence(self, keys: frozenset[str], known: frozenset[str]) -> str | None:
        """Return the keys of the signal as a phrase; None without the signal."""
        if not all(keys & group for group in self.groups):
            return None
        if self.weak and len(keys & known) <= len(keys - known):
            return None
        return ", ".join(min(keys & group) for group in self.groups)


@dataclass(frozen=True, slots=True)
class FileName:
    """A usual file name of a kind, as a pattern for the end of the path, with conditions on the keys.

    With `alone` no other tool uses the name, so the keys do not matter. Otherwise the kind must know all keys and one of
    `beginnings` must be present, or one of `telling` is present and most keys are known. A name that several dialects use
    counts `in_project`: only where this dialect's project file is the nearest, and there most keys must be known.
    """

    pattern: str
    alone: bool = False
    in_project: bool = False
    telling: frozenset[str] = frozenset()
    beginnings: frozenset[str] = frozenset()
    """Keys that a file usually starts with; empty means any. Other known keys are too common to decide."""
    may_be_empty: bool = True

    def fits(self, path: PurePath) -> bool:
        return ends_like(path, self.pattern)

    def is_only_a_folder(self) -> bool:
        """Whether the pattern is about the folder of the file, not its name."""
        return "/" in self.pattern

    def accepts(self, keys: frozenset[str], known: frozenset[str]) -> bool:
        if not keys:
            return self.may_be_empty
        if self.telling and keys & self.telling and len(keys & known) > len(keys - known):
            return True
        return self.may_be_empty and keys <= known and self.has_beginning(keys)

    def has_beginning(self, keys: frozenset[str]) -> bool:
        """Whether one of `beginnings` is present."""
        return not self.beginnings or not keys.isdisjoint(self.beginnings)


def ends_like(path: PurePath, pattern: str) -> bool:
    depth = pattern.count("/") + 1
    return fnmatchcase("/".join(path.parts[-depth:]), pattern)
