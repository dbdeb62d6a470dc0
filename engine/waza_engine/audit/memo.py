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


@dataclass(slots=True)
class GradeMemo:
    """Grades entries like `grade_entry`, and keeps the verdicts of graders that run nothing and ask no model.

    A field counts as the same if it is the same object, or an equal plain value. The workspace is the same if the captured
    files are.
    """

    _known: dict[str, list[tuple[dict[str, Any], _Verdict]]] = field(default_factory=dict)
    """By what decides about a verdict besides the trial; the one used last is the last one."""
    _keys: dict[tuple[int, str, Level], tuple[GraderEntry, str]] = field(default_factory=dict)
    """The keys of this audit's entries, with the entries, so that no other one gets the same id."""
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
        key = self._key(entry, context.process_dir, meaning, level)
        self.given[entry.name] = verdict = self._verdict(key, entry, context, meaning, level)
        return verdict

    def begin(self) -> None:
        """Begin a new audit: files may have changed, and what earlier audits did not use goes."""
        used = {key for _, key in self._keys.values()}
        unused = [it for it in self._known if it not in used]
        for it in unused[: max(0, len(unused) - _MOST_UNUSED)]:
            del self._known[it]
        self._keys.clear()
        self._reads.clear()
        self.given.clear()

    def blind(self) -> tuple[str, ...]:
        """Return the names of the graders that read nothing of any agent's work in this audit."""
        return tuple(name for name, reads in self._reads.items() if not reads & _WORK)

    def _key(self, entry: GraderEntry, process_dir: Path, meaning: str, level: Level) -> str:
        """Return what decides about a verdict besides the trial; the place in the file does not."""
        place = id(entry), meaning, level
        if place not in self._keys:
            files = grader_files((entry,), level, process_dir, DigestCache()) if is_free(entry) else ()
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
            self._keys[place] = entry, key
            self._known[key] = self._known.pop(key, [])
        return self._keys[place][1]

    def _verdict(
        self, key: str, entry: GraderEntry, context: GradingContext, meaning: str, level: Level
    ) -> _Verdict:
        if not is_free(entry):
            # What it starts may write into the workspace, so the others do not get the same one.
            folder = self.lay_out_own() if self.lay_out_own is not None else context.workspace_dir
            return grade_entry(entry, replace(context, workspace_dir=folder), meaning, level)
        known, noted = self._known[key], self._reads.setdefault(entry.name, set())
        for seen, verdict in known:
            if all(_is_same(name, getattr(context, name), it) for name, it in seen.items()):
                noted.update(seen)
                return verdict
        watched = _watched(context)
        object.__setattr__(watched, "lay_out", self.lay_out)
        verdict = grade_entry(entry, watched, meaning, level)
        reads = {_FILES if it == "workspace_dir" else it for it in object.__getattribute__(watched, "reads")}
        noted.update(reads)
        known.append(({it: getattr(context, it) for it in reads}, verdict))
        return verdict


def _watched(context: GradingContext) -> _WatchedContext:
    return _WatchedContext(**{name: getattr(context, name) for name in _FIELDS})


def _is_same(name: str, one: Any, other: Any) -> bool:
    # Large values are only the same if they are one object: comparing them would take longer than most graders.
    return one is other or (
        (name in _BY_VALUE or isinstance(one, (str, int, float, Path, tuple))) and bool(one == other)
    )
