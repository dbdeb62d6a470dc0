"""Findings: problems in a file's data, with their rules and fixes.

A finding refers to the data by a `Pointer` of keys and indexes, never to positions in the text: only the language server
knows those. A fix is data as well: it describes what changes, not which characters. This module imports nothing
expensive, because the language server needs it at start.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypedDict, Unpack

from waza_engine.lib.pointer import Pointer


@dataclass(frozen=True, slots=True)
class Scope:
    """What a check may know beyond the data: the suite's folders and its executor.

    `eval_dir` and `process_dir` (where runs are started) are None if they are unknown, as for an unsaved file; checks
    that need them find nothing then. `executor` is "" if it is unknown.
    """

    eval_dir: Path | None = None
    process_dir: Path | None = None
    executor: str = ""


class Severity(StrEnum):
    """The severity of a finding, with the words of the command line's JSON output."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"
    HINT = "hint"


@dataclass(frozen=True, slots=True)
class RenameKey:
    """Rename the key at `pointer` to `name`."""

    pointer: Pointer
    name: str


@dataclass(frozen=True, slots=True)
class SetValue:
    """Replace the value at `pointer` with `value`."""

    pointer: Pointer
    value: Any


@dataclass(frozen=True, slots=True)
class QuoteValue:
    """Quote the number, boolean or date at `pointer`, so that it becomes a string with the same characters."""

    pointer: Pointer


@dataclass(frozen=True, slots=True)
class InsertKey:
    """Insert `key` with `value` into the mapping at `pointer`. With None the schema provides the value.

    An existing key without a value gets the value.
    """

    pointer: Pointer
    key: str
    value: Any


@dataclass(frozen=True, slots=True)
class RemoveKey:
    """Remove the entry or list item at `pointer`.

    With `comments_to`, comments that the fix would lose are kept above the first entry of that mapping.
    """

    pointer: Pointer
    comments_to: Pointer = ()


@dataclass(frozen=True, slots=True)
class MoveKey:
    """Move the entry at `pointer` to `to`, a path that ends with the new key.

    Missing mappings on the path are created. The change is impossible if `to` already exists. While the mappings above
    the finding are unknown, `to` may begin with `..` parts.
    """

    pointer: Pointer
    to: Pointer


@dataclass(frozen=True, slots=True)
class AppendItem:
    """Append `value` to the list at `pointer`, which is created if it does not exist; `first` puts it at the start."""

    pointer: Pointer
    value: Any
    first: bool = False


@dataclass(frozen=True, slots=True)
class MakeList:
    """Replace the value at `pointer` with a list of that value."""

    pointer: Pointer


@dataclass(frozen=True, slots=True)
class AddBlanks:
    """Add the missing blanks after dashes or colons to the text at `pointer`, so that it becomes a list or mapping."""

    pointer: Pointer


@dataclass(frozen=True, slots=True)
class SplitText:
    """End the block text at `pointer` before the first `line` of it; the rest becomes the value of a new `key`."""

    pointer: Pointer
    line: str
    key: str


@dataclass(frozen=True, slots=True)
class CreateFile:
    """Create a file at `path` (absolute) with `text`."""

    path: Path
    text: str = ""


Change = (
    RenameKey
    | SetValue
    | QuoteValue
    | InsertKey
    | RemoveKey
    | MoveKey
    | AppendItem
    | MakeList
    | AddBlanks
    | SplitText
    | CreateFile
)


class Related(NamedTuple):
    """A place that explains a finding, in the finding's own file or in `path`."""

    pointer: Pointer
    text: str
    path: Path | None = None


@dataclass(frozen=True, slots=True)
class Fix:
    """One way to fix a finding: an imperative title, and changes that are applied together.

    All pointers refer to the data before the first change. A `safe` fix changes a run only in the way that the author
    obviously meant; fix-all applies safe fixes only.
    """

    title: str
    changes: tuple[Change, ...]
    preferred: bool = False
    safe: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem or doubt at one place of the data.

    `refused` means that waza cannot create the grader with this config ("create error" in
    docs/reference/waza-graders.md), which a run reports before the agent starts. `part` is the range of the string at
    `pointer` that is wrong (start and exclusive end); None is all of it. `open_name` is the unknown name, where
    plug-ins may add names. `older` is a version, and the severity of the finding before it.
    """

    rule: "Rule"
    pointer: Pointer
    message: str
    severity: Severity
    on: Literal["key", "value"] = "value"
    fixes: tuple[Fix, ...] = ()
    related: tuple[Related, ...] = ()
    refused: bool = False
    part: tuple[int, int] | None = None
    open_name: str = ""
    older: tuple[str, Severity] | None = None

    @property
    def code(self) -> str:
        """The code of the rule, which names the problem: `unknown-key`."""
        return self.rule.code

    def below(self, prefix: Pointer) -> "Finding":
        """Return the finding in the enclosing data, where its own data is at `prefix`."""
        if not prefix:
            return self
        return self.map_pointers(lambda pointer: _join(prefix, pointer))

    def map_pointers(self, move: Callable[[Pointer], Pointer]) -> "Finding":
        """Return the finding with `move` applied to all of its pointers."""
        return replace(
            self,
            pointer=move(self.pointer),
            fixes=tuple(_move_fix(move, it) for it in self.fixes),
            related=tuple(_move_related(move, it) for it in self.related),
        )


def _join(prefix: Pointer, pointer: Pointer) -> Pointer:
    """Return `pointer` below `prefix`, with its leading `..` parts resolved."""
    up = sum(it == ".." for it in pointer)
    above = prefix[: max(0, len(prefix) - up)]
    return (*above, *[".."] * (up - len(prefix)), *pointer[up:])


def _move_fix(move: Callable[[Pointer], Pointer], fix: Fix) -> Fix:
    return replace(fix, changes=tuple(_move_change(move, it) for it in fix.changes))


def _move_related(move: Callable[[Pointer], Pointer], place: Related) -> Related:
    # The pointer of a place in another file stays.
    return place._replace(pointer=move(place.pointer)) if place.path is None else place


def _move_change(move: Callable[[Pointer], Pointer], change: Change) -> Change:
    match change:
        case CreateFile():
            return change
        case MoveKey(pointer, to):
            return MoveKey(move(pointer), move(to))
        case RemoveKey(pointer, to) if to:
            return RemoveKey(move(pointer), move(to))
        case _:
            return replace(change, pointer=move(change.pointer))


def removal(pointer: Pointer) -> Fix:
    """Return the fix that removes the entry or list item at `pointer`."""
    return Fix(f"Remove '{pointer[-1]}'", (RemoveKey(pointer),))


class Details(TypedDict, total=False):
    """Fields of a `Finding` that few have."""

    on: Literal["key", "value"]
    refused: bool
    part: tuple[int, int] | None


_MAX_MESSAGE = 1_000
HERE = "."
"""In `Rule.needs`: the top-level key, or the item of a top-level list, that contains the finding."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of finding. `code` names the problem and completes the sentence "allow ...".

    `needs` are the parts of a file that must be read without gaps for this rule to apply, because it reports something
    missing or a total: top-level keys, and `HERE` for the part that contains the finding. `outdated` marks
    forms of older versions: such a finding takes precedence over others about the same entry, and an upgrade applies its
    fixes. An `opt_in` rule is off until the settings give its code a level. Of a `fixable` rule, some findings have a
    safe fix, which `check --fix` applies.
    """

    code: str
    title: str
    severity: Severity = Severity.ERROR
    tags: frozenset[Literal["deprecated", "unused"]] = field(default_factory=frozenset)
    needs: frozenset[str] = field(default_factory=frozenset)
    outdated: bool = False
    opt_in: bool = False
    fixable: bool = False

    def at(
        self,
        pointer: Pointer,
        message: str,
        *,
        fixes: Iterable[Fix] = (),
        related: Iterable[tuple[Pointer, str] | Related] = (),
        severity: Severity | None = None,
        **details: Unpack[Details],
    ) -> Finding:
        """Return a finding of this kind at `pointer`."""
        if len(message) > _MAX_MESSAGE:
            message = message[: _MAX_MESSAGE - 1] + "…"  # It quotes a value, which may be a whole file.
        places = tuple(Related(*it) for it in related)
        level = severity or self.severity
        return Finding(self, pointer, message, level, fixes=tuple(fixes), related=places, **details)
