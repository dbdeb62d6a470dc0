"""`waza-lsp review start`: one key for each verdict, on what waits for a person and on what a judge has decided.

The judge's verdict is shown only after the person's: who knows it first agrees too often.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from waza_engine.lib.plurals import counted
from waza_engine.reports.inert import harmless
from waza_engine.runs.reviews import Review, add_review, pending_verdicts, read_reviews
from waza_lsp.cli.console import give_up, show

if TYPE_CHECKING:
    from waza_engine.runs.store.rows import StoredRun
    from waza_engine.runs.store.store import RunStore

_MOST_SHOWN = 6_000
_KEYS = {"p": True, "f": False}
_HELP = "p pass   f fail   n note   s skip   q quit"


@dataclass(frozen=True, slots=True)
class Case:
    """What a person is asked to decide. `judge` is the judge's verdict, None where the grader asks none."""

    task: str
    trial: int
    grader: str
    text: str
    judge: bool | None = None


def review_cases(cases: Sequence[Case], run: str, file: Path, reviewer: str) -> int:
    """Ask for a verdict on each case, store each at once, and return how many there are.

    Raises:
        OSError: a verdict cannot be stored.

    """
    done = 0
    for number, case in enumerate(cases, 1):
        show(
            f"\n{'-' * 70}\n{number} of {len(cases)}  {harmless(f'{case.task}  trial {case.trial}  {case.grader}')}"
        )
        show(harmless(_shortened(case.text)))
        verdict, note = _asked()
        if verdict is None:
            break
        if verdict == "skip":
            continue
        passed = _KEYS[verdict]
        add_review(
            file,
            Review(
                run=run,
                task=case.task,
                grader=case.grader,
                trial=case.trial,
                passed=passed,
                score=float(passed),
                reviewer=reviewer,
                comments=note,
            ),
        )
        done += 1
        if case.judge is not None:
            said = "pass" if case.judge else "fail"
            show(f"kept: {'pass' if passed else 'fail'}. The judge said: {said}")
    return done


def _asked() -> tuple[str | None, str]:
    """Return the key of a verdict or `skip`, None to quit; and the note."""
    note = ""
    show(_HELP)
    while True:
        key = click.getchar().lower()
        if key in _KEYS:
            return key, note
        match key:
            case "s":
                return "skip", ""
            case "n":
                note = click.prompt("note", default="", show_default=False)
                show(_HELP)
            case "q" | "\x1b" | "":
                return None, ""
            case _:
                show(_HELP)


def _shortened(text: str) -> str:
    if len(text) <= _MOST_SHOWN:
        return text
    half = _MOST_SHOWN // 2
    return f"{text[:half]}\n[... {len(text) - _MOST_SHOWN} characters left out ...]\n{text[-half:]}"


def cases_of(store: "RunStore", run: "StoredRun", grader: str) -> list[Case]:
    """Return what a person can decide in a run: first what waits for one, then what judges decided, without repeats."""
    reviewed = {
        (it.task, it.trial, it.grader) for it in read_reviews(store.directory) if it.run == run.run_id
    }
    found = [*_pending(store, run), *_judged(store, run)]
    return [
        it for it in found if grader in {"", it.grader} and (it.task, it.trial, it.grader) not in reviewed
    ]


def _pending(store: "RunStore", run: "StoredRun") -> Iterator[Case]:
    for it in pending_verdicts([each.record for each in store.trials(run.run_id)]):
        details: Mapping[str, object] = it.outcome.details or {}
        criteria = details.get("criteria")
        parts = [
            str(details.get("instructions") or ""),
            *(f"- {one}" for one in (criteria if isinstance(criteria, list | tuple) else ())),
            str(details.get("output_preview") or ""),
        ]
        yield Case(it.task, it.trial, it.outcome.name, "\n".join(filter(None, parts)))


def _judged(store: "RunStore", run: "StoredRun") -> Iterator[Case]:
    from waza_engine.calibration.ask import question_of
    from waza_engine.calibration.subjects import run_judgements, stored_name, stored_subjects
    from waza_engine.model.suite import LoadError
    from waza_engine.runs.planning.plan import PlanError
    from waza_engine.runs.recordings.regrade import plan_for_grading
    from waza_engine.runs.trial.workspace import WorkspaceError

    try:
        plan = plan_for_grading(run.eval_path, Path.cwd())
    except (LoadError, PlanError) as error:
        show(harmless(f"Verdicts of judges are left out, because the eval cannot be loaded: {error}"))
        return
    said = {(it.recording, it.grader): it.passed for it in run_judgements(plan, store.directory)}
    for subject in stored_subjects(plan, store.directory):
        name = subject.grader.entry.name
        key = stored_name(run.run_id, subject.task.id, subject.recording.trial), name
        if subject.recording.run_id != run.run_id or key not in said:
            continue
        try:
            text = question_of(plan, subject, Path.cwd())
        except WorkspaceError as error:
            give_up(str(error))
        yield Case(subject.task.id, subject.recording.trial, name, text, said[key])


def tell(done: int, asked: int) -> None:
    """Print what was done."""
    left = asked - done
    show(f"\n{counted(done, 'verdict')} kept" + (f", {left} left" if left else ""))
