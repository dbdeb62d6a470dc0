"""`waza-lsp check`: the editor's findings on the command line."""

import sys
from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import NamedTuple

import click

from waza_engine.checking.files import Files
from waza_engine.findings import Severity
from waza_engine.rules.unreadable_file import UNREADABLE_FILE
from waza_engine.scope import Scope
from waza_lsp.cli.check_fix import FixedFile, fixed_file, patch, summary, write
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
@click.option("--fix", is_flag=True, help="Fix what is safe to fix, then report what is left.")
@click.option("--diff", is_flag=True, help="Show what --fix would change, and change nothing.")
@click.option(
    "--stdin-filename", metavar="NAME", help="Read the text from standard input, as if it were this file."
)
def check(
    paths: tuple[str, ...],
    output: str,
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    fix: bool,
    diff: bool,
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
      waza-lsp check --diff; waza-lsp check --fix
    """
    missing = [it for it in paths if not Path(it).exists()]
    if missing:
        click.echo(f"No such file or folder: {', '.join(missing)}", err=True)
        sys.exit(2)
    wanted = _Wanted(frozenset(select), frozenset(ignore))
    sources = _sources(paths, stdin_filename)
    if diff:
        sys.exit(_show_patches(sources, wanted))
    if fix:
        sources = _fixed(sources, wanted, paths, stdin_filename)
    checked = [_checked(it, wanted) for it in sources]
    # The fixed text of standard input has standard output for itself.
    click.echo(
        as_json(checked) if output == "json" else as_text(checked), err=fix and stdin_filename is not None
    )
    sys.exit(1 if any(mark.finding.severity is Severity.ERROR for it in checked for mark in it.marks) else 0)


class _Source(NamedTuple):
    """An eval file and what its checks may know; `unreadable` says why there is no text."""

    name: str
    snapshot: Snapshot
    world: World
    unreadable: str = ""


class _Wanted(NamedTuple):
    """The codes that were asked for; none means all."""

    select: frozenset[str]
    ignore: frozenset[str]

    def findings(self, source: _Source, snapshot: Snapshot) -> list[Mark]:
        return [
            it
            for it in findings(snapshot, source.world)
            if (not self.select or it.finding.code in self.select) and it.finding.code not in self.ignore
        ]


def _sources(paths: tuple[str, ...], stdin_filename: str | None) -> list[_Source]:
    files = Files()
    if stdin_filename is not None:
        data = click.get_binary_stream("stdin").read()
        found = [_source(stdin_filename, data, files)]
    else:
        found = [_read(it, files) for start in paths or (".",) for it in eval_files(Path(start))]
    return [it for it in found if it.unreadable or it.snapshot.recognised is not None]


def _read(path: Path, files: Files) -> _Source:
    try:
        return _source(str(path), path.read_bytes(), files)
    except OSError as error:
        return _source(str(path), b"", files, f"Cannot be read: {error.strerror}")


def _source(name: str, data: bytes, files: Files, unreadable: str = "") -> _Source:
    path = Path(name).absolute()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        text, unreadable = "", f"Not UTF-8 (byte {error.start}); save the file as UTF-8"
    world = World(path, Scope(path.parent, Path.cwd()), files)
    return _Source(name, Snapshot.of(path.as_uri(), text), world, unreadable)


def _checked(source: _Source, wanted: _Wanted) -> CheckedFile:
    if source.unreadable:
        finding = UNREADABLE_FILE.at((), source.unreadable)
        return CheckedFile(source.name, source.snapshot, (Mark(Span(Place(0, 0), Place(0, 0)), finding),))
    return CheckedFile(source.name, source.snapshot, tuple(wanted.findings(source, source.snapshot)))


def _fixes(sources: Iterable[_Source], wanted: _Wanted) -> Iterator[FixedFile]:
    for it in sources:
        found = fixed_file(it.name, it.snapshot, partial(wanted.findings, it))
        if found is not None:
            yield found


def _show_patches(sources: list[_Source], wanted: _Wanted) -> int:
    """The exit status: 1 when something would change."""
    patches = [patch(it) for it in _fixes(sources, wanted)]
    click.echo("".join(patches), nl=False)
    return 1 if patches else 0


def _fixed(
    sources: list[_Source], wanted: _Wanted, paths: tuple[str, ...], stdin_filename: str | None
) -> list[_Source]:
    """Fix the files, or the text of standard input, and read them again: a fix in one file can settle another."""
    found = list(_fixes(sources, wanted))
    for it in found:
        click.echo(summary(it), err=True)
    if stdin_filename is not None:
        texts = [it.after for it in found] or [str(it.snapshot.text) for it in sources]
        click.get_binary_stream("stdout").write("".join(texts).encode())
        return [_source(it.name, it.after.encode(), Files()) for it in found] or sources
    for it in found:
        try:
            write(it)
        except OSError as error:
            click.echo(f"{it.name} cannot be written: {error.strerror}", err=True)
            sys.exit(2)
    return _sources(paths, None) if found else sources
