"""The command `waza-lsp doctor`."""

import json
import os
import shutil
import sys
import textwrap
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from waza_engine.reports.inert import harmless
from waza_lsp.cli.console import may_colour, show

if TYPE_CHECKING:
    from waza_lsp.cli.doctor.facts import Fact

_MARKS = {"ok": " ", "missing": "-", "problem": "!"}
_COLOURS = {"ok": None, "missing": "yellow", "problem": "red"}
_WIDTH = 100


@click.command()
@click.option("--json", "as_json", is_flag=True, help="Print one JSON object.")
@click.option(
    "--queries",
    "file",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="Show instead what the language server remembers of FILE, and computes again after edits.",
)
def doctor(*, as_json: bool, file: Path | None) -> None:
    """Show what is installed here and what could run: versions, executors, judges, sandbox, run store, project, editor.

    Paste the output into bug reports. It contains no keys: of variables with secrets it shows only the names, and your
    home folder is '~'. It starts nothing but the sandbox, to try it.

    The exit status is 1 if something is broken, such as project settings that cannot be read, else 0.

    \b
    Examples:
      waza-lsp doctor
      waza-lsp doctor --json > doctor.json
      waza-lsp doctor --queries eval.yaml
    """
    if file is not None:
        _show_queries(file, as_json=as_json)
        return
    # Imported late: `--help` does without.
    from waza_lsp.cli.doctor.facts import facts

    found = {title: [_public(it) for it in rows] for title, rows in facts()}
    if as_json:
        data = {
            title: {it.name: {"status": it.status, "value": it.value} for it in rows}
            for title, rows in found.items()
        }
        show(json.dumps(data, indent=2, ensure_ascii=False))
    else:
        width = max(len(it.name) for rows in found.values() for it in rows)
        parts = ([_bold(title), *(_line(it, width) for it in rows)] for title, rows in found.items())
        click.echo("\n\n".join("\n".join(it) for it in parts))
    sys.exit(1 if any(it.status == "problem" for rows in found.values() for it in rows) else 0)


def _show_queries(file: Path, *, as_json: bool) -> None:
    # Imported late: nobody else needs the rules.
    from waza_lsp.cli.doctor.queries import NoEvalError, query_rows, query_table

    try:
        rows = query_rows(file)
    except (OSError, ValueError, NoEvalError) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else error
        raise click.UsageError(harmless(f"Cannot open {file}: {reason}")) from error
    if as_json:
        show(json.dumps([asdict(it) for it in rows], indent=2))
        return
    click.echo("\n".join(query_table(rows)))


def _public(fact: "Fact") -> "Fact":
    """Return the fact without keys, and with `~` for the home folder."""
    from waza_engine.lib.redaction import Redactor

    text = Redactor.of(os.environ).text(fact.value)
    home = os.path.expanduser("~")  # noqa: PTH111  # unlike Path.home, it never fails
    if len(home) > 1:
        text = text.replace(home, "~")
    return fact._replace(value=harmless(text))


def _width() -> int:
    return min(_WIDTH, shutil.get_terminal_size((_WIDTH, 0)).columns)


def _bold(title: str) -> str:
    return click.style(title, bold=True) if may_colour(sys.stdout) else title


def _line(fact: "Fact", width: int) -> str:
    indent = " " * (width + 6)
    wrapped = textwrap.fill(
        fact.value,
        _width(),
        initial_indent=indent,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    text = f"  {_MARKS[fact.status]} {fact.name:{width}}  {wrapped.strip()}"
    colour = _COLOURS[fact.status]
    return click.style(text, fg=colour) if colour and may_colour(sys.stdout) else text
