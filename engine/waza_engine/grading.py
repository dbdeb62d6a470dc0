"""From grader entries and what a trial left behind to a verdict.

See docs/reference/waza-graders.md, sections 2.1 to 2.5.

`grade_run` is a real run: the first error ends it. `grade_entry` grades one entry on its own.
"""

import logging
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from waza_engine.excerpts import instead_of, place_of, quoted
from waza_engine.graders.base import (
    ConfigError,
    FailedCheck,
    GradeError,
    Grader,
    GraderResult,
    GradingContext,
    Scope,
)
from waza_engine.graders.entry import Entry, Level, read_entry
from waza_engine.graders.registry import CURRENT, find_grader, newest_generation
from waza_engine.scalars import plain
from waza_engine.scoring import mean, weighted_mean
from waza_engine.suite import EXPECTED_TEXTS, GraderEntry
from waza_engine.text import fold

_log = logging.getLogger(__name__)
_WITHOUT_EXPECTATIONS = frozenset(["G1", "PY"])
"""The generations that read a task's expectations on the output and never looked at them.

See docs/reference/waza-formats.md, section 5.2.
"""


@dataclass(frozen=True, slots=True)
class BuiltGrader:
    """A grader ready to grade, with the name and the effective weight of its entry."""

    grader: Grader
    type: str
    name: str
    weight: float


@dataclass(frozen=True, slots=True)
class GraderVerdict:
    """One grader's result in a run. `type` is as waza shows it, `duration_ms` wall time."""

    name: str
    type: str
    weight: float
    result: GraderResult
    duration_ms: int = 0


@dataclass(frozen=True, slots=True)
class GraderFailure:
    """A grader that gave no result: it could not be built (`config`) or could not grade (`grade`)."""

    name: str
    type: str
    kind: Literal["config", "grade"]
    message: str

    def __str__(self) -> str:
        return f"grader '{self.name or self.type}': {self.message}"


@dataclass(frozen=True, slots=True)
class RunVerdict:
    """The verdict on one run. `results` are by grader name, in the order of first occurrence."""

    status: Literal["passed", "failed", "error"]
    score: float = 0.0
    weighted_score: float = 0.0
    results: Mapping[str, GraderVerdict] = field(default_factory=dict)
    error: GraderFailure | None = None


def build(
    entry: Mapping[str, Any] | GraderEntry,
    generation: str = CURRENT,
    level: Level = "eval",
    scope: Scope | None = None,
) -> BuiltGrader:
    """The grader that an entry describes: all that waza refuses at loading or creating is refused here.

    Raises:
        ConfigError: the entry, its config, or a static check forbids the grader.

    """
    return _built(read_entry(entry, generation, level), generation, scope or Scope())


def _built(entry: Entry, generation: str, scope: Scope) -> BuiltGrader:
    kind = find_grader(entry.type, generation, entry.data.get("config"))
    if kind is None:
        raise ConfigError(f"Unknown grader type '{entry.type}'" if entry.type else "The grader has no type")
    if kind.name_required and not entry.name:
        raise ConfigError(f"A grader of type '{entry.type}' needs a name")
    grader = entry.configured(kind)
    if refusal := next(grader.refusals(scope), None):
        raise ConfigError(refusal.message)
    return BuiltGrader(grader, entry.type, entry.name, entry.weight)


def grade_entry(
    entry: Mapping[str, Any] | GraderEntry,
    context: GradingContext,
    generation: str = CURRENT,
    level: Level = "eval",
) -> GraderVerdict | GraderFailure:
    """Grade one entry on its own; what goes wrong is a `GraderFailure`, never an exception.

    `generation` is the version of waza (of `graders.registry.GENERATIONS`) whose meaning the type has, `VALLY` for a
    grader of vally. `level` says where the entry stands: that changes which keys it may have.
    """
    started = time.perf_counter()
    name, type_name = shown(entry)
    step: Literal["config", "grade"] = "config"
    try:
        built = build(entry, generation, level, Scope(process_dir=context.process_dir))
        name, type_name, step = built.name, built.type, "grade"
        result = built.grader.grade_turn(context, _turn(entry))
    except ConfigError as error:
        return GraderFailure(name, type_name, "config", str(error))
    except GradeError as error:
        return GraderFailure(name, type_name, "grade", str(error))
    except Exception as error:  # noqa: BLE001  # the one place per grader: a defect must not take the others down
        _log.exception("The grader '%s' of type '%s' broke", name, type_name)
        return GraderFailure(name, type_name, step, f"internal error: {type(error).__name__}: {error}")
    shown_type = type_name if result.type_name is None else result.type_name
    return GraderVerdict(
        name, shown_type, built.weight, result, round((time.perf_counter() - started) * 1000)
    )


def shown(entry: Any) -> tuple[str, str]:
    """Name and type for the message about an entry that cannot be read, whatever it is."""
    if isinstance(entry, GraderEntry):
        return entry.name, entry.type
    if not isinstance(entry, Mapping):
        return "", ""
    name, type_name = entry.get("name"), entry.get("type")
    return name if isinstance(name, str) else "", type_name if isinstance(type_name, str) else ""


def _turn(entry: Mapping[str, Any] | GraderEntry) -> int | None:
    """The turn of the conversation that an entry asks about; None is all of it."""
    turn = entry.turn if isinstance(entry, GraderEntry) else plain(entry.get("turn"))
    return turn if isinstance(turn, int) and not isinstance(turn, bool) else None


def grade_run(
    eval_entries: Sequence[Mapping[str, Any] | GraderEntry],
    task_entries: Sequence[Mapping[str, Any] | GraderEntry],
    expected: Mapping[str, Iterable[str]],
    context: GradingContext,
    generation: str = CURRENT,
    agent_error: str = "",
    *,
    older_types: bool = False,
) -> RunVerdict:
    """The verdict on one run: eval graders, task graders, then the output expectations of the task.

    `expected` has lists of texts by the keys of `suite.EXPECTED_TEXTS`. `generation` is as for `grade_entry`.
    A later result of the same name replaces the earlier one. The first error ends the run without results.
    `agent_error` is the error the agent reported: it makes the status `error` whatever the graders say.
    With `older_types`, a type that only older generations knew means what it meant in the newest of them.
    """
    results: dict[str, GraderVerdict] = {}
    leveled: list[tuple[Level, Sequence[Mapping[str, Any] | GraderEntry]]] = [
        ("eval", eval_entries),
        ("task", task_entries),
    ]
    for level, entries in leveled:
        for entry in entries:
            its_own = newest_generation(shown(entry)[1]) if older_types else generation
            graded = grade_entry(entry, context, its_own, level)
            if isinstance(graded, GraderFailure):
                return RunVerdict("error", error=graded)
            results[graded.name] = graded
    if generation not in _WITHOUT_EXPECTATIONS:
        results.update((it.name, it) for it in _expectations(expected, context.output))
    return _run_verdict(results, agent_error)


def _run_verdict(results: Mapping[str, GraderVerdict], agent_error: str) -> RunVerdict:
    passed = all(it.result.passed for it in results.values())
    return RunVerdict(
        "error" if agent_error else "passed" if passed else "failed",
        mean([it.result.score for it in results.values()]),
        weighted_mean([(it.result.score, it.weight) for it in results.values()]),
        results,
    )


def _expectations(expected: Mapping[str, Iterable[str]], output: str) -> list[GraderVerdict]:
    """The pseudo-graders for the lists that are not empty (docs/reference/waza-graders.md, section 2.5)."""
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
                else (FailedCheck((), "none of the texts found", f"it begins: {quoted(output)}"),),
            )
        else:
            wanted = option == "output_contains"
            failures = [(index, it) for index, it in enumerate(texts) if (it in found) is not wanted]
            result = GraderResult(
                (len(texts) - len(failures)) / len(texts),
                not failures,
                _expectation_text([it for _, it in failures], wanted=wanted),
                parts=tuple(_failed_text(index, it, output, wanted=wanted) for index, it in failures),
            )
        verdicts.append(GraderVerdict(f"_{option}", "", 1.0, result))
    return verdicts


def _failed_text(index: int, text: str, output: str, *, wanted: bool) -> FailedCheck:
    if wanted:
        return FailedCheck((index,), f"missing: {text}", instead_of(text, output))
    return FailedCheck((index,), f"found: {text}", place_of(text, output, any_case=True))


def _expectation_text(failures: Sequence[str], *, wanted: bool) -> str:
    word = "missing" if wanted else "found"
    return "; ".join(f"{word}: {it}" for it in failures) or "All checks passed"
