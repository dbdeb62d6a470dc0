"""What a dialect of eval files is made of: plain data, cheap to import (no pydantic, no YAML).

Each folder below `formats/` holds one dialect; its module `dialect` has the record `DIALECT`.
"""

from collections.abc import Collection
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import PurePath


@dataclass(frozen=True, slots=True)
class Signal:
    """Top-level keys that together speak for a kind: one of each group, and none of `unless`.

    A `weak` signal also occurs in files of other tools: then most of the keys must be known to the kind.
    """

    groups: tuple[frozenset[str], ...]
    unless: frozenset[str] = frozenset()
    weak: bool = False

    def found_in(self, keys: frozenset[str], known: frozenset[str]) -> str | None:
        """The keys that gave the signal, as a phrase, or None."""
        if keys & self.unless or not all(keys & group for group in self.groups):
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
        if self.alone:
            return True
        if not keys:
            return self.may_be_empty
        if self.telling and keys & self.telling and len(keys & known) > len(keys - known):
            return True
        return self.may_be_empty and keys <= known


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of file. `schema` is the name for `schema_files.read_schema`, `model` is `module:class`."""

    name: str
    schema: str
    model: str
    keys: frozenset[str]
    signals: tuple[Signal, ...] = ()
    file_names: tuple[FileName, ...] = ()


@dataclass(frozen=True, slots=True)
class Dialect:
    """A family of file formats. `graders` are folders of `graders/`, the current one first.

    `loader` is `module:function`, called as `load_suite(path, process_dir=...)`. `never` are top-level keys that
    say: another dialect.
    """

    name: str
    kinds: tuple[Kind, ...]
    graders: tuple[str, ...]
    loader: str
    never: frozenset[str] = frozenset()
    schema_folder: str = ""

    def by_content(self, keys: frozenset[str]) -> tuple[Kind, str] | None:
        """The kind that the keys speak for, and why."""
        for kind in self.kinds:
            for signal in kind.signals:
                if found := signal.found_in(keys, kind.keys):
                    return kind, f"top-level keys {found}"
        return None

    def by_path(self, keys: Collection[str] | None, path: PurePath) -> tuple[Kind, str] | None:
        """The kind that the file's name speaks for, if the keys (None: no mapping) do not speak against it."""
        for kind in self.kinds:
            for name in kind.file_names:
                fits = name.fits(path) and (
                    name.alone if keys is None else name.accepts(frozenset(keys), kind.keys)
                )
                if fits:
                    return kind, f"file name {path.name}"
        return None
