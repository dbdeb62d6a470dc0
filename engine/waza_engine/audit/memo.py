"""Cache verdicts by what each grader reads: a grader is not asked again about work that looks the same to it.

A deterministic grader that reads the same values gives the same verdict. What it reads is noted while it grades.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Self

from waza_engine.graders.base import GradingContext
from waza_engine.graders.entry import Level
from waza_engine.graders.result import GraderFailure, GraderVerdict
from waza_engine.grading.grade import grade_entry
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
_MOST_AT_ONCE = 200
"""So many trials of a grader are found without a search."""
_Verdict = GraderVerdict | GraderFailure


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


class _Verdicts:
    """The verdicts on what looked different to a grader, with the fields that it read of each trial."""

    __slots__ = ("_at_once", "seen")

    def __init__(self) -> None:
        self.seen: list[tuple[dict[str, Any], _Verdict]] = []
        self._at_once: dict[tuple[str, ...], dict[tuple[Any, ...], tuple[Any, dict[str, Any], _Verdict]]] = {}
        """By the names of the fields and their values: those of earlier trials, which are kept so that no other gets their ids."""

    def find(self, context: GradingContext) -> tuple[dict[str, Any], _Verdict] | None:
        """Return the fields and the verdict of work that looks the same; None if there is none."""
        for names, known in self._at_once.items():
            values = tuple(getattr(context, it) for it in names)
            found = known.get(tuple(map(_plain_or_id, values)))
            if found is not None:
                return found[1:]
        for seen, verdict in self.seen:
            if all(_is_same(name, getattr(context, name), it) for name, it in seen.items()):
                self._remember(context, seen, verdict)
                return seen, verdict
        return None

    def add(self, seen: dict[str, Any], verdict: _Verdict) -> None:
        """Add the verdict on work of which these fields were read."""
        self.seen.append((seen, verdict))

    def _remember(self, context: GradingContext, seen: dict[str, Any], verdict: _Verdict) -> None:
        values = tuple(getattr(context, it) for it in seen)
        if any(
            name in _BY_VALUE and not isinstance(it, _PLAIN) for name, it in zip(seen, values, strict=True)
        ):
            return  # The next context has another object.
        known = self._at_once.setdefault(tuple(seen), {})
        if len(known) >= _MOST_AT_ONCE:
            known.clear()
        known[tuple(map(_plain_or_id, values))] = values, seen, verdict


@dataclass(frozen=True, slots=True)
class _Asked:
    """An entry of this audit, with all that decides about its verdicts besides the trial."""

    entry: GraderEntry
    key: str
    is_free: bool


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
            self._known[key] = self._known.pop(key, None) or _Verdicts()
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
        watched = _watched(context)
        object.__setattr__(watched, "lay_out", self.lay_out)
        verdict = grade_entry(entry, watched, meaning, level)
        reads = {_FILES if it == "workspace_dir" else it for it in object.__getattribute__(watched, "reads")}
        noted.update(reads)
        known.add({it: getattr(context, it) for it in reads}, verdict)
        return verdict


def _watched(context: GradingContext) -> _WatchedContext:
    return _WatchedContext(**{name: getattr(context, name) for name in _FIELDS})


def _plain_or_id(value: Any) -> Any:
    return value if isinstance(value, _PLAIN) else (id(value),)


def _is_same(name: str, one: Any, other: Any) -> bool:
    # Large values are only the same if they are one object: comparing them would take longer than most graders.
    return one is other or ((name in _BY_VALUE or isinstance(one, (*_PLAIN, tuple))) and bool(one == other))
