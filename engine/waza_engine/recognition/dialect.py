"""What a dialect of eval files is made of: plain data, cheap to import (no pydantic, no YAML).

Each folder below `dialects/` holds one dialect; its module `dialect` has the record `DIALECT`. What the engine wants to
know of a dialect it asks through the fields of this record. A callable is named as `module:name` and imported when it is
first used; `docs/contributing/add-a-dialect.md` shows a dialect that is added without editing any of our files.

Telling files of ours by what stands under a key, where other tools have files with the same keys.
"""

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import PurePath
from typing import Any, Literal

from waza_engine.lib.spelling import is_typo
from waza_engine.lib.yaml.scalars import Scalar

_SAMPLE = 3


@dataclass(frozen=True, slots=True)
class Shape:
    """What the value of a top-level key looks like in files of ours, as far as other tools use the key, too.

    A mapping is ours with one of the `own` keys, or with one of `types` under `type`; the `common` keys alone say
    nothing.
    `text` judges a text as `verdict` does; without it a text is never ours. Without any keys a mapping says nothing.
    With `named` the keys are names that the author gives, and the values have the shape. With `closed` a strange key
    speaks against a mapping even beside one of the `own` keys.
    """

    own: frozenset[str] = frozenset()
    common: frozenset[str] = frozenset()
    types: frozenset[str] = frozenset()
    text: Callable[[str], int] | None = None
    named: bool = False
    closed: bool = False

    def verdict(self, value: Any) -> int:
        """More than 0 for a value of ours, less for one of another tool; 0 when it may be either, or is not written."""
        value = value.value if isinstance(value, Scalar) else value
        if isinstance(value, dict | Mapping):  # A `dict` is told at once.
            return self._of_items(value.values()) if self.named else self._of_mapping(value)
        if isinstance(value, list):
            return -1 if self.named and value else self._of_items(value)
        if self.text and isinstance(value, str | int | float) and value != "":
            return self.text(str(value))
        if isinstance(value, str) and value:
            return -1 + self._begins_a_key(value)
        return -1 if isinstance(value, int | float) else 0

    def _of_items(self, values: Iterable[Any]) -> int:
        """The first items speak for all: a later one may be half-written, and the list long."""
        shaped = replace(self, named=False) if self.named else self
        return max((shaped.verdict(it) for it in islice(values, _SAMPLE)), default=0)

    def _begins_a_key(self, text: str) -> bool:
        """Whether the text is a key of ours that is being typed."""
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
        # A key without a value is still being written, and one strange key may be a slip.
        known = self.own | self.common
        strange = [key for key, it in value.items() if key not in known and _is_written(it)]
        return -min(len(strange) - self._has_slip(strange), 2) or int(is_ours)

    def _has_slip(self, strange: list[str]) -> bool:
        return any(is_typo(str(key), it) for key in strange for it in self.own)


def _is_written(value: Any) -> bool:
    return (value.value if isinstance(value, Scalar) else value) is not None


@dataclass(frozen=True, slots=True)
class Signal:
    """Top-level keys that together speak for a kind: one of each group.

    A `weak` signal also occurs in files of other tools: then most of the keys must be known to the kind, and none
    typical of another tool. With `shaped`, what stands under that key must be ours; then other keys do not matter.
    One with places `at` (ends of paths, as in `FileName`) speaks only there, where what stands under the other keys may
    be strange: see `Kind.told_at`.
    """

    groups: tuple[frozenset[str], ...]
    weak: bool = False
    shaped: str = ""
    at: tuple[str, ...] = ()

    def evidence(self, keys: frozenset[str], known: frozenset[str]) -> str | None:
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
    to the kind and one of `beginnings` be there, or one of `telling` must be among them and most be known. A name
    counts `in_project` when it is usual in several dialects: then only where the project file of this one is the
    nearest, and there it is enough that most keys are known.
    """

    pattern: str
    alone: bool = False
    in_project: bool = False
    telling: frozenset[str] = frozenset()
    beginnings: frozenset[str] = frozenset()
    """Keys that people begin a file with; empty: any. The other known keys are too common to say anything alone."""
    may_be_empty: bool = True

    def fits(self, path: PurePath) -> bool:
        return _ends_like(path, self.pattern)

    def is_only_a_folder(self) -> bool:
        """Whether the pattern says where the file lies, not what it is called."""
        return "/" in self.pattern

    def accepts(self, keys: frozenset[str], known: frozenset[str]) -> bool:
        if not keys:
            return self.may_be_empty
        if self.telling and keys & self.telling and len(keys & known) > len(keys - known):
            return True
        return self.may_be_empty and keys <= known and self.has_beginning(keys)

    def has_beginning(self, keys: frozenset[str]) -> bool:
        """Whether a key is there that people begin such a file with."""
        return not self.beginnings or not keys.isdisjoint(self.beginnings)


def _ends_like(path: PurePath, pattern: str) -> bool:
    depth = pattern.count("/") + 1
    return fnmatchcase("/".join(path.parts[-depth:]), pattern)


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of file. `schema` is the name for `schema_files.read_schema`, `model` is `module:class`.

    `shapes` tells values of ours from those that other tools have under the same top-level keys. A schema whose
    address fits one of `addresses` (patterns) is the one that a file of this kind names in its modeline. One at one of
    `paths` may be another tool's: the keys and values must fit, where a key of `too_high` is as good as one of ours:
    people write it at the top level, and it belongs below another. Where the file is called as ours are, only what
    `deciding` says of a value can speak against the keys.
    """

    name: str
    schema: str
    model: str
    keys: frozenset[str]
    addresses: tuple[str, ...] = ()
    signals: tuple[Signal, ...] = ()
    file_names: tuple[FileName, ...] = ()
    paths: tuple[str, ...] = ()
    shapes: Mapping[str, Shape] = field(default_factory=dict)
    deciding: Mapping[str, Shape] = field(default_factory=dict)
    too_high: frozenset[str] = frozenset()
    runnable: Literal["", "eval", "task", "experiment"] = ""
    """What of it can be run; its schema says the same with `x-runnable`."""
    graders: tuple[tuple[str, ...], ...] = ()
    """The lists of grader entries: the keys of the lists that lead to each, as in `("tasks", "graders")`."""
    tasks: tuple[str, ...] = ()
    """The top-level lists whose items are tasks. Of a kind that is a task itself: none."""
    task_keys: frozenset[str] = frozenset()
    """An item of such a list is a task with one of these keys; empty: every mapping is one."""
    task_kind: str = ""
    """The kind of the files that globs under `tasks` name; empty when this kind names none."""
    strict_graders: bool = False
    """Whether the configs of the entries under `graders` are read more strictly than the rest of the file."""

    def verdict(self, values: Mapping[str, Any]) -> int:
        """What the values of the top-level keys say together, as in `Shape.verdict`."""
        return sum(it.verdict(values.get(key)) for key, it in self.shapes.items())

    def signal_at(self, path: PurePath, keys: frozenset[str], values: Mapping[str, Any]) -> str | None:
        """The keys that say it for a file at this path, though what stands under them may be strange; or None.

        With a weak signal all keys must be known.
        """
        if any(it.verdict(values.get(key)) < 0 for key, it in self.deciding.items()):
            return None
        here = (
            it
            for it in self.signals
            if any(_ends_like(path, pattern) for pattern in it.at)
            and (not it.shaped or self.deciding[it.shaped].verdict(values.get(it.shaped)) > 0)
        )
        found = (it.evidence(keys, self.keys) for it in here if not it.weak or keys <= self.keys)
        return next(filter(None, found), None)

    def deciding_at(self, path: PurePath) -> set[str]:
        """The keys whose values may make it a file of this kind because of where it is."""
        return {
            it.shaped for it in self.signals if it.shaped and any(_ends_like(path, each) for each in it.at)
        }

    def knows_most(self, keys: frozenset[str]) -> bool:
        return len(keys & self.keys) > len(keys - self.keys)

    def owns_schema(self, address: str, keys: frozenset[str], values: Mapping[str, Any]) -> bool:
        """Whether this is the kind whose schema stands at an address; `keys` and `values` are those of the file."""
        address = address.lower().replace("\\", "/")
        if any(fnmatchcase(address, it) for it in self.addresses):
            return True
        is_like_ours = "://" not in address and any(fnmatchcase(address, it) for it in self.paths)
        return is_like_ours and self._is_likely(keys, values)

    def _is_likely(self, keys: frozenset[str], values: Mapping[str, Any]) -> bool:
        """Whether nothing is written yet, or a key tells, most are ours, and no value speaks against it."""
        telling = self.shapes.keys() | self.too_high
        strange = keys - self.keys - telling
        is_told = not keys.isdisjoint(telling) and len(strange) < len(keys) - len(strange)
        return (not keys or is_told) and self.verdict(values) >= 0


@dataclass(frozen=True, slots=True)
class Dialect:
    """A family of file formats. Fields that name callables are `module:name`; the comment says how they are called.

    `never` are top-level keys that say: another dialect; `other_tools` are typical of other tools, and beat everything
    that is no strong signal. `project_file` is the name of the file that makes the folders below it a project of this
    dialect.
    """

    name: str
    kinds: tuple[Kind, ...]
    graders: tuple[str, ...]
    """Packages of grader types, the current one first."""
    load_suite: str
    """(path, process_dir=..., context_dir=...) -> Suite"""
    load_experiment: str = ""
    """(path) -> `model.experiment.Experiment`, for kinds that are `runnable` as experiments."""
    rules: str = ""
    """The package of its own rules; those in `rules/` apply to all dialects."""
    never: frozenset[str] = frozenset()
    other_tools: frozenset[str] = frozenset()
    schema_folder: str = ""
    project_file: str = ""
    is_default: bool = False
    """Whether an entry for which no dialect is named is of this one."""

    grader_group: str = ""
    """The group of entry points by which other distributions add grader types."""
    meanings: tuple[str, ...] = ()
    """Names for what its grader types mean, or once meant, as `grade --gen` takes them; today's first.

    The dialect's own name means for each type the newest of them that knows it.
    """
    without_expectations: frozenset[str] = frozenset()
    """Those of `meanings` that ignore what a task expects of the output."""
    find_grader: str = ""
    """(type, meaning, config) -> Grader class or None; empty: the type's class in the first package of `graders`."""
    read_entry: str = "waza_engine.graders.entry:read_leniently"
    """(entry, meaning, level) -> `graders.entry.Entry`"""
    refuses_blank_config: bool = False
    """Whether a `config:` with nothing behind it keeps the file from being loaded."""
    drops_nulls: bool = False
    """Whether an empty item of a list is left out; otherwise it is refused."""
    replaces_variables: bool = False
    """Whether `${NAME}` in the settings of a run is replaced."""

    grading_context: str = ""
    """(data, meaning, read) -> GradingContext; `data` is a JSON object, `read` reads the members that all dialects have."""
    output_is_last_message: bool = False
    """Whether the output of a trial is the agent's last message."""
    judge_is_optional: bool = False
    """Whether a judge that is missing fails its own grader only, in a run that costs nothing."""
    score_trial: str = ""
    """(`graders.result.GradedTrial`) -> RunVerdict, for suites with a `Scoring`; empty: the mean of all graders."""
    task_refusal: str = ""
    """(task) -> why it cannot be performed, or "" """
    describe_task: str = ""
    """(task) -> what a recording tells of it; empty: recordings hold neither that nor the messages of the user."""

    adjust_finding: str = ""
    """(finding, target) -> the finding as that version of the runner sees it, or None"""
    settings: frozenset[str] = frozenset()
    """The keys of its table in `.waza-lsp.toml`, which is called as the dialect is."""
    results_folder: str = ""
    """(directory) -> the folder that the project of a directory wants results in, or None"""
    write_results: str = ""
    """(record) -> its trials and its summary, the lines of a `results.jsonl`"""
    read_results: str = ""
    """(lines) -> `model.read_run.ReadRun`"""
    compare_runs: str = ""
    """(baseline, treatment, judge, suite, judge model) -> `model.pairwise.Pairwise`"""

    def kind(self, name: str) -> Kind | None:
        """The kind called `name`."""
        return next((it for it in self.kinds if it.name == name), None)

    def kind_by_schema(
        self, keys: frozenset[str], values: Mapping[str, Any], address: str
    ) -> tuple[Kind, str] | None:
        """The kind whose schema the file names itself, unless its keys are those of another tool."""
        for kind in self.kinds if address and not keys & self.other_tools else ():
            if kind.owns_schema(address, keys, values):
                return kind, f"its $schema {address}"
        return None

    def kind_by_values(self, keys: frozenset[str], values: Mapping[str, Any]) -> tuple[Kind, str] | None:
        """The kind whose values stand under at least two of its keys, whatever the others are called."""
        for kind in self.kinds if not keys & self.other_tools else ():
            if not kind.signals:
                continue
            ours = [key for key, it in kind.shapes.items() if it.verdict(values.get(key)) > 0]
            if len(ours) > 1 and kind.knows_most(keys) and kind.verdict(values) >= len(ours):
                return kind, f"what stands under {', '.join(ours)}"
        return None

    def kind_by_content(
        self, keys: frozenset[str], values: Mapping[str, Any], *, strongly: bool = False
    ) -> tuple[Kind, str] | None:
        """The kind that the keys speak for, and why: a strong signal first, then the kind that knows most of them.

        A strong signal is believed until the values of several keys speak against it, or one does so clearly; only
        such signals count when something is to be said `strongly`.
        """
        given = [
            (signal, kind, reason)
            for kind in self.kinds
            for signal in kind.signals
            if not signal.at
            and not (signal.weak and (strongly or keys & self.other_tools))
            and (reason := signal.evidence(keys, kind.keys))
            and (not signal.shaped or kind.shapes[signal.shaped].verdict(values.get(signal.shaped)) > 0)
        ]
        found = [
            ((not signal.weak, len(keys & kind.keys) - len(keys - kind.keys)), kind, reason)
            for signal, kind, reason in given
            if kind.verdict(values) >= (0 if signal.weak else -1)
        ]
        if not found:
            return None
        _, kind, reason = max(found, key=lambda it: it[0])
        return kind, f"top-level keys {reason}"

    def kind_by_path(
        self,
        keys: Collection[str] | None,
        values: Mapping[str, Any],
        path: PurePath,
        *,
        in_project: Callable[[], bool],
        by_folder: bool = True,
    ) -> tuple[Kind, str] | None:
        """The kind that the file's name speaks for, if keys (None: no mapping) and values do not speak against it.

        `in_project` says whether this dialect's project file is the nearest one above the file. Without `by_folder`
        the file itself must be called so, and no value may be strange.
        """
        present = frozenset(keys or ())
        for kind in self.kinds:
            if (
                by_folder
                and not present & self.other_tools
                and (told := kind.signal_at(path, present, values))
            ):
                return kind, f"top-level keys {told}"
            for name in kind.file_names:
                if name.is_only_a_folder() and not by_folder:
                    continue
                speaks_against = (
                    keys is None
                    or present & self.other_tools
                    or not (
                        name.accepts(present, kind.keys)
                        or (name.in_project and kind.knows_most(present))
                        or (
                            kind.knows_most(present)
                            and name.has_beginning(present)
                            and kind.verdict(values) > 0
                        )
                    )
                    or kind.verdict(values) < 0
                )
                if not name.fits(path) or (speaks_against and not name.alone):
                    continue
                if not name.in_project:
                    return kind, f"file name {path.name}"
                if in_project():
                    return kind, f"file name {path.name} in a project with {self.project_file}"
        return None
