"""Print the report of a run as text: with colours and wrapped on a terminal, plain elsewhere."""

import shlex
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import click

from waza_engine.model.results.records import RunRecord
from waza_engine.reports.evidence_lines import Layout
from waza_engine.reports.inert import harmless, inert
from waza_engine.reports.text import TextStyle, text_lines
from waza_lsp.cli.console import may_colour
from waza_lsp.cli.stored.find import store_option

COLOURS = {
    "passed": "green",
    "failed": "red",
    "error": "yellow",
    "cancelled": "yellow",
    "skipped": "bright_black",
}
"""The colour of each status."""


def show_text_report(
    record: RunRecord,
    store_dir: Path | None = None,
    *,
    quiet: bool = False,
    after_progress: bool = False,
    title: str = "",
    k: int = 0,
) -> None:
    """Print the report. With the folder of its run store, it names the command that shows more.

    With `quiet`, only what is wrong is printed. `after_progress` leaves out what the same terminal has just shown.
    `title` comes before the first line, if there is one. With `k`, it shows pass@k and pass^k.
    """
    is_terminal = sys.stdout.isatty()
    # A run that breaks down before its first trial, for want of an agent, is not stored.
    may_be_stored = bool(record.tasks) or record.status != "error"
    colours = may_colour(sys.stdout)
    style = TextStyle(
        terminal_layout(),
        problems_only=quiet,
        hides_passed=after_progress and is_terminal,
        more=_more(record, store_dir) if store_dir and may_be_stored else "",
        reviews=_review_command(record, store_dir) if store_dir else "",
        k=k,
    )
    for number, line in enumerate(text_lines(record, style)):
        if title and not number:
            click.echo(inert(f"\n{title}\n"))
        text = inert(line.text)
        if colours and line.word:
            text = click.style(text[: line.word], fg=COLOURS[line.status], bold=True) + text[line.word :]
        click.echo(text)


def show_conclusion(noun: str, count: int, not_passed: Sequence[str], status: int) -> None:
    """Print as the last line how many of several evals or arms passed; `status` is the exit status of all."""
    # Imported late: it brings the engine's runs.
    from waza_engine.runs.run import EXIT_UNDECIDED

    verdict = {0: "passed", 1: "failed"}.get(status, "error")
    word = {0: "PASSED", 1: "FAILED", EXIT_UNDECIDED: "OPEN"}.get(status, "ERROR")
    names = f"; not passed: {', '.join(not_passed)}" if not_passed else ""
    text = harmless(f": {count - len(not_passed)} of {count} {noun} passed{names}")
    if may_colour(sys.stdout):
        word = click.style(word, fg=COLOURS[verdict], bold=True)
    click.echo(f"\n{word}{text}")


def terminal_layout(indent: int = 6) -> Layout:
    """Return the layout for evidence on standard output: wrapped on a terminal only."""
    width = shutil.get_terminal_size().columns if sys.stdout.isatty() else 0
    try:
        base = Path.cwd()
    except OSError:  # The current directory no longer exists.
        base = None
    return Layout(indent, width, base)


def report_command(record: RunRecord, store_dir: Path, *options: str) -> str:
    """Return the command that reports a stored run."""
    return shlex.join(["waza-lsp", "report", record.run_id, *_where(store_dir), *options])


def _more(record: RunRecord, store_dir: Path) -> str:
    """Return the command that shows more: if a task failed, the steps of the run, else its report."""
    if any(it.status == "failed" and it.trials for it in record.tasks):
        return shlex.join(["waza-lsp", "trace", record.run_id, *_where(store_dir), "--open"])
    return report_command(record, store_dir, "--html", "report.html")


def _review_command(record: RunRecord, store_dir: Path) -> str:
    """Return the command that lists the verdicts that wait for a person; "" if none does."""
    # Imported late: results files need no reviews.
    from waza_engine.runs.reviews import pending_verdicts

    if not any(pending_verdicts(it.trials) for it in record.tasks):
        return ""
    return shlex.join(["waza-lsp", "review", "list", "--run", record.run_id, *_where(store_dir)])


def _where(store_dir: Path) -> list[str]:
    try:
        return store_option(store_dir)
    except OSError:  # The current directory no longer exists.
        return ["--store", str(store_dir)]
