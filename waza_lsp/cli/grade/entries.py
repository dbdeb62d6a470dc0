"""Grade a list of entries against one context, and print the verdicts with their evidence."""

import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NoReturn

import click

from waza_engine.graders.base import GradingContext
from waza_engine.graders.result import GraderFailure, GraderVerdict
from waza_engine.grading.batch import grade_checked, graders_from_yaml, list_answer
from waza_engine.model.results.records import GraderOutcome
from waza_engine.reports.evidence import Evidence, Sources, outcome_evidence
from waza_engine.reports.evidence_lines import Layout, evidence_lines, short
from waza_engine.reports.inert import harmless, inert, one_line
from waza_lsp.cli.console import may_colour
from waza_lsp.cli.text_report import COLOURS, terminal_layout

_INDENT = 7
_EXIT_STATUS = {"passed": 0, "failed": 1}
_EXIT_ERRORED = 3
_WORDS = {"passed": "PASS ", "failed": "FAIL ", "error": "ERROR"}


def grade_entries(
    text: str, path: Path | None, context: GradingContext, meaning: str, output_format: str, *, quiet: bool
) -> NoReturn:
    """Grade the entries of a YAML list, print the verdicts, and end the program with their exit status.

    `path` is the file of the list, None for standard input.
    """
    graded = grade_checked(graders_from_yaml(text), context, meaning)
    answer = list_answer(graded)
    status = "error" if answer.get("infrastructure") else answer["status"]
    if output_format == "json":
        click.echo(inert(json.dumps(answer["results"], indent=2, default=str)))
    else:
        for line in _lines(graded, path, status, answer["score"], quiet=quiet):
            click.echo(line)
    sys.exit(_EXIT_STATUS.get(status, _EXIT_ERRORED))


def _lines(
    graded: Sequence[GraderVerdict | GraderFailure],
    path: Path | None,
    status: str,
    score: float,
    *,
    quiet: bool,
) -> Iterator[str]:
    if quiet and status == "passed":
        return
    sources, layout = Sources(), terminal_layout(_INDENT)
    outcomes = [_outcome(it, path, index) for index, it in enumerate(graded)]
    for outcome, it in zip(outcomes, graded, strict=True):
        if isinstance(it, GraderFailure):
            source = sources.find(outcome, (*outcome.pointer, *it.pointer))
            place = f"  {layout.place(source)}" if source else ""
            yield _coloured(f"ERROR  {one_line(outcome.name)}{place}: {short(it.message)}", "error")
        elif not (quiet and outcome.passed):
            yield from _outcome_lines(outcome, sources, layout)
    passed = sum(it.passed for it in outcomes)
    word = {"passed": "PASSED", "failed": "FAILED"}.get(status, "ERROR")
    shown = "" if status == "error" else f", score {score:.2f}"
    yield _coloured(f"{word}: {passed} of {len(outcomes)} graders passed{shown}", status, len(word))


def _outcome(graded: GraderVerdict | GraderFailure, path: Path | None, index: int) -> GraderOutcome:
    """Return a verdict as the outcome of the entry at `index` of a file."""
    absolute = path.absolute() if path is not None else None
    if isinstance(graded, GraderFailure):
        name = graded.name or graded.type or "(no name)"
        return GraderOutcome(
            name, graded.type, "error", 0.0, 1.0, graded.message, path=absolute, pointer=(index,)
        )
    result = graded.result
    is_error = result.status == "error" or result.infrastructure
    return GraderOutcome(
        graded.name or graded.type or "(no name)",
        graded.type,
        "error" if is_error else "passed" if result.passed else "failed",
        result.score,
        graded.weight,
        result.feedback,
        path=absolute,
        pointer=(index,),
        parts=result.parts,
    )


def _outcome_lines(outcome: GraderOutcome, sources: Sources, layout: Layout) -> Iterator[str]:
    found = outcome_evidence(outcome, sources)
    first = found[0] if found else None
    place = layout.place(first.source, of_entry=len(found) > 1) if first else ""
    head = f"{_WORDS[outcome.status]}  {one_line(outcome.name)}"
    if outcome.status == "error":
        yield _coloured(f"{'  '.join(filter(None, (head, place)))}: {short(outcome.feedback)}", "error")
        return
    head += f"  {outcome.score:.2f}"
    if first is None or not outcome.parts:
        yield _coloured("  ".join(filter(None, (head, place, short(outcome.feedback)))), outcome.status)
        return
    yield _coloured("  ".join(filter(None, (head, place))), outcome.status)
    for line in evidence_lines([_without_owner(it) for it in found], 1, layout):
        yield harmless(line)


def _without_owner(evidence: Evidence) -> Evidence:
    """Return the evidence without what the line of its grader has."""
    return replace(evidence, graders=())


def _coloured(line: str, status: str, word: int = 5) -> str:
    text = harmless(line)
    if not may_colour(sys.stdout):
        return text
    return click.style(text[:word], fg=COLOURS[status], bold=True) + text[word:]
