"""The record of a dialect and its kinds of files: plain data, cheap to import (no pydantic, no YAML).

Each folder below `dialects/` holds one dialect; its module `dialect` has the record `DIALECT`. The engine reaches a
dialect only through the fields of this record. A callable is named as `module:name` and imported when it is first used;
`docs/contributing/add-a-dialect.md` adds a dialect without editing any of our files. `evidence` has what tells our files from
those of other tools with the same keys.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from functools import lru_cache
from pathlib import PurePath
from typing import Any, Literal

from waza_engine.recognition.evidence import FileName, Shape, Signal, ends_like


@dataclass(frozen=True, slots=True)
class Kind:
    """One kind of file. `schema` is its name for `analysis.schema.files.read_schema`, `model` is `module:class`.

    `shapes` tells our values from those of other tools under the same top-level keys. `addresses` are patterns for the
    schema address in a file's modeline. An address that matches one of `paths` may belong to another tool: then the keys
    and values must fit. A key in `too_high` counts as known: people write it at the top level, but it belongs below
    another key. If the file has one of our names, only the verdicts of `deciding` can speak against the keys.
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
    """What it runs as; the schema has the same in `x-runnable`."""
    graders: tuple[tuple[str, ...], ...] = ()
    """The lists of grader entries, as the keys of the lists that lead to each: `("tasks", "graders")`."""
    tasks: tuple[str, ...] = ()
    """The top-level lists whose items are tasks; empty for a kind that is a task itself."""
    task_keys: frozenset[str] = frozenset()
    """An item of such a list is a task if it has one of these keys; empty: every mapping is a task."""
    task_kind: str = ""
    """The kind of the files that globs under `tasks` match; empty if this kind has no globs."""
    beside_evals: frozenset[str] = frozenset()
    """Names of files beside an eval that runs load by these names, whatever their keys are."""
    trigger_lists: tuple[str, ...] = ()
    """For trigger tests: the lists of prompts that should, and that should not, trigger the skill."""
    tolerates_unknown: bool = False
    """Whether versions with a tolerant loader (`Releases.unknown_keys`) ignore unknown keys of such files."""
    strict_key: str = ""
    """A file with this top-level key is read strictly: unknown keys are errors in all versions."""
    strict_graders: bool = False
    """Whether the configs of the entries under `graders` are read more strictly than the rest of the file."""

    def is_strict(self, keys: Collection[str]) -> bool:
        """Whether a file with these top-level keys is read strictly."""
        return bool(self.strict_key) and self.strict_key in keys

    def verdict(self, values: Mapping[str, Any]) -> int:
        """Return the sum of the verdicts on all top-level values, as in `Shape.verdict`."""
        return sum(it.verdict(values.get(key)) for key, it in self.shapes.items())

    def signal_at(self, path: PurePath, keys: frozenset[str], values: Mapping[str, Any]) -> str | None:
        """Return the keys that indicate this kind for a file at this path, whatever their values are; or None.

        With a weak signal all keys must be known.
        """
        if any(it.verdict(values.get(key)) < 0 for key, it in self.deciding.items()):
            return None
        here = (
            it
            for it in self.signals
            if any(ends_like(path, pattern) for pattern in it.at)
            and (not it.shaped or self.deciding[it.shaped].verdict(values.get(it.shaped)) > 0)
        )
        found = (it.evidence(keys, self.keys) for it in here if not it.weak or keys <= self.keys)
        return next(filter(None, found), None)

    def deciding_at(self, path: PurePath) -> set[str]:
        """Return the keys whose values can make a file at this path one of this kind."""
        return {
            it.shaped for it in self.signals if it.shaped and any(ends_like(path, each) for each in it.at)
        }

    def knows_most(self, keys: frozenset[str]) -> bool:
        return len(keys & self.keys) > len(keys - self.keys)

    def owns_schema(self, address: str, keys: frozenset[str], values: Mapping[str, Any]) -> bool:
        """Whether a schema address is that of this kind; `keys` and `values` are those of the file."""
        address = address.lower().replace("\\", "/")
        if any(fnmatchcase(address, it) for it in self.addresses):
            return True
        is_like_ours = "://" not in address and any(fnmatchcase(address, it) for it in self.paths)
        return is_like_ours and self._is_likely(keys, values)

    def _is_likely(self, keys: frozenset[str], values: Mapping[str, Any]) -> bool:
        """Whether the file is empty, or a telling key is present, most keys are ours and no value speaks against it."""
        telling = self.shapes.keys() | self.too_high
        strange = keys - self.keys - telling
        is_told = not keys.isdisjoint(telling) and len(strange) < len(keys) - len(strange)
        return (not keys or is_told) and self.verdict(values) >= 0


@dataclass(frozen=True, slots=True, eq=False)
class Dialect:
    """A family of file formats. Callables are given as `module:name`; their comments show the call.

    `never` are top-level keys that rule this dialect out. `other_tools` are typical of other tools, and override all
    but strong signals. `project_file` is the name of the file that makes the folders below it a project of this dialect.
    """

    name: str
    kinds: tuple[Kind, ...]
    graders: tuple[str, ...]
    """Packages of grader types, the current one first."""
    load_suite: str
    """(path, process_dir=..., context_dir=...) -> Suite"""
    load_experiment: str = ""
    """(path) -> `model.experiment.Experiment`, for kinds that are `runnable` as experiments."""
    evals_of_suite: str = ""
    """(folder of the project file, name) -> list of `project.eval_sets.ChosenEval`, for projects with named suites."""
    rules: str = ""
    """The package of its own rules; those in `rules/` apply to all dialects."""
    never: frozenset[str] = frozenset()
    other_tools: frozenset[str] = frozenset()
    schema_folder: str = ""
    project_file: str = ""
    is_default: bool = False
    """Whether entries without a named dialect belong to this one."""

    grader_group: str = ""
    """The group of entry points by which other distributions add grader types."""
    meanings: tuple[str, ...] = ()
    """The names of the versions of its grader types, as `grade --gen` takes them; the current one first.

    The dialect's own name means, for each type, the newest version that has it.
    """
    without_expectations: frozenset[str] = frozenset()
    """Those of `meanings` that ignore the output expectations of a task."""
    find_grader: str = ""
    """(type, meaning, config) -> Grader class or None; empty: the type's class in the first package of `graders`."""
    read_entry: str = "waza_engine.graders.entry:read_leniently"
    """(entry, meaning, level) -> `graders.entry.Entry`"""
    refuses_blank_config: bool = False
    """Whether a file with an empty `config:` fails to load."""
    drops_nulls: bool = False
    """Whether empty list items are dropped; otherwise they are refused."""
    replaces_variables: bool = False
    """Whether `${NAME}` in the settings of a run is replaced."""

    context_members: str = ""
    """() -> the names of the members that a grading context has only in this dialect"""
    grading_context: str = ""
    """(data, meaning, read) -> GradingContext; `data` is a JSON object, `read` reads the members that all dialects have."""
    output_is_last_message: bool = False
    """Whether the output of a trial is the agent's last message."""
    judge_is_optional: bool = False
    """Whether a missing judge fails only its own grader, in a run that costs nothing."""
    score_trial: str = ""
    """(`graders.result.GradedTrial`) -> RunVerdict, for suites with a `Scoring`; empty: the mean of all graders."""
    task_refusal: str = ""
    """(task) -> why it cannot run, or "" """
    describe_task: str = ""
    """(task) -> its description for recordings; empty: recordings hold neither that nor the user's messages."""

    starters: str = ""
    """The `recognition.starters.Starter`s: files to begin with"""
    eval_of_skill: str = ""
    """(name, `recognition.starters.SkillSketch`) -> the files of a new eval of a skill by their paths, the eval first"""
    check_templates: str = ""
    """The `graders.check_templates.CheckTemplate`s: checks that the trace viewer drafts"""

    sample: str = ""
    """(document) -> `recognition.sample.Sample` or None: how many tasks and trials the file chooses, and where"""
    releases: str = ""
    """`recognition.releases.Releases`: what each version of the runner added, deprecated or refused"""
    packages: tuple[str, ...] = ()
    """The npm packages of the runner, whose version a project can pin."""
    settings: frozenset[str] = frozenset()
    """The keys of the table in `.waza-lsp.toml` that has the dialect's name."""
    results_folder: str = ""
    """(directory) -> the results folder set by the project of a directory, or None"""
    write_results: str = ""
    """(record) -> its trials and its summary, the lines of a `results.jsonl`"""
    read_results: str = ""
    """(lines) -> `model.results.records.ReadRun`"""
    read_trajectory: str = ""
    """(data of a JSON object, name) -> the `Trajectory` of one trial in a format of the dialect, or None"""
    compare_runs: str = ""
    """(baseline, treatment, judge, suite, judge model) -> `model.experiment.Pairwise`"""

    def kind(self, name: str) -> Kind | None:
        """Return the kind called `name`."""
        return next((it for it in self.kinds if it.name == name), None)

    def kind_by_schema(
        self, keys: frozenset[str], values: Mapping[str, Any], address: str
    ) -> tuple[Kind, str] | None:
        """Return the kind whose schema the file names, unless its keys are typical of another tool."""
        for kind in self.kinds if address and not keys & self.other_tools else ():
            if kind.owns_schema(address, keys, values):
                return kind, f"its $schema {address}"
        return None

    def kind_by_values(self, keys: frozenset[str], values: Mapping[str, Any]) -> tuple[Kind, str] | None:
        """Return the kind that has its values under at least two keys, whatever the other keys are."""
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
        """Return the kind that the keys indicate, and why: a strong signal first, then the kind that knows most keys.

        A strong signal holds until the values of several keys speak against it, or one does so clearly. With `strongly`
        only such signals count.
        """
        found = [
            ((not signal.weak, len(keys & kind.keys) - len(keys - kind.keys)), kind, reason)
            for signal, kind, reason in _signals(self, keys)
            if not (signal.weak and strongly)
            and (not signal.shaped or kind.shapes[signal.shaped].verdict(values.get(signal.shaped)) > 0)
            and kind.verdict(values) >= (0 if signal.weak else -1)
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
        is_loaded: bool = False,
    ) -> tuple[Kind, str] | None:
        """Return the kind that the path indicates, unless keys (None: not a mapping) or values speak against it.

        `in_project` returns whether this dialect's project file is the nearest one above the file. Without `by_folder`
        the name of the file itself must match, and no value may speak against it. If the file `is_loaded` by its name,
        only keys and values of other tools speak against it.
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
                    (keys is None and not is_loaded)
                    or present & self.other_tools
                    or not (
                        is_loaded
                        or name.accepts(present, kind.keys)
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


@lru_cache(maxsize=512)
def _signals(dialect: Dialect, keys: frozenset[str]) -> list[tuple[Signal, Kind, str]]:
    """Return the signals that the keys contain, whatever the values. Cached, because most tasks have the same keys."""
    return [
        (signal, kind, reason)
        for kind in dialect.kinds
        for signal in kind.signals
        if not signal.at
        and not (signal.weak and keys & dialect.other_tools)
        and (reason := signal.evidence(keys, kind.keys))
    ]
