"""`waza-lsp check`: report the editor's findings on the command line."""

import gc
import sys
import traceback
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click

from waza_engine.lib.links import RULE_PAGES
from waza_engine.model.findings import Severity
from waza_engine.project.settings import ProjectSettings, unknown_code
from waza_engine.recognition.recognise import dialects, load_object
from waza_engine.reports.inert import inert
from waza_engine.rules.unreadable_file import UNREADABLE_FILE
from waza_lsp.cli.check.report import CheckedFile, Tries, as_text
from waza_lsp.cli.check.sources import STDIN, Source, Sources, find_sources
from waza_lsp.cli.console import EXIT_ERROR, may_colour, may_link, print_err, show_file_text
from waza_lsp.diagnostics.ranges import RangedFinding
from waza_lsp.features.diagnostics import findings
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Place, Span

if TYPE_CHECKING:
    from waza_lsp.cli.check.fix import FixedFile
    from waza_lsp.fixes.upgrade import Goal

_FORMATS = {
    "text": "report:as_text",
    "json": "report:as_json",
    "sarif": "formats:as_sarif",
    "github": "formats:as_github",
    "junit": "formats:as_junit",
}
"""The formats with their functions, which are imported late: JUnit's brings the records of runs."""


def _parse_codes(
    _context: click.Context, _option: click.Parameter, values: tuple[str, ...]
) -> frozenset[str]:
    """Return the codes of a repeatable option. One value may hold several, separated by commas."""
    codes = frozenset(code.strip() for it in values for code in it.split(",") if code.strip())
    for code in sorted(codes):
        if reason := unknown_code(code):
            raise click.BadParameter(f"{reason} All codes: {RULE_PAGES}")
    return codes


def _parse_goal(_context: click.Context, _option: click.Parameter, value: str | None) -> "Goal | None":
    if value is None:
        return None
    from waza_lsp.fixes.upgrade import Goal, UpgradeError

    try:
        return Goal.parse(value)
    except UpgradeError as error:
        raise click.BadParameter(str(error)) from error


@click.command()
@click.argument("paths", nargs=-1, metavar="[PATH]...")
@click.option(
    "--format",
    "output",
    type=click.Choice(list(_FORMATS)),
    default="text",
    show_default=True,
    help="Output format.",
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
    callback=_parse_codes,
    help="Report only these codes. Repeatable; separate several with commas.",
)
@click.option(
    "--ignore",
    multiple=True,
    metavar="CODE",
    callback=_parse_codes,
    help="Do not report these codes. Repeatable; separate several with commas.",
)
@click.option("--fix", is_flag=True, help="Apply all safe fixes, then report the remaining findings.")
@click.option("--diff", is_flag=True, help="Show what --fix would change, without changing files.")
@click.option(
    "--upgrade",
    metavar="DIALECT[@VERSION]",
    callback=_parse_goal,
    help="Report only what this version of the runner, by default the newest, breaks. With --fix, apply the mechanical fixes.",
)
@click.option("-q", "--quiet", is_flag=True, help="Print findings only, without the summary line.")
@click.option("--stdin-filename", metavar="NAME", help="Read standard input and check it as the file NAME.")
def check(  # noqa: PLR0913, PLR0917  # one for each option
    paths: tuple[str, ...],
    output: str,
    dialect: str,
    select: frozenset[str],
    ignore: frozenset[str],
    fix: bool,
    diff: bool,
    upgrade: "Goal | None",
    quiet: bool,
    stdin_filename: str | None,
) -> None:
    """Find mistakes in eval, task, trigger, project and experiment files.

    PATH is a file or a folder. Without PATH, the working directory is searched. Files ignored by git or excluded in
    the settings are skipped, unless you name them. PATH '-' reads standard input. Other files are skipped.
    The exit status is 0 without errors, 1 with errors, and 2 if some of the work could not be done. With --diff it is 1
    if --fix would change something.

    \b
    Examples:
      waza-lsp check
      waza-lsp check evals/deploy --ignore cannot-fail
      waza-lsp check --format sarif evals > findings.sarif
      waza-lsp check --stdin-filename evals/eval.yaml < draft.yaml
      waza-lsp check --diff; waza-lsp check --fix
      waza-lsp check --upgrade vally@0.19 --fix
    """
    if (stdin_filename is not None or STDIN in paths) and set(paths) - {STDIN}:
        raise click.UsageError("Give either standard input or other paths, not both")
    # Each file makes many small trees that live briefly; frequent searches for cycles would take 17 % longer.
    gc.set_threshold(100_000, 10, 10)
    codes = _CodeFilter(select, ignore)
    sources = find_sources(paths, "" if dialect == "auto" else dialect, stdin_filename)
    if sources.missing:
        print_err(f"No such file or folder: {', '.join(sources.missing)}")
        if not sources.paths:
            sys.exit(EXIT_ERROR)
    if upgrade is not None:
        status = _upgrade(sources, upgrade, output, fix=fix, diff=diff, quiet=quiet)
        sys.exit(EXIT_ERROR if sources.missing else status)
    if diff:
        sys.exit(max(_print_patches(sources, codes), EXIT_ERROR if sources.missing else 0))
    if fix:
        sources = _fix_sources(sources, codes)
    failures: list[str] = []
    tries = {"json": Tries.ALL, "text": Tries.SAFE}.get(output, Tries.NONE)
    checked = [_check_source(it, codes, failures, tries) for it in sources]
    checked += [_check_settings(it, codes) for it in sources.projects.with_problems()]
    # With --fix, standard output holds the fixed text of standard input and nothing else.
    _print_report(checked, output, quiet=quiet, err=fix and sources.stdin is not None)
    for failure in failures:
        click.echo(inert(failure), err=True)
    has_errors = any(it.finding.severity is Severity.ERROR for file in checked for it in file.found)
    sys.exit(EXIT_ERROR if failures or sources.missing else 1 if has_errors else 0)


def _upgrade(sources: Sources, goal: "Goal", output: str, *, fix: bool, diff: bool, quiet: bool) -> int:
    """Report what the goal breaks, or fix what is mechanical and report the rest. Return the exit status."""
    from waza_lsp.cli.check.upgrade import UPGRADE_FORMATS, as_patches, check_upgrade, fixed_files

    if output not in UPGRADE_FORMATS:
        raise click.UsageError(f"--upgrade prints {' or '.join(UPGRADE_FORMATS)}, not {output}")
    report = check_upgrade(sources, goal)
    if diff:
        show_file_text(as_patches(report))
        return 1 if any(fixed_files(report)) else 0
    if fix:
        removed = [(it.name, text) for it in report.broken for text in it.upgraded.removed]
        sources = _write_fixed(sources, list(fixed_files(report)))
        for name, text in removed:
            print_err(f"{name}: {text}")
        report = check_upgrade(sources, goal)
    stream = sys.stderr if fix and sources.stdin is not None else sys.stdout
    text = UPGRADE_FORMATS[output](report, quiet=quiet)
    if text:
        click.echo(f"{inert(text)}\n".encode("utf-8", "backslashreplace"), nl=False, file=stream)
    return 1 if report.broken else 0


def _print_report(checked: Sequence[CheckedFile], output: str, *, quiet: bool, err: bool) -> None:
    if output == "text":
        stream = sys.stderr if err else sys.stdout
        text = as_text(checked, quiet=quiet, colour=may_colour(stream), links=may_link(stream))
    else:
        text = load_object(f"{__package__}.{_FORMATS[output]}")(checked)
        # Lines for GitHub are commands and are escaped by `as_github`.
        text = text if output == "github" else inert(text)
    if text:
        # A file can hold half a surrogate pair as an escape. It is printed as an escape, which JSON reads back.
        click.echo(f"{text}\n".encode("utf-8", "backslashreplace"), nl=False, err=err)


class _CodeFilter(NamedTuple):
    """The codes to report; an empty `select` means all."""

    select: frozenset[str]
    ignore: frozenset[str]

    def findings(self, source: Source, snapshot: Snapshot) -> list[RangedFinding]:
        return [mark for mark in findings(snapshot, source.world) if self.has(mark)]

    def has(self, mark: RangedFinding) -> bool:
        """Whether a finding is reported."""
        code = mark.finding.code
        return (not self.select or code in self.select) and code not in self.ignore


def _check_source(source: Source, codes: _CodeFilter, failures: list[str], tries: Tries) -> CheckedFile:
    """Check one file. A bug of ours in one file must not hide the findings in the others."""
    if source.unreadable:
        mark = RangedFinding(Span(Place(0, 0), Place(0, 0)), UNREADABLE_FILE.at((), source.unreadable))
        return CheckedFile.of(source.name, source.snapshot, [mark])
    found: list[RangedFinding] = []
    try:
        found = codes.findings(source, source.snapshot)
    except Exception:  # noqa: BLE001  # the one place per file; an exception is a bug of ours
        failures.append(f"{source.name} could not be checked; please report this:\n{traceback.format_exc()}")
    return CheckedFile.of(source.name, source.snapshot, found, tries)


def _check_settings(settings: ProjectSettings, codes: _CodeFilter) -> CheckedFile:
    """Report what is wrong in a settings file that was used."""
    # Imported late: few settings files have problems.
    from waza_lsp.diagnostics.settings_file import settings_findings

    path = settings.path or Path()
    snapshot, marks = settings_findings(path, settings)
    name = str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
    return CheckedFile.of(name, snapshot, [it for it in marks if codes.has(it)], Tries.NONE)


def _print_patches(sources: Sources, codes: _CodeFilter) -> int:
    """Print the changes of --fix and return the exit status."""
    from waza_lsp.cli.check.fix import patch

    patches = [patch(it) for it in _fixable_files(sources, codes)]
    show_file_text("".join(patches))
    return 1 if patches else 0


def _fixable_files(sources: Iterable[Source], codes: _CodeFilter) -> "Iterator[FixedFile]":
    from waza_lsp.cli.check.fix import fix_file

    for source in sources:
        fixed = fix_file(source.name, source.snapshot, partial(codes.findings, source))
        if fixed is not None:
            yield fixed


def _fix_sources(sources: Sources, codes: _CodeFilter) -> Sources:
    """Fix the files or the text of standard input. The caller reads them again: a fix can settle other findings."""
    return _write_fixed(sources, list(_fixable_files(sources, codes)))


def _write_fixed(sources: Sources, fixed: Sequence["FixedFile"]) -> Sources:
    from waza_lsp.cli.check.fix import summary, write

    for file in fixed:
        print_err(summary(file))
    if sources.stdin is not None:
        after = fixed[0].after.encode() if fixed else sources.stdin
        click.echo(after, nl=False)
        return replace(sources, stdin=after)
    for file in fixed:
        try:
            write(file)
        except OSError as error:
            print_err(f"{file.name} cannot be written: {error.strerror}")
            sys.exit(EXIT_ERROR)
    return sources
