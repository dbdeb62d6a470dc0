"""The record of something worth telling the author, found in a file's data.

A finding points into the data by keys and indexes (a `Pointer`), never at text: only the language
server knows where in the text a pointer stands. A fix is data too: what should change, not which characters.

What a static check may know beyond the data it checks. Cheap to import: the language server needs it at start.
"""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, NamedTuple

from waza_engine.lib.pointer import Pointer


@dataclass(frozen=True, slots=True)
class Scope:
    """Where the suite stands and how it will run.

    `eval_dir` and `process_dir` are None when unknown (a file that is not saved yet); a check that needs them
    then stays silent. `executor` is the suite's, empty when unknown.
    """

    eval_dir: Path | None = None
    process_dir: Path | None = None
    executor: str = ""


class Severity(StrEnum):
    """How bad a finding is, in the words of the command line's JSON output."""

    ERROR = "error"
    WARNING = "warning"
    INFORMATION = "information"
    HINT = "hint"


@dataclass(frozen=True, slots=True)
class RenameKey:
    """The key at `pointer` should be spelt `name`."""

    pointer: Pointer
    name: str


@dataclass(frozen=True, slots=True)
class SetValue:
    """The value at `pointer` should be `value`."""

    pointer: Pointer
    value: Any


@dataclass(frozen=True, slots=True)
class QuoteValue:
    """The number, truth value or date at `pointer` should be a text: the very characters that stand there."""

    pointer: Pointer


@dataclass(frozen=True, slots=True)
class InsertKey:
    """The mapping at `pointer` should gain `key` with `value`; None leaves the value to the schema.

    A key that is there without a value gets one.
    """

    pointer: Pointer
    key: str
    value: Any


@dataclass(frozen=True, slots=True)
class RemoveKey:
    """The entry or list item at `pointer` should go."""

    pointer: Pointer


@dataclass(frozen=True, slots=True)
class MoveKey:
    """The entry at `pointer` should stand at `to` instead: a path that ends with its key there.

    Mappings on the way that do not exist yet are made. What stands at `to` already is an obstacle: then the change
    cannot be made. As long as the mappings above the finding are unknown, `to` may begin with `..` parts that lead up.
    """

    pointer: Pointer
    to: Pointer


@dataclass(frozen=True, slots=True)
class AppendItem:
    """The list at `pointer` should gain `value` at its end; a list that does not exist yet is made."""

    pointer: Pointer
    value: Any


@dataclass(frozen=True, slots=True)
class MakeList:
    """The value at `pointer` should be the only item of a list."""

    pointer: Pointer


@dataclass(frozen=True, slots=True)
class AddBlanks:
    """The text at `pointer` was meant as a list or mapping: its dashes or colons lack the blank behind them."""

    pointer: Pointer


@dataclass(frozen=True, slots=True)
class CreateFile:
    """There should be a file at `path` (absolute) that holds `text`."""

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
    | CreateFile
)


class Related(NamedTuple):
    """A place that explains a finding: in the finding's own file, or in the file `path`."""

    pointer: Pointer
    text: str
    path: Path | None = None


@dataclass(frozen=True, slots=True)
class Fix:
    """One way to mend a finding: a title in the imperative and the changes, applied together.

    All pointers speak of the data as it is before the first change.
    `safe` means the fix cannot change what a run does other than as the author plainly meant;
    only safe fixes take part in fix-all.
    """

    title: str
    changes: tuple[Change, ...]
    preferred: bool = False
    safe: bool = False


@dataclass(frozen=True, slots=True)
class Finding:
    """Something wrong or doubtful at one place of the data.

    `refused` means that the grader cannot be built at all with this config ("create error" in docs/reference/waza-graders.md):
    the run reports it before the agent starts. `part` is the stretch of the text at `pointer` that is at fault, as
    first character and the one behind the last; None: all of it. `open_name` is the name that is unknown, where plug-ins
    may add names.
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

    @property
    def code(self) -> str:
        """The code of the rule, which names what is wrong: `unknown-key`."""
        return self.rule.code

    def below(self, prefix: Pointer) -> "Finding":
        """The same finding seen from further up: `prefix` is where its data hangs."""
        if not prefix:
            return self
        return self.moved(lambda it: _joined(prefix, it))

    def moved(self, move: Callable[[Pointer], Pointer]) -> "Finding":
        """The same finding with other pointers."""
        return replace(
            self,
            pointer=move(self.pointer),
            fixes=tuple(replace(it, changes=tuple(_moved(move, c) for c in it.changes)) for it in self.fixes),
            related=tuple(
                it._replace(pointer=move(it.pointer)) if it.path is None else it for it in self.related
            ),
        )


def _joined(prefix: Pointer, pointer: Pointer) -> Pointer:
    up = sum(it == ".." for it in pointer)
    above = prefix[: max(0, len(prefix) - up)]
    return (*above, *[".."] * (up - len(prefix)), *pointer[up:])


def _moved(move: Callable[[Pointer], Pointer], change: Change) -> Change:
    match change:
        case CreateFile():
            return change
        case MoveKey(pointer, to):
            return MoveKey(move(pointer), move(to))
        case _:
            return replace(change, pointer=move(change.pointer))


_LONGEST = 1_000
"""Characters of a message."""
HERE = "."
"""In `Rule.needs`: the item of a top-level list, or the top-level key, that a finding stands in."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A kind of finding. `code` names the bad thing and completes the sentence "allow ...".

    `needs` are the parts of a file that have to be read whole before it can be said, because it says what is not there,
    or what things add up to: top-level keys, and `HERE` for the part that the finding stands in. `outdated` marks forms
    of older versions: of two findings about one entry these explain more, and an upgrade applies their fixes.
    """

    code: str
    title: str
    severity: Severity = Severity.ERROR
    tags: frozenset[Literal["deprecated", "unused"]] = field(default_factory=frozenset)
    needs: frozenset[str] = field(default_factory=frozenset)
    outdated: bool = False

    def at(
        self,
        pointer: Pointer,
        message: str,
        *,
        on: Literal["key", "value"] = "value",
        fixes: Iterable[Fix] = (),
        related: Iterable[tuple[Pointer, str] | Related] = (),
        severity: Severity | None = None,
        refused: bool = False,
        part: tuple[int, int] | None = None,
    ) -> Finding:
        """A finding of this kind at `pointer`."""
        places = tuple(Related(*it) for it in related)
        if len(message) > _LONGEST:
            message = message[: _LONGEST - 1] + "…"  # It names a value, which may be a whole file.
        return Finding(
            self, pointer, message, severity or self.severity, on, tuple(fixes), places, refused, part
        )
