"""Print the report of a run as text: with colours and wrapped on a terminal, plain elsewhere."""

import shlex
import shutil
import sys
from pathlib import Path

import click

from waza_engine.model.records import RunRecord
from waza_engine.reports.evidence_lines import Layout
from waza_engine.reports.inert import inert
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
) -> None:
    """Print the report. With the folder of its run store, it names the command that shows more.

    With `quiet`, only what is wrong is printed. `after_progress` leaves out what the same terminal has just shown.
    """
    is_terminal = sys.stdout.isatty()
    colours = may_colour(sys.stdout)
    style = TextStyle(
        terminal_layout(),
        problems_only=quiet,
        hides_passed=after_progress and is_terminal,
        more=report_command(record, store_dir, "--html", "report.html") if store_dir else "",
    )
    for line in text_lines(record, style):
        text = inert(line.text)
        if colours and line.word:
            text = click.style(text[: line.word], fg=COLOURS[line.status], bold=True) + text[line.word :]
        click.echo(text)


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
    try:
        where = store_option(store_dir)
    except OSError:  # The current directory no longer exists.
        where = ["--store", str(store_dir)]
    return shlex.join(["waza-lsp", "report", record.run_id, *where, *options])
