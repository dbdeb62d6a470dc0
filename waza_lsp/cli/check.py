"""`waza-lsp check`: the editor's findings on the command line."""

import sys
from collections.abc import Iterator
from pathlib import Path

import click

from waza_engine.checking.files import Files
from waza_engine.findings import Finding, Severity
from waza_engine.rules.unreadable_file import UNREADABLE_FILE
from waza_engine.scope import Scope
from waza_lsp.cli.check_report import CheckedFile, as_json, as_text
from waza_lsp.cli.eval_files import eval_files
from waza_lsp.features.diagnostics import findings
from waza_lsp.schema.check import Mark, World
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Place, Span


@click.command(short_help="Find mistakes in eval files.")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option("--format", "output", type=click.Choice(["text", "json"]), default="text", show_default=True)
@click.option("--select", multiple=True, metavar="CODE", help="Report only these codes; repeatable.")
@click.option("--ignore", multiple=True, metavar="CODE", help="Do not report these codes; repeatable.")
@click.option(
    "--stdin-filename", metavar="NAME", help="Read the text from standard input, as if it were this file."
)
def check(
    paths: tuple[str, ...],
    output: str,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    stdin_filename: str | None,
) -> None:
    """Find mistakes in eval, task, trigger and project files.

    PATH is a file or a folder; without one, the working directory is searched. Files that are no evals are passed over.
    The exit status is 0 without errors, 1 with some, 2 when the work could not be done.

    \b
    Examples:
      waza-lsp check
      waza-lsp check evals/deploy --ignore cannot-fail
      waza-lsp check --format json evals > findings.json
    """
    if stdin_filename is not None:
        sources = [(stdin_filename, sys.stdin.read())]
        checked = [it for it in (_checked(name, text, Files()) for name, text in sources) if it is not None]
    else:
        missing = [it for it in paths if not Path(it).exists()]
        if missing:
            click.echo(f"No such file or folder: {', '.join(missing)}", err=True)
            sys.exit(2)
        checked = list(_files(paths or (".",)))
    checked = [_selected(it, set(select), set(ignore)) for it in checked]
    click.echo(as_json(checked) if output == "json" else as_text(checked))
    sys.exit(1 if any(mark.finding.severity is Severity.ERROR for it in checked for mark in it.marks) else 0)


def _files(paths: tuple[str, ...]) -> Iterator[CheckedFile]:
    files = Files()
    for start in paths:
        for path in eval_files(Path(start)):
            try:
                text = path.read_bytes().decode("utf-8-sig")
            except OSError as error:
                yield _unreadable(path, f"Cannot be read: {error.strerror}")
                continue
            except UnicodeDecodeError as error:
                yield _unreadable(path, f"Not UTF-8 (byte {error.start}); save the file as UTF-8")
                continue
            checked = _checked(str(path), text, files)
            if checked is not None:
                yield checked


def _checked(name: str, text: str, files: Files) -> CheckedFile | None:
    path = Path(name).absolute()
    snapshot = Snapshot.of(path.as_uri(), text)
    if snapshot.recognised is None:
        return None
    world = World(path, Scope(path.parent, Path.cwd()), files)
    return CheckedFile(name, snapshot, tuple(findings(snapshot, world)))


def _unreadable(path: Path, message: str) -> CheckedFile:
    finding: Finding = UNREADABLE_FILE.at((), message)
    return CheckedFile(
        str(path), Snapshot.of(path.absolute().as_uri(), ""), (Mark(Span(Place(0, 0), Place(0, 0)), finding),)
    )


def _selected(file: CheckedFile, select: set[str], ignore: set[str]) -> CheckedFile:
    kept = [
        it for it in file.marks if (not select or it.finding.code in select) and it.finding.code not in ignore
    ]
    return CheckedFile(file.name, file.snapshot, tuple(kept))
