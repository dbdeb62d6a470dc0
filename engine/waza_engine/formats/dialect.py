"""What a dialect of eval files is made of: plain data, cheap to import (no pydantic, no YAML).

Each folder below `formats/` holds one dialect; its module `dialect` has the record `DIALECT`.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import PurePath
from typing import Any


@dataclass(frozen=True, slots=True)
class Signal:
    """Top-level keys that together speak for a kind: one of each group.

    A `weak` signal also occurs in files of other tools: then most of the keys must be known to the kind, and none
    typical of another tool.
    """

    groups: tuple[frozenset[str], ...]
    weak: bool = False

    def found_in(self, keys: frozenset[str], known: frozenset[str]) -> str | None:
        """The keys that gave the signal, as a phrase, or None."""
        if not all(keys & group for group in self.groups):
            return None
        if self.weak and len(keys & known) <= len(keys - known):
            return None
        return ", ".join(min(keys & group) for group in self.groups)


@dataclass(frozen=True, slots=True)
class FileName:
    """A usual name of a kind, as a pattern for the end of the path, and what the keys must then be like.

    `alone` means that no other tool uses the name, so that the keys do not matter. Otherwise they must all be known
    to the kind, or one of `telling` must be among them and most be known.
    """

    pattern: str
    alone: bool = False
    telling: frozenset[str] = frozenset()
    may_be_empty: bool = True

    def fits(self, path: PurePath) -> bool:
        depth = self.pattern.count("/") + 1
        return fnmatchcase("/".join(path.parts[-depth:]), self.pattern)

    def accepts(self, keys: frozenset[str], known: frozenset[str]) -> bool:
        if not keys:
            return self.may_be_empty
        if self.telling and keys & self.telling and len(keys & known) > len(keys - known):
            return True
        return self.may_be_empty and keys <= known


@dataclass(frozen=True, slots=True)
class Shape:
    """What the value of a top-level key looks like in files of ours, as far as other tools use the key, too.

    A mapping is ours with one of the `own` keys, or with one of `types` under `type`; the `common` keys alone say nothing.
    `text` judges a text as `verdict` does; without it a text is never ours. Without any keys a mapping says nothing.
    """

    own: frozenset[str] = frozenset()
    common: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()
    text: Callable[[str], int] | None = None

    def verdict(self, value: Any) -> int:
        """More than 0 for a value of ours, less for one of another tool; 0 when it may be either, or is not written yet."""
        if isinstance(value, Mapping):
            return self._of_mapping(value)
        if isinstance(value, list):
            # The first items speak for all: a later one may be half-written, and the list long.
            return max((self.verdict(it) for it in islice(value, _LOOKED_AT)), default=0)
        if isinstance(value, str) and value:
            return self.text(value) if self.text else -1 + self._begins_a_key(value)
        return 0

    def _begins_a_key(self, text: str) -> bool:
        """Whether the text is a key of ours that is being typed."""
        word = text.partition(":")[0]
        return any(it.startswith(word) for it in self.own | self.common)

    def _of_mapping(self, value: Mapping[str, Any]) -> int:
        if self.own & value.keys() or (isinstance(value.get("type"), str) and value["type"] in self.types):
            return 1
        if not (self.own or self.common):
            return 0
        # A key without a value is still being written, and one strange key may be a slip.
        strange = [key for key, it in value.items() if key not in self.common and it is not None]
        return -min(len(strange), 2)


_LOOKED_AT = 3


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of file. `schema` is the name for `schema_files.read_schema`, `model` is `module:class`.

    `shapes` tells values of ours from those that other tools have under the same top-level keys.
    """

    name: str
    schema: str
    model: str
    keys: frozenset[str]
    signals: tuple[Signal, ...] = ()
    file_names: tuple[FileName, ...] = ()
    shapes: Mapping[str, Shape] = field(default_factory=dict)

    def verdict(self, values: Mapping[str, Any]) -> int:
        """What the values of the top-level keys say together, as in `Shape.verdict`."""
        return sum(it.verdict(values.get(key)) for key, it in self.shapes.items())


@dataclass(frozen=True, slots=True)
class Dialect:
    """A family of file formats. `graders` are folders of `graders/`, the current one first.

    `loader` is `module:function`, called as `load_suite(path, process_dir=...)`. `never` are top-level keys that
    say: another dialect; `other_tools` are typical of other tools, and beat everything that is no strong signal.
    """

    name: str
    kinds: tuple[Kind, ...]
    graders: tuple[str, ...]
    loader: str
    never: frozenset[str] = frozenset()
    other_tools: frozenset[str] = frozenset()
    schema_folder: str = ""

    def by_content(self, keys: frozenset[str], values: Mapping[str, Any]) -> tuple[Kind, str] | None:
        """The kind that the keys speak for, and why: a strong signal first, then the kind that knows most of them.

        A strong signal is believed until the values of several keys speak against it, or one does so clearly.
        """
        found = [
            ((not signal.weak, len(keys & kind.keys) - len(keys - kind.keys)), kind, reason)
            for kind in self.kinds
            for signal in kind.signals
            if not (signal.weak and keys & self.other_tools)
            and (reason := signal.found_in(keys, kind.keys))
            and kind.verdict(values) >= (0 if signal.weak else -1)
        ]
        if not found:
            return None
        _, kind, reason = max(found, key=lambda it: it[0])
        return kind, f"top-level keys {reason}"

    def by_path(
        self, keys: Collection[str] | None, values: Mapping[str, Any], path: PurePath
    ) -> tuple[Kind, str] | None:
        """The kind that the file's name speaks for, if keys (None: no mapping) and values do not speak against it."""
        present = frozenset(keys or ())
        for kind in self.kinds:
            for name in kind.file_names:
                speaks_against = (
                    keys is None
                    or present & self.other_tools
                    or not name.accepts(present, kind.keys)
                    or kind.verdict(values) < 0
                )
                if name.fits(path) and (name.alone or not speaks_against):
                    return kind, f"file name {path.name}"
        return None
