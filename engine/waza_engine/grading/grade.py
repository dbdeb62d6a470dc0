"""Grades a finished trial by grader entries (docs/reference/waza-graders.md, sections 2.1 to 2.5).

`grade_run` grades like a run of waza: the first error ends it. `grade_entry` grades one entry on its own.
"""

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypedDict, TypeVar, Unpack

from waza_engine.analysis.pipeline import entry_errors
from waza_engine.graders.base import (
    ConfigError,
    FailedCheck,
    GradeError,
    Grader,
    GraderResult,
    GradingContext,
    InfrastructureError,
    Scope,
)
from waza_engine.graders.entry import Entry, Level, read_entry
from waza_engine.graders.excerpts import nearest_line, occurrence
from waza_engine.graders.registry import find_grader
from waza_engine.graders.result import GradedTrial, GraderFailure, GraderVerdict, RunVerdict
from waza_engine.graders.wanted import with_wanted
from waza_engine.lib.go.text import fold
from waza_engine.lib.process.shortage import ShortageError, is_shortage
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.findings import Finding
from waza_engine.model.results.scores import mean, weighted_mean
from waza_engine.model.suite import EXPECTED_TEXTS, GraderEntry, Scoring, Task
from waza_engine.recognition.recognise import dialect_for, load_object

_log = logging.getLogger(__name__)


GradeEntry = Callable[
    [Mapping[str, Any] | GraderEntry, GradingContext, str, Level], GraderVerdict | GraderFailure
]
"""Grades one entry: `grade_entry`, or a function that caches its results."""


@dataclass(frozen=True, slots=True)
class BuiltGrader:
    """A grader ready to grade, with the name and the effective weight of its entry."""

    grader: Grader
    type: str
    name: str
    weight: float
    config: Any = None
    """The options as they are in the file, for the evidence of failed checks."""


def build(
    entry: Mapping[str, Any] | GraderEntry,
    meaning: str = "",
    level: Level = "eval",
    scope: Scope | None = None,
) -> BuiltGrader:
    """Return the grader that an entry describes; it refuses all that the dialect refuses at load or creation.

    Raises:
        ConfigError: the entry, its config, or a static check forbids the grader.

    """
    scope, chosen = scope or Scope(), dialect_for(meaning)
    try:
        read = read_entry(entry, meaning, level)
    except ConfigError as error:
        if isinstance(entry, Mapping) and meaning in {"", chosen.name, *chosen.meanings[:1]}:
            raise _as_checked(error, entry, chosen.name, scope, level) from error
        raise
    return _build(read, meaning, scope)


def refuse_errors(entry: Mapping[str, Any], meaning: str, scope: Scope, level: Level = "eval") -> None:
    """Refuse a raw entry with an error that `check` and runs report, in the same words.

    Raises:
        ConfigError: the entry has such an error.

    """
    chosen = dialect_for(meaning)
    if meaning in {"", chosen.name, *chosen.meanings[:1]}:
        for finding in entry_errors(chosen.name, entry, scope, level):
            raise _refused(finding)


def _build(entry: Entry, meaning: str, scope: Scope) -> BuiltGrader:
    kind = find_grader(entry.type, meaning, entry.data.get("config"))
    if kind is None:
        raise ConfigError(f"Unknown grader type '{entry.type}'" if entry.type else "The grader has no type")
    if kind.name_required and not entry.name:
        raise ConfigError(f"A grader of type '{entry.type}' needs a name")
    try:
        grader = entry.configure(kind)
    except ConfigError as error:
        if kind is find_grader(entry.type, dialect_for(meaning).name):
            error = _as_checked(error, entry.data, dialect_for(meaning).name, scope, entry.level)
        raise error from error.__cause__
    if refusal := next(grader.refusals(scope), None):
        raise ConfigError(refusal.message, ("config", *refusal.pointer))
    config = kind.config_from_entry(entry.data, entry.level)
    return BuiltGrader(grader, entry.type, entry.name, entry.weight, config)


def _as_checked(
    error: ConfigError, entry: Mapping[str, Any], dialect_name: str, scope: Scope, level: Level
) -> ConfigError:
    """Return the error with the message of the check for the same entry, if the check has one."""
    found = entry_errors(dialect_name, entry, scope, level)
    return _refused(found[0]) if found else error


def _refused(finding: Finding) -> ConfigError:
    return ConfigError(entry_message(finding), finding.pointer, finding.message)


def entry_message(finding: Finding) -> str:
    """Return the message of a finding about an entry, with its place: `config.expect.0.arg: Unknown key 'arg'`."""
    place = ".".join(map(str, finding.pointer))
    return f"{place}: {finding.message}" if place else finding.message


def grade_entry(
    entry: Mapping[str, Any] | GraderEntry,
    context: GradingContext,
    meaning: str = "",
    level: Level = "eval",
) -> GraderVerdict | GraderFailure:
    """Grade one entry on its own; every error becomes a `GraderFailure`, never an exception.

    `meaning` is the name of a dialect or one of its `meanings`. `level` is the file level of the entry, which decides
    the keys that it may have.
    """
    return grade_built(
        entry, context, lambda: build(entry, meaning, level, Scope(process_dir=context.process_dir))
    )


def grade_built(
    entry: Mapping[str, Any] | GraderEntry,
    context: GradingContext,
    built_for: Callable[[], BuiltGrader],
    finish: Callable[[GraderResult, Any], GraderResult] = with_wanted,
) -> GraderVerdict | GraderFailure:
    """Grade one entry like `grade_entry`, with the grader that `built_for` returns.

    `finish` returns the result to keep, from the grader's own and the options in the file.
    """
    started = time.perf_counter()
    name, type_name = name_and_type(entry)
    step: Literal["config", "grade"] = "config"
    try:
        built = built_for()
        name, type_name, step = built.name, built.type, "grade"
        result = built.grader.grade_turn(context, _turn(entry))
        kept = finish(result, built.config)
    except ConfigError as error:
        return GraderFailure(name, type_name, "config", str(error), pointer=error.pointer)
    except GradeError as error:
        return GraderFailure(name, type_name, "grade", str(error), isinstance(error, InfrastructureError))
    except ShortageError as error:
        return GraderFailure(name, type_name, "grade", str(error), infrastructure=True)
    except Exception as error:  # noqa: BLE001  # the one place per grader: a defect must not take the others down
        _log.exception("The grader '%s' of type '%s' broke", name, type_name)
        return GraderFailure(
            name, type_name, step, f"internal error: {type(error).__name__}: {error}", is_shortage(error)
        )
    shown_type = type_name if result.type_name is None else result.type_name
    return GraderVerdict(name, shown_type, built.weight, kept, round((time.perf_counter() - started) * 1000))


def name_and_type(entry: Any) -> tuple[str, str]:
    """Return the name and type of any entry, for messages about entries that cannot be read."""
    if isinstance(entry, GraderEntry):
        return entry.name, entry.type
    if not isinstance(entry, Mapping):
        return "", ""
    name, type_name = entry.get("name"), entry.get("type")
    return name if isinstance(name, str) else "", type_name if isinstance(type_name, str) else ""


def _turn(entry: Mapping[str, Any] | GraderEntry) -> int | None:
    """Return the turn of the conversation that an entry grades; None means all of it."""
    turn = entry.turn if isinstance(entry, GraderEntry) else plain(entry.get("turn"))
    return turn if isinstance(turn, int) and not isinstance(turn, bool) else None


class RunGrading(TypedDict, total=False):
    """What `grade_run` may know besides the entries and the context of a run."""

    agent_error: str
    grade: GradeEntry | None


def grade_run(
    eval_entries: Sequence[Mapping[str, Any] | GraderEntry],
    task_entries: Sequence[Mapping[str, Any] | GraderEntry],
    expected: Mapping[str, Iterable[str]],
    context: GradingContext,
    meaning: str = "",
    **more: Unpack[RunGrading],
) -> RunVerdict:
    """Return the verdict on one run: eval graders, task graders, then the output expectations of the task.

    `expected` has lists of strings by the keys of `suite.EXPECTED_TEXTS`. `meaning` is as for `grade_entry`.
    A later result of the same name replaces the earlier one. The first error ends the run without results.
    With `agent_error`, the agent's own error, the status is `error` whatever the verdicts are. `grade` grades one
    entry, by default `grade_entry`.
    """
    agent_error, grade = _grading(**more)
    results: dict[str, GraderVerdict] = {}
    for _, graded in _grade_each(eval_entries, task_entries, context, meaning, grade):
        if isinstance(graded, GraderFailure):
            return RunVerdict("error", error=graded, infrastructure=graded.infrastructure)
        results[graded.name] = graded
    if meaning not in dialect_for(meaning).without_expectations:
        results.update((it.name, it) for it in _expectations(expected, context.output))
    return _run_verdict(results, agent_error)


def _grading(agent_error: str = "", grade: GradeEntry | None = None) -> tuple[str, GradeEntry]:
    return agent_error, grade or grade_entry


def grade_task(
    dialect: str,
    task: Task,
    eval_entries: Sequence[GraderEntry],
    scoring: Scoring | None,
    context: GradingContext,
    grade: GradeEntry | None = None,
) -> RunVerdict:
    """Return the verdict on a trial of a task, by the dialect's own scoring if the suite has a `scoring`.

    `grade` grades one entry, by default `grade_entry`.
    """
    score = dialect_for(dialect).score_trial
    if scoring is None or not score:
        how = RunGrading(agent_error=context.error, grade=grade)
        return grade_run(eval_entries, task.graders, task.expected, context, dialect, **how)
    graded = _grade_each(eval_entries, task.graders, context, dialect, grade or grade_entry)
    verdict: RunVerdict = load_object(score)(GradedTrial(graded, context, task.constraints, scoring))
    return verdict


_Entry = TypeVar("_Entry", bound=Mapping[str, Any] | GraderEntry)


def _grade_each(
    eval_entries: Sequence[_Entry],
    task_entries: Sequence[_Entry],
    context: GradingContext,
    meaning: str,
    grade: GradeEntry,
) -> Iterator[tuple[_Entry, GraderVerdict | GraderFailure]]:
    """Yield the outcome of each entry, grading lazily."""
    leveled: list[tuple[Level, Sequence[_Entry]]] = [("eval", eval_entries), ("task", task_entries)]
    for level, entries in leveled:
        yield from ((it, grade(it, context, meaning, level)) for it in entries)


def _run_verdict(results: Mapping[str, GraderVerdict], agent_error: str) -> RunVerdict:
    passed = all(it.result.passed for it in results.values())
    open_ = [it.result.infrastructure for it in results.values() if not it.result.passed]
    return RunVerdict(
        "error" if agent_error else "passed" if passed else "failed",
        mean([it.result.score for it in results.values()]),
        weighted_mean([(it.result.score, it.weight) for it in results.values()]),
        results,
        # Every grader must pass, so a check that failed decides.
        infrastructure=any(open_) and all(open_),
    )


def _expectations(expected: Mapping[str, Iterable[str]], output: str) -> list[GraderVerdict]:
    """Return the verdicts of waza's pseudo-graders on output expectations (docs/reference/waza-graders.md, section 2.5)."""
    folded = fold(output)
    verdicts: list[GraderVerdict] = []
    for option in EXPECTED_TEXTS:
        texts = list(expected.get(option) or ())
        if not texts:
            continue
        found = [it for it in texts if fold(it) in folded]
        if option == "output_contains_any":
            result = GraderResult(
                float(bool(found)),
                bool(found),
                "Found" if found else "None of the texts found",
                parts=()
                if found
                else (
                    FailedCheck(
                        (),
                        "none of the texts found",
                        nearest_line(" ".join(texts), output),
                        wanted=f"{option}: {', '.join(texts)}",
                    ),
                ),
            )
        else:
            wanted = option == "output_contains"
            failures = [(index, it) for index, it in enumerate(texts) if (it in found) is not wanted]
            result = GraderResult(
                (len(texts) - len(failures)) / len(texts),
                not failures,
                _expectation_text([it for _, it in failures], wanted=wanted),
                parts=tuple(_failed_text(option, index, it, output) for index, it in failures),
            )
        verdicts.append(GraderVerdict(f"_{option}", "", 1.0, result))
    return verdicts


def _failed_text(option: str, index: int, text: str, output: str) -> FailedCheck:
    wanted = f"{option}: {text}"
    if option == "output_contains":
        return FailedCheck((index,), f"missing: {text}", nearest_line(text, output), wanted=wanted)
    found = occurrence(text, output, any_case=True)
    return FailedCheck((index,), f"found: {text}", found, wanted=wanted)


def _expectation_text(failures: Sequence[str], *, wanted: bool) -> str:
    word = "missing" if wanted else "found"
    return "; ".join(f"{word}: {it}" for it in failures) or "All checks passed"
