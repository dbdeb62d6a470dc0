"""Why a task did not pass, or lost points: one piece of evidence per cause, for all reports.

Graders know what a check wanted and what the trial has instead (`model/results/evidence.py`). Here trials are put together,
checks that failed for one reason become one, and the place of the check in its file is found.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Literal

from waza_engine.graders.excerpts import EMPTY, NOTHING
from waza_engine.lib.files.safe_read import MAX_SOURCE_BYTES, marked_folder, regular_bytes, working_directory
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.lines import YamlLines
from waza_engine.model.results.evidence import FailedCheck, Place
from waza_engine.model.results.records import GraderOutcome, TaskRecord, TrialRecord


@dataclass(frozen=True, slots=True)
class Source:
    """The place of a check in a file, and the line of its grader's entry.

    Lines count from 1. They are 0 if the file has changed since or cannot be read.
    """

    path: Path
    pointer: Pointer
    line: int = 0
    entry_line: int = 0

    @property
    def file(self) -> str:
        """The path from the root of its repository or from the working directory, as tools that show reports expect it."""
        root = marked_folder(os.fspath(self.path), (".git",), working_directory())
        return (self.path.relative_to(root) if root else self.path).as_posix()

    def __str__(self) -> str:
        return f"{self.file}:{self.line}" if self.line else self.file


@dataclass(frozen=True, slots=True)
class Evidence:
    """One cause why a task failed, could not be judged (`error`), or passed with a score below 1 (`points`).

    `message` is one line. `wanted`, `found` and `excerpt` are "" where nothing is known; `place` is that of the excerpt.
    `graders` are the names of the graders with this cause, empty for an error of the agent, and `score` is that of the
    first. `checks` counts the checks that failed for this cause in one trial. `source` is the first of these checks,
    `after_turn` the checkpoint (0 for none). `trials` are the numbers of the trials with this cause; the other values
    are of the first of them.
    """

    status: Literal["failed", "error", "points"]
    message: str
    wanted: str = ""
    found: str = ""
    excerpt: str = ""
    place: Place | None = None
    graders: tuple[str, ...] = ()
    score: float = 0.0
    checks: int = 1
    source: Source | None = None
    after_turn: int = 0
    trials: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Sources:
    """Finds checks in files. Each file is read once, so use one object per report."""

    _files: dict[Path, YamlLines] = field(default_factory=dict)

    def find(self, outcome: GraderOutcome, pointer: Pointer) -> Source | None:
        """Return the place of a grader's check, whose pointer starts at its file."""
        if outcome.path is None:
            return None
        lines = self._lines(outcome.path)
        entry = lines.line(outcome.pointer) if _is_same(lines, outcome) else 0
        return Source(outcome.path, pointer, entry and (lines.line(pointer) or entry), entry)

    def entry(self, outcome: GraderOutcome) -> list[tuple[int, str]]:
        """Return the lines of a grader in its file, with their numbers; empty if the file has changed since.

        A value that is not a grader is never shown: stores of others may name any file.
        """
        if outcome.path is None:
            return []
        lines = self._lines(outcome.path)
        is_grader = bool(lines.text((*outcome.pointer, "type"))) or outcome.is_expectation
        return lines.block(outcome.pointer) if is_grader and _is_same(lines, outcome) else []

    def is_newer(self, path: Path, time: float) -> bool:
        """Return whether a file was written after a point in time, in seconds since 1970: it may be another text now."""
        try:
            return path.stat().st_mtime > time
        except OSError:
            return False

    def _lines(self, path: Path) -> YamlLines:
        if path not in self._files:
            try:
                text = regular_bytes(path, MAX_SOURCE_BYTES).decode("utf-8-sig")
            except (OSError, UnicodeDecodeError):
                text = ""
            self._files[path] = YamlLines.of(text)
        return self._files[path]


def _is_same(lines: YamlLines, outcome: GraderOutcome) -> bool:
    name = lines.text((*outcome.pointer, "name"))
    return not name or name == outcome.name


def task_evidence(task: TaskRecord, sources: Sources) -> list[Evidence]:
    """Return the causes of a task, in the order of its graders; errors of the agent first."""
    found: dict[object, Evidence] = {}
    for trial in task.trials:
        for key, it in trial_evidence(trial, sources).items():
            earlier = found.get(key)
            found[key] = it if earlier is None else replace(earlier, trials=(*earlier.trials, trial.trial))
    if task.error:
        return [Evidence("error", task.error), *found.values()]
    return sorted(found.values(), key=lambda it: bool(it.graders))


def trial_evidence(trial: TrialRecord, sources: Sources) -> dict[object, Evidence]:
    """Return the causes of one trial by what identifies them in all trials."""
    found: dict[object, Evidence] = {}
    for cause, key, it in _causes(trial, sources):
        earlier = found.get(key)
        found[key] = replace(it, trials=(trial.trial,)) if earlier is None else _joined(earlier, it, cause)
    return found


_Cause = tuple[str, object, Evidence]
"""What several checks have in common ("" for a single check), what identifies it in all trials, and the evidence."""


def outcome_evidence(outcome: GraderOutcome, sources: Sources) -> list[Evidence]:
    """Return the causes of one grader alone."""
    found: dict[object, Evidence] = {}
    for cause, key, it in _outcome_causes(outcome, sources, 0):
        earlier = found.get(key)
        found[key] = it if earlier is None else _joined(earlier, it, cause)
    return list(found.values())


def _causes(trial: TrialRecord, sources: Sources) -> Iterator[_Cause]:
    if trial.error:
        broken = next(
            (it for it in trial.graders if it.status == "error" and it.feedback in trial.error), None
        )
        names = (broken.name or broken.type,) if broken else ()
        source = sources.find(broken, broken.pointer) if broken else None
        yield "", ("error", trial.error), Evidence("error", trial.error, graders=names, source=source)
    # In a trial with an error, that error already explains why graders failed to run.
    hidden = "error" if trial.status == "error" else ""
    for outcome in trial.graders:
        if outcome.status != hidden:
            yield from _outcome_causes(outcome, sources, 0)
    for point in trial.checkpoints:
        for outcome in point.graders:
            if outcome.status == "failed":
                yield from _outcome_causes(outcome, sources, point.after_turn)


def _outcome_causes(outcome: GraderOutcome, sources: Sources, after_turn: int) -> Iterator[_Cause]:
    name = outcome.name or outcome.type
    own = (name, outcome.path, outcome.pointer, after_turn)
    base = Evidence("failed", "", graders=(name,), score=outcome.score, after_turn=after_turn)
    if outcome.status == "failed" and outcome.parts:
        for number, part in _numbered(outcome.parts):
            key: object = ("cause", part.cause, after_turn) if part.cause else (*own, part.pointer, number)
            source = sources.find(outcome, outcome.pointer_of(part))
            evidence = replace(
                base,
                message=part.message,
                wanted=part.wanted,
                found=part.found,
                excerpt=part.excerpt,
                place=part.place,
                source=source,
            )
            yield part.cause, key, evidence
        return
    said = replace(base, message=outcome.feedback, source=sources.find(outcome, outcome.pointer))
    if outcome.status == "error":
        yield "", own, replace(said, status="error")
    elif outcome.status == "failed":
        # Graders of one trial that say the same failed for the same reason, such as a missing session digest.
        key = ("feedback", outcome.feedback, after_turn) if outcome.feedback else own
        yield outcome.feedback, key, replace(said, message=outcome.feedback or "It did not pass")
    elif outcome.score < 1:
        yield "", own, replace(said, status="points")


def _numbered(parts: Sequence[FailedCheck]) -> Iterator[tuple[int, FailedCheck]]:
    """Yield the checks, each with its number among those of the same option."""
    counts: dict[Pointer, int] = {}
    for it in parts:
        counts[it.pointer] = counts.get(it.pointer, -1) + 1
        yield counts[it.pointer], it


def _joined(one: Evidence, other: Evidence, cause: str) -> Evidence:
    graders = dict.fromkeys((*one.graders, *other.graders))
    # What was found explains the cause only if all of the checks found it, and only if it says more than the cause.
    is_more = one.found == other.found and one.found not in {EMPTY, NOTHING}
    return replace(
        one,
        message=cause or one.message,
        wanted=one.wanted if one.wanted == other.wanted else "",
        found=one.found if is_more else "",
        excerpt=one.excerpt if is_more else "",
        graders=tuple(graders),
        checks=one.checks + 1,
    )
