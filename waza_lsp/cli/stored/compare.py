"""`waza-lsp compare`: show several runs side by side, or ask a judge which of two is better.

Runs and their reports are imported late: `--help` does without.
"""

import json
import os
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from waza_engine.reports.inert import harmless
from waza_lsp.cli.completion import values
from waza_lsp.cli.console import give_up, is_terminal, print_err, show, show_table
from waza_lsp.cli.options import FILE, LAST, STORE

if TYPE_CHECKING:
    from waza_engine.model.experiment import Pairwise
    from waza_engine.model.results.records import RunRecord
    from waza_engine.model.suite import Suite

_EXIT_WORSE = 1


@click.command()
@click.argument("runs", nargs=-1, required=True, shell_complete=values.runs_or_files)
@click.option(
    "--format", "-f", "form", type=click.Choice(["table", "json"]), default="table", show_default=True
)
@STORE
@click.option("--html", type=FILE, metavar="FILE", help="Write the comparison as an HTML page.")
@click.option("--pairwise", is_flag=True, help="Ask a judge which of two runs is better, trial by trial.")
@click.option(
    "--eval",
    "eval_path",
    type=click.Path(dir_okay=False, path_type=Path),
    metavar="EVAL",
    help="With --pairwise: the eval with the rubrics. Default: the eval of the runs.",
)
@click.option("--judge-model", default="", metavar="MODEL", help="With --pairwise: the judge's model.")
@click.option(
    "--fail-on-regression", is_flag=True, help="Exit with 1 if a run is shown to be worse than the first."
)
@click.option(
    "--fail-on-possible-regression",
    is_flag=True,
    help="Exit with 1 if a run has a lower score or pass rate than the first, even by chance.",
)
def compare(  # noqa: PLR0913, PLR0917  # click passes one argument per option
    runs: tuple[str, ...],
    form: str,
    store_dir: Path | None,
    html: Path | None,
    pairwise: bool,
    eval_path: Path | None,
    judge_model: str,
    **gates: bool,
) -> None:
    """Compare two or more RUNS: ids, "last", or results files. Deltas are the last run minus the first.

    Below the table is what the differences show: better, worse, no difference shown, or that so few tasks cannot show it.
    All trials of a task count as one pair.

    With --pairwise, the first run is the baseline, and a judge model decides for each trial of the second run whether
    it is better. The judge is asked twice, with the two swapped; contradictions count as ties.

    The exit status is 0, or 2 if the runs cannot be compared. With --fail-on-regression, it is 1 if a run is shown to be
    worse, and 3 if none is but tasks or trials could not be judged. --fail-on-possible-regression is the strict form: 1 if a
    run's score or pass rate is lower at all.

    \b
    Examples:
      waza-lsp compare before.json after.json
      waza-lsp compare 20260131T120000 last --format json
      waza-lsp compare 20260131T120000 last --html comparison.html
      waza-lsp compare baseline.json last --fail-on-regression
      waza-lsp compare before.jsonl after.jsonl --pairwise --fail-on-regression
    """
    gate = _Gate(shown=gates["fail_on_regression"], possible=gates["fail_on_possible_regression"])
    if len(runs) < 2:
        raise click.UsageError("Name at least two runs or results files.")
    if pairwise:
        if len(runs) > 2:
            raise click.UsageError("With --pairwise, name exactly two runs: the baseline and the treatment.")
        if html is not None:
            raise click.UsageError("--pairwise writes no page. Remove --html or --pairwise.")
        _compare_pairwise(
            _PairwiseRequest(
                runs[0],
                runs[1],
                store_dir,
                eval_path,
                judge_model,
                form,
                gate,
            )
        )
        return
    for name, value in (("--eval", eval_path), ("--judge-model", judge_model)):
        if value:
            raise click.UsageError(f"{name} requires --pairwise.")
    from waza_engine.reports.comparison import comparison_data
    from waza_lsp.cli.stored.find import load_record

    records = [load_record(it, store_dir) for it in runs]
    if html is not None:
        from waza_engine.reports.html.comparison import html_comparison
        from waza_lsp.cli.run.reports import write_report

        if problem := write_report(html, html_comparison(_labels(runs, records), records)):
            give_up(problem)
    if form == "json":
        show(json.dumps(comparison_data(runs, records), indent=2))
    else:
        show_comparison(_labels(runs, records), records)
    _warn_of_different_evals(records)
    _fail_on_regression(gate, records)


@dataclass(frozen=True, slots=True)
class _Gate:
    """Which regressions end the command with 1: those that are shown, or any."""

    shown: bool
    possible: bool

    @property
    def is_closed(self) -> bool:
        return self.shown or self.possible


def _fail_on_regression(gate: _Gate, records: "Sequence[RunRecord]") -> None:
    """Exit with 1 after a regression, and with 3 if there is none but not all tasks could be judged."""
    if not gate.is_closed:
        return
    from waza_engine.model.results.threshold import deciding_tasks
    from waza_engine.statistics.compare_runs import compare_runs

    found = compare_runs(records)
    if not all(it.tasks for it in found):
        give_up("A run has no judged task in common with the first: no regression can be seen")
    if any(it.is_worse or (gate.possible and it.is_possibly_worse) for it in found):
        sys.exit(_EXIT_WORSE)
    deciding = (task for record in records for task in deciding_tasks(record.tasks))
    _exit_undecided(any(it.status == "error" for it in deciding))


def _exit_undecided(undecided: bool) -> None:
    """Exit with 3 if something could not be judged: a build must not take this for success."""
    if undecided:
        # Imported late: it brings everything that runs need.
        from waza_engine.runs.run import EXIT_UNDECIDED

        sys.exit(EXIT_UNDECIDED)


def _labels(names: Sequence[str], records: "Sequence[RunRecord]") -> list[str]:
    """Return the names of the runs, with the variants of arms. `last` becomes an id: tomorrow it is another run."""
    arms = (f" [{it.arm.variant}]" if it.arm is not None else "" for it in records)
    ids = (one.run_id if it == LAST else it for it, one in zip(names, records, strict=True))
    return [f"{name}{arm}" for name, arm in zip(ids, arms, strict=True)]


def _warn_of_different_evals(records: "Sequence[RunRecord]") -> None:
    evals = dict.fromkeys(it.suite_name for it in records)
    if len(evals) > 1:
        print_err(f"warning: These are runs of different evals: {', '.join(evals)}")


def show_comparison(names: Sequence[str], records: "Sequence[RunRecord]") -> None:
    """Print the comparison: a table on a terminal, aligned text elsewhere."""
    from waza_engine.reports.comparison import comparison_data, comparison_text, evidence_lines

    if not is_terminal():
        show(comparison_text(names, records))
        return
    data = comparison_data(names, records)
    for number, (name, model) in enumerate(zip(names, data["models"], strict=True), 1):
        show(harmless(f"{number}: {name}{f' ({model})' if model else ''}"))
    numbers = [f"{it}#" for it in range(1, len(names) + 1)]
    show_table(["task", *numbers, "delta#", "status"], _comparison_rows(data))
    for line in evidence_lines(data):
        show(harmless(line))


def _comparison_rows(data: dict[str, Any]) -> Iterator[list[str]]:
    for task in sorted(data["task_deltas"], key=lambda it: it["score_delta"]):
        statuses = task["statuses"]
        scores = [
            "-" if status == "n/a" else f"{score:.2f}"
            for score, status in zip(task["scores"], statuses, strict=True)
        ]
        change = "" if statuses[0] == statuses[-1] else f"{statuses[0]} -> {statuses[-1]}"
        yield [task["task_id"], *scores, f"{task['score_delta']:+.2f}", change]
    totals = [f"{it:.2f}" for it in data["aggregate_scores"]]
    yield ["all tasks", *totals, f"{data['aggregate_score_delta']:+.2f}", ""]
    rates = [f"{it:.0%}" for it in data["success_rates"]]
    yield ["passed", *rates, f"{data['success_rate_delta']:+.0%}", ""]


@dataclass(frozen=True, slots=True)
class _PairwiseRequest:
    """The options of a pairwise comparison."""

    baseline: str
    treatment: str
    store_dir: Path | None
    eval_path: Path | None
    judge_model: str
    form: str
    gate: _Gate


def _compare_pairwise(request: _PairwiseRequest) -> None:
    """Compare and print. Behind a gate, exit with 1 if the second run is worse, 3 if that is not known."""
    from waza_engine.judges.openai import OpenAIJudge
    from waza_engine.model.judge import JudgeMissing
    from waza_engine.recognition.recognise import dialects_by_preference, load_object
    from waza_lsp.cli.stored.find import load_record

    names = (request.baseline, request.treatment)
    baseline, treatment = (load_record(it, request.store_dir) for it in names)
    suite = _load_rubrics(request.eval_path, treatment)
    try:
        judge = OpenAIJudge.from_environment(os.environ)
    except JudgeMissing as error:
        give_up(str(error))
    compare_runs = next(it.compare_runs for it in dialects_by_preference() if it.compare_runs)
    comparison: Pairwise = load_object(compare_runs)(baseline, treatment, judge, suite, request.judge_model)
    pairs = []
    for pair in comparison.pairs():
        print_err(f"{pair.treatment.task} trial {pair.treatment.trial}: {pair.error or pair.winner}")
        pairs.append(pair)
    if not pairs:
        give_up("The two runs have no trial of the same stimulus in common")
    result = comparison.record(names, pairs)
    show(json.dumps(result, ensure_ascii=False) if request.form == "json" else _pairwise_text(result))
    if request.gate.is_closed:
        summary = result["summary"]
        if summary["evidence"]["verdict"] == "worse" or (request.gate.possible and summary["meanScore"] < 0):
            sys.exit(_EXIT_WORSE)
        _exit_undecided(any(it.error for it in pairs))


def _load_rubrics(path: Path | None, record: "RunRecord") -> "Suite | None":
    """Load the suite that holds the rubrics: `path`, else the eval of the run if it still exists."""
    from waza_engine.model.suite import LoadError
    from waza_engine.project.load_suite import load_suite

    chosen = path or (Path(record.eval_path) if record.eval_path else None)
    try:
        return load_suite(chosen, process_dir=Path.cwd()) if chosen is not None else None
    except LoadError as error:
        if path is not None:
            give_up(str(error))
        return None


def _pairwise_text(result: dict[str, Any]) -> str:
    from waza_engine.reports.comparison import measured_text

    summary = result["summary"]
    names = [harmless(it["stimulusName"]) for it in result["stimuli"]]
    width = max(len(it) for it in names)
    means = [it["meanScore"] for it in result["stimuli"]]
    lines = [f"{name:{width}}  {mean:+.2f}" for name, mean in zip(names, means, strict=True)]
    unjudged = f", {summary['erroredCount']} not judged" if summary["erroredCount"] else ""
    lines.append(
        f"{result['treatment']} against {result['baseline']}: {summary['wins']} better, {summary['ties']} equal, "
        f"{summary['losses']} worse{unjudged}; score {summary['meanScore']:+.2f} "
        f"[{summary['ciLow']:+.2f}, {summary['ciHigh']:+.2f}]"
    )
    lines.append(f"by stimulus: {measured_text(summary['evidence'])}")
    passed = summary["mcnemar"]
    lines.append(
        f"passed only before: {passed['baselineOnly']}, only now: {passed['treatmentOnly']} (p = {passed['pValue']:.3f})"
    )
    return "\n".join(lines)
