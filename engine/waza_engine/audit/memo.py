"""Cache verdicts by what each grader reads: a grader is not asked again about work that looks the same to it.

A deterministic grader that reads the same values gives the same verdict. What it reads is noted while it grades.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from operator import attrgetter
from pathlib import Path
from typing import Any, Self, TypeVar

from waza_engine.graders.base import GradingContext, Scope
from waza_engine.graders.entry import Level
from waza_engine.graders.excerpts import without_nearest_lines
from waza_engine.graders.result import GraderFailure, GraderResult, GraderVerdict
from waza_engine.grading.grade import BuiltGrader, build, grade_built, grade_entry
from waza_engine.model.suite import GraderEntry
from waza_engine.runs.planning.fingerprint import DigestCache, grader_files
from waza_engine.runs.recordings.free_graders import is_free

_FILES = "captured_files"
_FIELDS = tuple(it.name for it in fields(GradingContext))
_GIVEN = frozenset(
    ["prompt", "task", "process_dir", "rubric", "judge", "judge_model", "judge_reasoning_effort", "sleep"]
)
"""Fields that are the same whatever the agent does."""
_WORK = frozenset(_FIELDS) - _GIVEN
_BY_VALUE = _GIVEN | {"baseline_files", "outcome"}
"""Fields that are made anew for each trial, but are small or share their parts."""
_MOST_UNUSED = 30
"""So many graders that are no longer in the files are kept, because edits are undone."""
_PLAIN = (str, int, float, Path)
_Verdict = GraderVerdict | GraderFailure
_Shared = TypeVar("_Shared", tuple[str, ...], GraderResult)


class _WatchedContext(GradingContext):
    """A context that notes the names of the fields that are read, and lays out the workspace when it is read."""

    __slots__ = ("lay_out", "reads")

    def __new__(cls, *_: Any, **__: Any) -> Self:
        made = object.__new__(cls)
        object.__setattr__(made, "reads", set())
        object.__setattr__(made, "lay_out", None)
        return made

    def __getattribute__(self, name: str) -> Any:
        value = object.__getattribute__(self, name)
        if name in _FIELDS:
            object.__getattribute__(self, "reads").add(name)
            if (
                name == "workspace_dir"
                and value is None
                and (lay_out := object.__getattribute__(self, "lay_out"))
            ):
                return lay_out()
        return value


class _Seen:
    """The verdicts on work of which the same fields were read, by the values or ids of these.

    The values are kept, so that no other gets their ids.
    """

    __slots__ = ("known", "names", "values_of")

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names
        getter: Callable[[GradingContext], Any] = attrgetter(*names) if names else lambda _: ()
        self.values_of = getter if len(names) != 1 else lambda context: (getter(context),)
        self.known: dict[tuple[Any, ...], tuple[tuple[Any, ...], _Verdict]] = {}


class _Verdicts:
    """The verdicts on what looked different to a grader. Each belongs to the values of the fields that it read."""

    __slots__ = ("_seen",)

    def __init__(self) -> None:
        self._seen: dict[tuple[str, ...], _Seen] = {}

    def __len__(self) -> int:
        return sum(len(it.known) for it in self._seen.values())

    def find(self, context: GradingContext) -> tuple[tuple[str, ...], _Verdict] | None:
        """Return the names of the fields and the verdict of work that looks the same; None if there is none."""
        others: list[tuple[_Seen, tuple[Any, ...]]] = []
        for seen in self._seen.values():
            values = seen.values_of(context)
            found = seen.known.get(_key_of(values))
            if found is not None:
                return seen.names, found[1]
            if any(map(_may_equal_another, seen.names, values)):
                others.append((seen, values))
        for seen, values in others:
            for before, verdict in seen.known.values():
                if all(map(_is_same, seen.names, values, before)):
                    if not any(map(_is_new_each_time, seen.names, values)):
                        seen.known[_key_of(values)] = values, verdict
                    return seen.names, verdict
        return None

    def add(self, names: tuple[str, ...], context: GradingContext, verdict: _Verdict) -> None:
        """Add the verdict on work of which these fields were read."""
        seen = self._seen.get(names)
        if seen is None:
            seen = self._seen[names] = _Seen(names)
        values = seen.values_of(context)
        seen.known[_key_of(values)] = values, verdict


@dataclass(slots=True)
class _Asked:
    """An entry of this audit, with all that decides about its verdicts besides the trial."""

    entry: GraderEntry
    key: str
    is_free: bool
    built: BuiltGrader | None = None
    """The grader, once it was built. Those of plug-ins are built for each trial: they may have a state."""

    def build(self, context: GradingContext, meaning: str, level: Level) -> BuiltGrader:
        """Return the grader."""
        scope = Scope(process_dir=context.process_dir)
        built = self.built or build(self.entry, meaning, level, scope)
        if type(built.grader).__module__.startswith("waza_engine."):
            self.built = built
        return built


@dataclass(slots=True)
class GradeMemo:
    """Grades entries like `grade_entry`, and keeps the verdicts of graders that run nothing and ask no model.

    A field counts as the same if it is the same object, or an equal plain value. The workspace is the same if the captured
    files are.
    """

    _known: dict[str, _Verdicts] = field(default_factory=dict)
    """By what decides about a verdict besides the trial; the one used last is the last one."""
    _asked: dict[tuple[int, str, Level], _Asked] = field(default_factory=dict)
    """The entries of this audit by their ids. They are kept, so that no other one gets the same id."""
    _reads: dict[str, set[str]] = field(default_factory=dict)
    """What each grader has read of any trial in this audit, by name."""
    given: dict[str, _Verdict] = field(default_factory=dict)
    """The last verdict of each grader, by name. It is the same object for work that looks the same to the grader."""
    lay_out: Callable[[], Path] | None = None
    """Makes the workspace of the trial, for contexts without one; returns the same path each time."""
    lay_out_own: Callable[[], Path] | None = None
    """Makes one more workspace of the trial."""
    _trial: tuple[GradingContext, _WatchedContext] | None = None
    """The context that was graded last, and the one that notes what is read of it."""

    def grade(
        self,
        entry: Mapping[str, Any] | GraderEntry,
        context: GradingContext,
        meaning: str = "",
        level: Level = "eval",
    ) -> _Verdict:
        """Return the verdict of one entry."""
        if not isinstance(entry, GraderEntry):
            return grade_entry(entry, context, meaning, level)
        asked = self._asked_of(entry, context.process_dir, meaning, level)
        self.given[entry.name] = verdict = self._verdict(asked, context, meaning, level)
        return verdict

    def begin(self) -> None:
        """Begin a new audit: files may have changed, and what earlier audits did not use goes."""
        used = {it.key for it in self._asked.values()}
        unused = [it for it in self._known if it not in used]
        for it in unused[: max(0, len(unused) - _MOST_UNUSED)]:
            del self._known[it]
        self._asked.clear()
        self._reads.clear()
        self.given.clear()
        self._trial = None

    def blind(self) -> tuple[str, ...]:
        """Return the names of the graders that read nothing of any agent's work in this audit."""
        return tuple(name for name, reads in self._reads.items() if not reads & _WORK)

    def _asked_of(self, entry: GraderEntry, process_dir: Path, meaning: str, level: Level) -> _Asked:
        """Return an entry with what decides about a verdict besides the trial; its place in the file does not."""
        place = id(entry), meaning, level
        known = self._asked.get(place)
        if known is None:
            is_entry_free = is_free(entry)
            files = grader_files((entry,), level, process_dir, DigestCache()) if is_entry_free else ()
            words = (
                entry.type,
                entry.dialect,
                entry.name,
                entry.weight,
                entry.config,
                entry.extras,
                entry.turn,
            )
            key = repr((*words, meaning, level, files))
            known = self._asked[place] = _Asked(entry, key, is_entry_free)
            self._known[key] = self._known.pop(key, _Verdicts())
        return known

    def _verdict(self, asked: _Asked, context: GradingContext, meaning: str, level: Level) -> _Verdict:
        entry = asked.entry
        if not asked.is_free:
            # What it starts may write into the workspace, so the others do not get the same one.
            folder = self.lay_out_own() if self.lay_out_own is not None else context.workspace_dir
            return grade_entry(entry, replace(context, workspace_dir=folder), meaning, level)
        known, noted = self._known[asked.key], self._reads.setdefault(entry.name, set())
        if (found := known.find(context)) is not None:
            noted.update(found[0])
            return found[1]
        watched = self._watched(context)
        verdict = self._graded(asked, watched, meaning, level)
        reads = {_FILES if it == "workspace_dir" else it for it in object.__getattribute__(watched, "reads")}
        noted.update(reads)
        names = _shared(tuple(sorted(reads)))
        known.add(names, context, verdict)
        return verdict

    def _graded(self, asked: _Asked, context: GradingContext, meaning: str, level: Level) -> _Verdict:
        """Return a verdict with only what an audit asks for: whether and why it could not be given, and the score."""

        def built() -> BuiltGrader:
            return asked.build(context, meaning, level)

        with without_nearest_lines():
            verdict = grade_built(asked.entry, context, built, lambda result, _: result)
        if isinstance(verdict, GraderFailure):
            return verdict
        result = verdict.result
        if result.status or result.infrastructure:
            return grade_built(asked.entry, context, built)
        return GraderVerdict(
            verdict.name, verdict.type, verdict.weight, _shared(GraderResult(result.score, result.passed))
        )

    def _watched(self, context: GradingContext) -> _WatchedContext:
        """Return a context that has noted no reads yet. All graders of a trial get the same one, one after the other."""
        if self._trial is None or self._trial[0] is not context:
            watched = _WatchedContext(**{name: getattr(context, name) for name in _FIELDS})
            self._trial = context, watched
        _, watched = self._trial
        object.__setattr__(watched, "reads", set())
        object.__setattr__(watched, "lay_out", self.lay_out)
        return watched


@lru_cache(maxsize=1_000)
def _shared(value: _Shared) -> _Shared:
    """Return one object for equal values: there may be tens of thousands."""
    return value


def _key_of(values: Sequence[Any]) -> tuple[Any, ...]:
    return tuple([it if isinstance(it, _PLAIN) else (id(it),) for it in values])


def _is_new_each_time(name: str, value: Any) -> bool:
    """Whether the next context has another object, so that its id says nothing."""
    return name in _BY_VALUE and not isinstance(value, _PLAIN)


def _may_equal_another(name: str, value: Any) -> bool:
    """Whether an object that is not plain can be the same as another one by its value."""
    return isinstance(value, tuple) or _is_new_each_time(name, value)


def _is_same(name: str, one: Any, other: Any) -> bool:
    # Large values are only the same if they are one object: comparing them would take longer than most graders.
    return one is other or ((name in _BY_VALUE or isinstance(one, (*_PLAIN, tuple))) and bool(one == other))
