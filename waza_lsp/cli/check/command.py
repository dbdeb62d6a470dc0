"""`waza-lsp check`: the editor's findings on the command line."""

import gc
import sys
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

import click

from waza_engine.addresses import RULE_PAGES
from waza_engine.checking.codes import unknown_code
from waza_engine.findings import Severity
from waza_engine.formats import dialects
from waza_engine.reports.inert import inert
from waza_engine.rules.unreadable_file import UNREADABLE_FILE
from waza_lsp.cli.check.fix import FixedFile, fixed_file, patch, summary, write
from waza_lsp.cli.check.formats import as_github, as_junit, as_sarif
from waza_lsp.cli.check.report import CheckedFile, as_json, as_text, checked_file
from waza_lsp.cli.check.sources import STDIN, Source, Sources, sources
from waza_lsp.cli.console import CANNOT, may_colour, tell
from waza_lsp.features.diagnostics import findings
from waza_lsp.schema.mark import Mark
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Place, Span

_FORMATS: dict[str, Callable[[Sequence[CheckedFile]], str]] = {
    "text": as_text,
    "json": as_json,
    "sarif": as_sarif,
    "github": as_github,
    "junit": as_junit,
}


def _codes(_context: click.Context, _option: click.Parameter, given: tuple[str, ...]) -> frozenset[str]:
    """The codes of a repeatable option; several may stand in one, with commas between them."""
    codes = frozenset(code.strip() for it in given for code in it.split(",") if code.strip())
    for code in sorted(codes):
        if reason := unknown_code(code):
            raise click.BadParameter(f"{reason} The pages of all codes: {RULE_PAGES}")
    return codes


@click.command(short_help="Find mistakes in eval files.")
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option(
    "--format",
    "output",
    type=click.Choice(list(_FORMATS)),
    default="text",
    show_default=True,
    help="What to print.",
)
@click.option(
    "--dialect",
    type=click.Choice(["auto", *(it.name for it in dialects())]),
    default="auto",
    show_default=True,
    help="Read all files as this dialect.",
)
@click.option(
    "--select",
    multiple=True,
    metavar="CODE",
    callback=_codes,
    help="Report only these; repeatable, or several with commas.",
)
@click.option(
    "--ignore",
    multiple=True,
    metavar="CODE",
    callback=_codes,
    help="Do not report these; repeatable, or several with commas.",
)
@click.option("--fix", is_flag=True, help="Fix what is safe to fix, then report what is left.")
@click.option("--diff", is_flag=True, help="Show what --fix would change, and change nothing.")
@click.option("-q", "--quiet", is_flag=True, help="Print findings only, without the sum at the end.")
@click.option("--stdin-filename", metavar="NAME", help="Read standard input, as if it were this file.")
def check(  # noqa: PLR0913, PLR0917  # one for each option
    paths: tuple[str, ...],
    output: str,
    dialect: str,
    select: frozenset[str],
    ignore: frozenset[str],
    fix: bool,
    diff: bool,
    quiet: bool,
    stdin_filename: str | None,
) -> None:
    """Find mistakes in eval, task, trigger, project and experiment files.

    PATH is a file or a folder; without one, the working directory is searched, leaving out what .gitignore files and
    the `exclude` of the project's settings name. PATH '-' is standard input. Files that are no evals are passed over.
    The exit status is 0 without errors, 1 with some, 2 when the work could not be done, or not all of it; of --diff it is
    1 when something would change.

    \b
    Examples:
      waza-lsp check
      waza-lsp check evals/deploy --ignore cannot-fail
      waza-lsp check --format sarif evals > findings.sarif
      waza-lsp check --stdin-filename evals/eval.yaml < draft.yaml
      waza-lsp check --diff; waza-lsp check --fix
    """
    if (stdin_filename is not None or STDIN in paths) and set(paths) - {STDIN}:
        raise click.UsageError("Standard input and other paths exclude each other")
    # Many small trees live for one file each: looking for cycles among them all the time would cost a sixth more.
    gc.set_threshold(100_000, 10, 10)
    wanted = _Wanted(select, ignore)
    source = sources(paths, "" if dialect == "auto" else dialect, stdin_filename)
    if source.missing:
        tell(f"No such file or folder: {', '.join(source.missing)}")
        if not source.paths:
            sys.exit(CANNOT)
    if diff:
        sys.exit(max(_show_patches(source, wanted), CANNOT if source.missing else 0))
    if fix:
        source = _fixed(source, wanted)
    failures: list[str] = []
    checked = [_checked(it, wanted, failures) for it in source]
    for problem in source.projects.problems():
        tell(problem)
    # The fixed text of standard input has standard output for itself.
    _show(checked, output, quiet=quiet, err=fix and source.stdin is not None)
    for failure in failures:
        click.echo(inert(failure), err=True)
    has_errors = any(it.finding.severity is Severity.ERROR for file in checked for it in file.found)
    sys.exit(CANNOT if failures or source.missing else 1 if has_errors else 0)


def _show(checked: Sequence[CheckedFile], output: str, *, quiet: bool, err: bool) -> None:
    if output == "text":
        stream = sys.stderr if err else sys.stdout
        text = as_text(checked, quiet=quiet, colour=may_colour(stream))
    else:
        text = _FORMATS[output](checked)
        # The lines for GitHub are commands; they escape themselves.
        text = text if output == "github" else inert(text)
    if text:
        # Half a character, which a file can hold as an escape, is written as an escape: in JSON it is then read back.
        click.echo(f"{text}\n".encode("utf-8", "backslashreplace"), nl=False, err=err)


class _Wanted(NamedTuple):
    """The codes that were asked for; none means all."""

    select: frozenset[str]
    ignore: frozenset[str]

    def findings(self, source: Source, snapshot: Snapshot) -> list[Mark]:
        return [
            it
            for it in findings(snapshot, source.world)
            if (not self.select or it.finding.code in self.select) and it.finding.code not in self.ignore
        ]


def _checked(source: Source, wanted: _Wanted, failures: list[str]) -> CheckedFile:
    """A file with its findings. A mistake of ours in one file must not hide what is wrong in the others."""
    if source.unreadable:
        mark = Mark(Span(Place(0, 0), Place(0, 0)), UNREADABLE_FILE.at((), source.unreadable))
        return checked_file(source.name, source.snapshot, [mark])
    found: list[Mark] = []
    try:
        found = wanted.findings(source, source.snapshot)
    except Exception:  # noqa: BLE001  # the one place for a file: what goes wrong here is our bug
        failures.append(f"{source.name} could not be checked; please report this:\n{traceback.format_exc()}")
    return checked_file(source.name, source.snapshot, found)


def _fixes(source: Iterable[Source], wanted: _Wanted) -> Iterator[FixedFile]:
    for it in source:
        found = fixed_file(it.name, it.snapshot, partial(wanted.findings, it))
        if found is not None:
            yield found


def _show_patches(source: Sources, wanted: _Wanted) -> int:
    """The exit status: 1 when something would change."""
    patches = [patch(it) for it in _fixes(source, wanted)]
    click.echo("".join(patches).encode("utf-8", "backslashreplace"), nl=False)
    return 1 if patches else 0


def _fixed(source: Sources, wanted: _Wanted) -> Sources:
    """Fix the files, or the text of standard input; reading them again shows if a fix in one settled another."""
    found = list(_fixes(source, wanted))
    for it in found:
        tell(summary(it))
    if source.stdin is not None:
        after = found[0].after.encode() if found else source.stdin
        click.echo(after, nl=False)
        return replace(source, stdin=after)
    for it in found:
        try:
            write(it)
        except OSError as error:
            tell(f"{it.name} cannot be written: {error.strerror}")
            sys.exit(CANNOT)
    return source
