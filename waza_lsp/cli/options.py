"""Options that several commands share. Plain data: `--help` imports it, and nothing that a command needs for its work."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import click

Decorator = Callable[[Callable[..., Any]], Callable[..., Any]]


class _ReportFile(click.Path):
    """A file to write. `-` is refused: other programs mean standard output by it, here it would be a file's name."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == "-":
            self.fail("'-' is not a file name; give the name of a file.", param, ctx)
        return super().convert(value, param, ctx)


FILE = _ReportFile(dir_okay=False, path_type=Path)
FOLDER = click.Path(file_okay=False, path_type=Path)
FILE_OR_FOLDER = click.Path(path_type=Path)
LAST = "last"
"""What names the newest run."""
STORE = click.option(
    "--store", "store_dir", type=FOLDER, metavar="DIR", help="Folder of the run store. Default: .waza-lsp."
)
JUNIT = click.option("--junit", type=FILE, metavar="FILE", help="Write a JUnit report.")
HTML = click.option("--html", type=FILE, metavar="FILE", help="Write an HTML report.")
TRACE = click.option(
    "--trace", type=FILE, metavar="FILE", help="Write a page that shows the trials step by step (HTML)."
)
QUIET = click.option(
    "--quiet", "-q", is_flag=True, help="Print only what is wrong: nothing if everything passed."
)
GITHUB = click.option(
    "--github", type=FILE, metavar="FILE", help="Write Markdown for a comment or a job summary."
)
JOBS = click.option(
    "--jobs",
    type=click.IntRange(1),
    metavar="N",
    help="Use so many processes for 200 files or more. Default: one for each core.",
)
PRINTED_FORMATS: Mapping[str, str] = {
    "text": "waza_engine.reports.text:text_report",
    "json": "waza_engine.reports.results.write:results_chunks",
    "github": "waza_engine.reports.github:github_markdown",
}
"""The reports that can be printed, by their name in `--format`: functions of a record that return a text or its pieces."""

FINDING_FORMATS: Mapping[str, str] = {
    "text": "waza_lsp.cli.check.report:as_text",
    "json": "waza_lsp.cli.check.report:as_json",
    "sarif": "waza_lsp.cli.check.formats:as_sarif",
    "github": "waza_lsp.cli.check.formats:as_github",
    "junit": "waza_lsp.cli.check.formats:as_junit",
}
"""The same for the findings of `check`."""


def all_of(*decorators: Decorator) -> Decorator:
    """Return one decorator that adds several options, in this order."""

    def decorate(command: Callable[..., Any]) -> Callable[..., Any]:
        for decorator in reversed(decorators):
            command = decorator(command)
        return command

    return decorate
