"""`waza-lsp judge`: how far to trust the judges of an eval.

Graders, stores and statistics are imported late: `--help` does without.
"""

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from waza_engine.reports.inert import harmless
from waza_lsp.cli.console import EXIT_ERROR, give_up, print_err, show
from waza_lsp.cli.options import STORE

if TYPE_CHECKING:
    from waza_engine.calibration.judgement import Judgement
    from waza_engine.model.findings import Finding
    from waza_engine.model.judge import Judge
    from waza_engine.runs.planning.plan import Plan

_EVAL = click.argument(
    "eval_path", metavar="EVAL", type=click.Path(path_type=Path, exists=True, dir_okay=False)
)
_GRADER = click.option("--grader", default="", metavar="NAME", help="Only this grader.")
_FORMAT = click.option(
    "--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True
)
_MAX_TOKENS = click.option(
    "--max-tokens", type=click.IntRange(1), metavar="N", help="Stop asking after so many tokens."
)
_MODEL = click.option("--model", default="", metavar="MODEL", help="Ask this model instead of the eval's.")


@click.group()
def judge() -> None:
    """Show how well judges agree with people, and test a changed rubric or judge.

    People give their verdicts with: waza-lsp review start

    \b
    Examples:
      waza-lsp judge show evals/eval.yaml
      waza-lsp judge ask evals/eval.yaml --repeat 3 --max-tokens 100000
      waza-lsp judge freeze evals/eval.yaml
      waza-lsp judge check evals/eval.yaml
    """


@judge.command("show")
@_EVAL
@_GRADER
@_FORMAT
@STORE
def show_(eval_path: Path, grader: str, form: str, store_dir: Path | None) -> None:
    """Show how well the judges of EVAL agree with people, with each other, and with themselves. Asks no model."""
    from waza_engine.calibration.agreement import judge_records, model_pairs
    from waza_lsp.cli.judge.report import as_json, as_text

    plan = _plan(eval_path)
    directory = _store(plan, store_dir)
    judgements = [it for it in _known(plan, directory) if grader in {"", it.grader}]
    records, pairs = judge_records(judgements), model_pairs(judgements)
    findings = _findings(plan, judgements, directory, grader)
    show(as_json(records, pairs, findings) if form == "json" else as_text(records, pairs, findings))


@judge.command("ask")
@_EVAL
@_GRADER
@click.option("--model", "models", multiple=True, metavar="MODEL", help="Ask this model. Repeatable.")
@click.option(
    "--repeat",
    type=click.IntRange(1, 100),
    default=1,
    show_default=True,
    metavar="N",
    help="Ask so many times.",
)
@click.option(
    "--most",
    type=click.IntRange(1),
    default=20,
    show_default=True,
    metavar="N",
    help="Recorded trials of each grader, the newest first.",
)
@_MAX_TOKENS
@STORE
def ask_(  # noqa: PLR0913, PLR0917  # click passes one argument per option
    eval_path: Path,
    grader: str,
    models: tuple[str, ...],
    repeat: int,
    most: int,
    max_tokens: int | None,
    store_dir: Path | None,
) -> None:
    """Ask the judges of EVAL about recorded trials again, and keep what they say.

    The agent is not run. Asking costs tokens: see --most and --max-tokens. Then see: waza-lsp judge show EVAL
    """
    from waza_engine.calibration.ask import judge_subject
    from waza_engine.calibration.judgement import add_judgements
    from waza_engine.calibration.subjects import stored_subjects
    from waza_engine.project.store_location import JUDGEMENTS
    from waza_engine.runs.store.errors import StoreError
    from waza_engine.runs.trial.workspace import WorkspaceError

    plan = _plan(eval_path)
    directory = _store(plan, store_dir)
    asked = _judge(plan, max_tokens)
    if asked is None:
        give_up("No judge is configured. Set OPENAI_API_KEY, or OPENAI_BASE_URL for another endpoint")
    kept, problems = 0, 0
    counts: dict[str, int] = {}
    try:
        for subject in stored_subjects(plan, directory, grader):
            name = subject.grader.entry.name
            counts[name] = counts.get(name, 0) + 1
            if counts[name] > most:
                continue
            for model in models or ("",):
                for _ in range(repeat):
                    answer = judge_subject(plan, subject, Path.cwd(), judge=asked, model=model)
                    if answer.judgement is None:
                        problems += 1
                        print_err(harmless(f"{subject.name} {name}: {answer.error}"))
                        break
                    add_judgements(directory / JUDGEMENTS, [answer.judgement])
                    kept += 1
                    said = "pass" if answer.judgement.passed else "fail"
                    print_err(harmless(f"{subject.name} {name} ({answer.judgement.by}): {said}"))
    except (StoreError, WorkspaceError) as error:
        give_up(str(error))
    except OSError as error:
        give_up(f"The verdicts cannot be kept: {error.strerror or error}")
    if not counts:
        give_up("No recorded trial of this eval has a grader that asks a judge. Run the eval first")
    show(f"{kept} verdicts kept. Show them with: waza-lsp judge show {eval_path}")
    sys.exit(EXIT_ERROR if problems else 0)


@judge.command("freeze")
@_EVAL
@_GRADER
@STORE
def freeze_(eval_path: Path, grader: str, store_dir: Path | None) -> None:
    """Keep the recorded trials that people judged with the eval, in recordings/judged: a test for rubrics and judges."""
    from waza_engine.calibration.frozen import FrozenSetError, freeze, frozen_folder
    from waza_engine.calibration.subjects import stored_subjects
    from waza_engine.runs.store.errors import StoreError

    plan = _plan(eval_path)
    directory = _store(plan, store_dir)
    judgements = _known(plan, directory)
    new = count = 0
    try:
        for subject in stored_subjects(plan, directory, grader):
            its = [
                it
                for it in judgements
                if (it.recording, it.grader) == (subject.name, subject.grader.entry.name)
            ]
            if any(it.person for it in its):
                count += 1
                new += freeze(plan.suite.path, subject, its)
    except (StoreError, FrozenSetError) as error:
        give_up(str(error))
    if not count:
        give_up("No person has judged a recorded trial of this eval. Do so with: waza-lsp review start")
    show(f"{count} verdicts of people are in {frozen_folder(plan.suite.path)}, {new} of them new or changed")


@judge.command("check")
@_EVAL
@_GRADER
@_MODEL
@_MAX_TOKENS
@click.option("--no-ask", is_flag=True, help="Ask no judge: use only what is known.")
@click.option(
    "--min-agreement", type=click.FloatRange(0, 100), metavar="PERCENT", help="Fail if fewer verdicts agree."
)
@click.option("--strict", is_flag=True, help="Fail if any verdict that agreed before does not agree now.")
@click.option(
    "--accept", is_flag=True, help="Keep the verdicts: later checks compare with them. Commit the file."
)
@_FORMAT
def check_(  # noqa: PLR0913, PLR0917  # click passes one argument per option
    eval_path: Path,
    grader: str,
    model: str,
    max_tokens: int | None,
    no_ask: bool,
    min_agreement: float | None,
    strict: bool,
    accept: bool,
    form: str,
) -> None:
    """Test the rubrics and judges of EVAL against its frozen set: whether they still agree with people.

    Known answers are used again as long as the judge would be asked the same, so an unchanged eval costs nothing, and a
    changed threshold neither. It fails where the judge agrees with people less than before, beyond chance.

    The exit status is 0, or 1 if a judge got worse, or 2 if something has no verdict.
    """
    from waza_engine.calibration.check import by_grader, check_judges
    from waza_engine.calibration.frozen import FrozenSetError, keep_judgements, read_frozen
    from waza_lsp.cli.judge.check_report import CheckLimits, as_json, as_text, failures

    plan = _plan(eval_path)
    try:
        frozen = read_frozen(plan, grader)
        if not frozen.subjects:
            give_up("The eval has no frozen set. Make one with: waza-lsp judge freeze EVAL")
        asked = None if no_ask else _judge(plan, max_tokens)
        checked = list(check_judges(plan, frozen, Path.cwd(), asked, model=model))
        if accept:
            new = [it.now for it in checked if it.now is not None and it.is_new]
            keep_judgements(plan.suite.path, new)
    except FrozenSetError as error:
        give_up(str(error))
    for problem in frozen.problems:
        print_err(harmless(f"warning: {problem}"))
    graders = by_grader(checked)
    failed = failures(graders, CheckLimits(min_agreement, strict=strict))
    show(as_json(graders, failed) if form == "json" else as_text(graders, failed))
    if failed:
        sys.exit(1)
    sys.exit(EXIT_ERROR if frozen.problems or any(it.undecided for it in graders) else 0)


def _findings(
    plan: "Plan", judgements: "list[Judgement]", directory: Path, grader: str
) -> "list[tuple[Path, Finding]]":
    from waza_engine.calibration.findings import judge_findings
    from waza_engine.calibration.standing import judge_standings
    from waza_engine.calibration.subjects import stored_subjects
    from waza_engine.runs.store.errors import StoreError
    from waza_engine.runs.trial.workspace import WorkspaceError

    try:
        subjects = list(stored_subjects(plan, directory, grader))
        standings = judge_standings(plan, judgements, subjects, Path.cwd())
        return list(judge_findings(it for it in standings if grader in {"", it.grader.entry.name}))
    except (StoreError, WorkspaceError) as error:
        give_up(str(error))


def _plan(path: Path) -> "Plan":
    from waza_engine.model.suite import LoadError
    from waza_engine.runs.planning.plan import PlanError
    from waza_engine.runs.recordings.regrade import plan_for_grading
    from waza_lsp.cli.load_errors import give_up_loading

    try:
        return plan_for_grading(path.absolute(), Path.cwd())
    except LoadError as error:
        give_up_loading(error)
    except PlanError as error:
        give_up(str(error), path)


def _store(plan: "Plan", store_dir: Path | None) -> Path:
    from waza_engine.runs.store.store import default_store_dir

    return (store_dir or default_store_dir(plan.suite.path)).absolute()


def _known(plan: "Plan", directory: Path) -> "list[Judgement]":
    """Return what people and judges said of the eval's stored trials."""
    from waza_engine.calibration.known import known_judgements
    from waza_engine.runs.store.errors import StoreError

    try:
        return known_judgements(plan, directory)
    except StoreError as error:
        give_up(str(error))
    except OSError as error:
        give_up(f"The kept verdicts cannot be read: {error.strerror or error}")


def _judge(plan: "Plan", max_tokens: int | None) -> "Judge | None":
    from waza_engine.executors.base import UnavailableError
    from waza_engine.judges.limited import LimitedJudge
    from waza_engine.runs.planning.participants import judge_for

    try:
        found = judge_for(plan, os.environ)
    except UnavailableError as error:
        give_up(str(error))
    return LimitedJudge(found, max_tokens) if found is not None and max_tokens is not None else found
