"""Check what `waza-lsp check` names: report the findings, fix them, or show what a newer version breaks."""

import gc
import sys
from collections.abc import Generator, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import click

from waza_engine.lib.system.cores import cores
from waza_engine.model.findings import Severity
from waza_engine.project.settings import ProjectSettings
from waza_engine.recognition.recognise import load_object
from waza_engine.reports.inert import inert
from waza_lsp.cli.check.checks import Checks, CodeFilter
from waza_lsp.cli.check.report import CheckedFile, Tries, as_text
from waza_lsp.cli.check.sources import STDIN, Source, Sources, find_sources
from waza_lsp.cli.console import EXIT_ERROR, Counter, may_colour, may_link, print_err, show_file_text
from waza_lsp.cli.options import FINDING_FORMATS

if TYPE_CHECKING:
    from waza_lsp.cli.check.fix import FixedFile
    from waza_lsp.fixes.upgrade import Goal

LEAST_FILES = 200
"""From this many files on, the work is spread over processes."""


@dataclass(frozen=True, slots=True)
class Request:
    """What the command line asks for. An empty `dialect` means any; without `jobs` all cores are used."""

    paths: tuple[str, ...]
    output: str
    dialect: str
    codes: CodeFilter
    upgrade: "Goal | None"
    stdin_filename: str | None
    jobs: int | None
    fix: bool
    diff: bool
    quiet: bool


def start(request: Request) -> None:
    """Check the files, print the report and end the program with its exit status."""
    if (request.stdin_filename is not None or STDIN in request.paths) and set(request.paths) - {STDIN}:
        raise click.UsageError("Give either standard input or other paths, not both")
    # Each file makes many small trees that live briefly; frequent searches for cycles would take 17 % longer.
    gc.set_threshold(100_000, 10, 10)
    sources = find_sources(request.paths, request.dialect, request.stdin_filename)
    if sources.missing:
        print_err(f"error: No such file or folder: {', '.join(sources.missing)}")
        if not sources.paths:
            sys.exit(EXIT_ERROR)
    if request.upgrade is not None:
        status = _upgrade(sources, request.upgrade, request)
        sys.exit(EXIT_ERROR if sources.missing else status)
    if request.diff:
        sys.exit(max(_print_patches(sources, request.codes), EXIT_ERROR if sources.missing else 0))
    if request.fix:
        sources = _fix_sources(sources, request.codes)
    failures: list[str] = []
    tries = {"json": Tries.ALL, "text": Tries.SAFE}.get(request.output, Tries.NONE)
    with (
        Counter(sys.stderr, "files checked", quiet=request.quiet) as counter,
        # Ctrl-C ends all processes at once.
        closing(_check(sources, Checks(request.codes, tries), failures, request.jobs)) as files,
    ):
        checked = list(counter.each(files))
    # With --fix, standard output holds the fixed text of standard input and nothing else.
    _print_report(checked, request.output, quiet=request.quiet, err=request.fix and sources.stdin is not None)
    for failure in failures:
        click.echo(inert(failure), err=True)
    has_errors = any(it.finding.severity is Severity.ERROR for file in checked for it in file.found)
    sys.exit(EXIT_ERROR if failures or sources.missing else 1 if has_errors else 0)


def _upgrade(sources: Sources, goal: "Goal", request: Request) -> int:
    """Report what the goal breaks, or fix what is mechanical and report the rest. Return the exit status."""
    from waza_lsp.cli.check.upgrade import UPGRADE_FORMATS, as_patches, check_upgrade, fixed_files

    output = request.output
    if output not in UPGRADE_FORMATS:
        raise click.UsageError(f"--upgrade prints {' or '.join(UPGRADE_FORMATS)}, not {output}")
    report = check_upgrade(sources, goal)
    if request.diff:
        show_file_text(as_patches(report))
        return 1 if any(fixed_files(report)) else 0
    if request.fix:
        removed = [(it.name, text) for it in report.broken for text in it.upgraded.removed]
        sources = _write_fixed(sources, list(fixed_files(report)))
        for name, text in removed:
            print_err(f"{name}: {text}")
        report = check_upgrade(sources, goal)
    stream = sys.stderr if request.fix and sources.stdin is not None else sys.stdout
    text = UPGRADE_FORMATS[output](report, quiet=request.quiet)
    if text:
        click.echo(f"{inert(text)}\n".encode("utf-8", "backslashreplace"), nl=False, file=stream)
    return 1 if report.broken else 0


def _print_report(checked: Sequence[CheckedFile], output: str, *, quiet: bool, err: bool) -> None:
    if output == "text":
        stream = sys.stderr if err else sys.stdout
        text = as_text(checked, quiet=quiet, colour=may_colour(stream), links=may_link(stream))
    else:
        text = load_object(FINDING_FORMATS[output])(checked)
        # Lines for GitHub are commands and are escaped by `as_github`.
        text = text if output == "github" else inert(text)
    if text:
        # A file can hold half a surrogate pair as an escape. It is printed as an escape, which JSON reads back.
        click.echo(f"{text}\n".encode("utf-8", "backslashreplace"), nl=False, err=err)


def check_sources(
    sources: Sources, each: Iterable[Source], codes: CodeFilter, failures: list[str], tries: Tries
) -> list[CheckedFile]:
    """Return the findings of each file, then those of the settings that were used. Bugs of ours are `failures`."""
    checks = Checks(codes, tries)
    checked = [checks.of(it, failures) for it in each]
    return checked + [_check_settings(it, codes) for it in sources.projects.with_problems()]


def _check(
    sources: Sources, checks: Checks, failures: list[str], jobs: int | None
) -> Generator[CheckedFile, None, None]:
    """Yield what `check_sources` returns. Many files are spread over so many processes, by default all cores."""
    reader, found = sources.reader(), list(sources.found())
    if sources.stdin is not None:
        yield from (checks.of(it, failures) for it in sources)
    elif len(found) < LEAST_FILES or (jobs or cores()) == 1:
        yield from (checks.of(it, failures) for it in reader.read(found))
    else:
        # Imported late: most checks are of a few files.
        from waza_lsp.cli.check.spread import check_spread

        yield from check_spread(reader, found, checks, failures, jobs)
    yield from (_check_settings(it, checks.codes) for it in sources.projects.with_problems())


def _check_settings(settings: ProjectSettings, codes: CodeFilter) -> CheckedFile:
    """Report what is wrong in a settings file that was used."""
    # Imported late: few settings files have problems.
    from waza_lsp.diagnostics.settings_file import settings_findings

    path = settings.path or Path()
    snapshot, marks = settings_findings(path, settings)
    name = str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
    return CheckedFile.of(name, snapshot, [it for it in marks if codes.has(it)], Tries.NONE)


def _print_patches(sources: Sources, codes: CodeFilter) -> int:
    """Print the changes of --fix and return the exit status."""
    from waza_lsp.cli.check.fix import patch

    patches = [patch(it) for it in _fixable_files(sources, codes)]
    show_file_text("".join(patches))
    return 1 if patches else 0


def _fixable_files(sources: Iterable[Source], codes: CodeFilter) -> "Iterator[FixedFile]":
    from waza_lsp.cli.check.fix import fix_file

    for source in sources:
        fixed = fix_file(source.name, source.snapshot, partial(codes.findings, source))
        if fixed is not None:
            yield fixed


def _fix_sources(sources: Sources, codes: CodeFilter) -> Sources:
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
