"""`waza-lsp compare`: several runs side by side, or two of them as a judge sees them."""

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from waza_engine.formats import load_suite
from waza_engine.judges.base import JudgeMissing
from waza_engine.judges.openai import OpenAIJudge
from waza_engine.reports.comparison import comparison_data, comparison_text
from waza_engine.reports.html_comparison import html_comparison
from waza_engine.reports.inert import harmless
from waza_engine.runs.records import RunRecord
from waza_engine.suite import LoadError, Suite
from waza_engine.vally.pairing import comparison_record, pairs_of
from waza_engine.vally.preferring import Preference
from waza_lsp.cli.console import show, tell
from waza_lsp.cli.run.reports import FILE, written
from waza_lsp.cli.stored_runs import STORE, give_up, record_named


@click.command(short_help="Compare runs, task by task.")
@click.argument("runs", nargs=-1, required=True)
@click.option(
    "--format", "-f", "form", type=click.Choice(["table", "json"]), default="table", show_default=True
)
@STORE
@click.option("--html", type=FILE, metavar="FILE", help="Write a comparison to look at.")
@click.option("--pairwise", is_flag=True, help="Ask a judge which of two runs is better, trial by trial.")
@click.option(
    "--eval",
    "eval_path",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="EVAL",
    help="With --pairwise: where the rubrics stand; default the eval of the runs.",
)
@click.option("--judge-model", default="", metavar="MODEL", help="With --pairwise: the judge's model.")
@click.option(
    "--fail-on-regression", is_flag=True, help="With --pairwise: exit with 1 when the second run is worse."
)
def compare(  # one argument for each option
    runs: tuple[str, ...],
    form: str,
    store_dir: Path | None,
    html: Path | None,
    pairwise: bool,
    eval_path: Path | None,
    judge_model: str,
    fail_on_regression: bool,
) -> None:
    """Compare two or more RUNS: ids, "last", or results files. Differences are the last one's to the first.

    With --pairwise the first run is the baseline, and a judge model says for each trial of the second whether it is better.
    It is asked twice, with the places swapped; contradictions are ties.

    The exit status is 0, 1 with --fail-on-regression when the second run is worse, 2 when the runs could not be compared.

    \b
    Examples:
      waza-lsp compare before.json after.json
      waza-lsp compare 20260131T120000 last --format json
      waza-lsp compare 20260131T120000 last --html comparison.html
      waza-lsp compare before.jsonl after.jsonl --pairwise --fail-on-regression
    """
    if len(runs) < 2:
        raise click.UsageError("Name at least two runs or results files.")
    if pairwise:
        # Imported here: it brings the judges with it.
        from waza_lsp.cli.compare import Wanted, compare_pairwise

        if len(runs) > 2:
            raise click.UsageError("With --pairwise name exactly two runs: the baseline and the treatment.")
        if html is not None:
            raise click.UsageError("--pairwise writes no page: leave out --html, or --pairwise.")
        wanted = Wanted(runs[0], runs[1], store_dir, eval_path, judge_model, form, fail_on_regression)
        compare_pairwise(wanted)
        return
    # Without a judge nothing is called worse: a build that counts on it would never fail.
    for name, given in (
        ("--fail-on-regression", fail_on_regression),
        ("--eval", eval_path),
        ("--judge-model", judge_model),
    ):
        if given:
            raise click.UsageError(f"{name} is for --pairwise: give that, too.")
    records = [record_named(it, store_dir) for it in runs]
    if html is not None and (problem := written(html, html_comparison(runs, records))):
        give_up(problem)
    if form == "json":
        show(json.dumps(comparison_data(runs, records), indent=2))
    else:
        show(comparison_text(runs, records))


_WORSE = 1


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the command line asks for."""

    baseline: str
    treatment: str
    store_dir: Path | None
    eval_path: Path | None
    judge_model: str
    form: str
    fail_on_regression: bool


def compare_pairwise(wanted: Wanted) -> None:
    """Compare, print, and end with 1 if the second run is worse and that counts."""
    baseline, treatment = (record_named(it, wanted.store_dir) for it in (wanted.baseline, wanted.treatment))
    suite = _suite(wanted.eval_path, treatment)
    try:
        judge = OpenAIJudge.from_environment(os.environ)
    except JudgeMissing as error:
        give_up(str(error))
    pairs = []
    for it in pairs_of(baseline, treatment, Preference(judge, suite, wanted.judge_model)):
        tell(f"{it.treatment.task} trial {it.treatment.trial}: {it.error or it.winner}")
        pairs.append(it)
    if not pairs:
        give_up("The two runs have no trial of the same stimulus in common")
    found = comparison_record(baseline, treatment, (wanted.baseline, wanted.treatment), pairs)
    show(json.dumps(found, ensure_ascii=False) if wanted.form == "json" else _text(found))
    if wanted.fail_on_regression and found["summary"]["meanScore"] < 0:
        sys.exit(_WORSE)


def _suite(path: Path | None, record: RunRecord) -> Suite | None:
    """The suite with the rubrics: the named one, else that of the run if it is still there."""
    chosen = path or (Path(record.eval_path) if record.eval_path else None)
    try:
        return load_suite(chosen, process_dir=Path.cwd()) if chosen is not None else None
    except LoadError as error:
        if path is not None:
            give_up(str(error))
        return None


def _text(found: dict[str, Any]) -> str:
    summary = found["summary"]
    names = [harmless(it["stimulusName"]) for it in found["stimuli"]]
    width = max(len(it) for it in names)
    means = [it["meanScore"] for it in found["stimuli"]]
    lines = [f"{name:{width}}  {mean:+.2f}" for name, mean in zip(names, means, strict=True)]
    unjudged = f", {summary['erroredCount']} not judged" if summary["erroredCount"] else ""
    lines.append(
        f"{found['treatment']} against {found['baseline']}: {summary['wins']} better, {summary['ties']} equal, "
        f"{summary['losses']} worse{unjudged}; score {summary['meanScore']:+.2f} "
        f"[{summary['ciLow']:+.2f}, {summary['ciHigh']:+.2f}]"
    )
    passed = summary["mcnemar"]
    lines.append(
        f"passed only before: {passed['baselineOnly']}, only now: {passed['treatmentOnly']} (p = {passed['pValue']:.3f})"
    )
    return "\n".join(lines)
