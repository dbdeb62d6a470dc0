"""Measure and report which evals test each skill, and which clauses of its description no prompt exercises."""

import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import click

from waza_engine.coverage.index import SuiteIndex, evals_that_may_test
from waza_engine.coverage.matching import State
from waza_engine.coverage.rules.untested_clause import UNTESTED_CLAUSE, message
from waza_engine.coverage.suites import SkillCoverage, coverage_of
from waza_engine.lib.files.vfs import Files
from waza_engine.lib.plurals import counted
from waza_engine.model.findings import Finding, Severity
from waza_engine.model.suite import LoadError, Suite
from waza_engine.project.discovery import eval_files, skill_files
from waza_engine.project.load_suite import load_suite
from waza_engine.project.settings import Projects
from waza_engine.project.skills import is_skill_file
from waza_engine.recognition.recognise import recognise
from waza_engine.reports.inert import harmless
from waza_lsp.cli.check import formats
from waza_lsp.cli.check.report import CheckedFile, ReportedFinding
from waza_lsp.cli.console import EXIT_ERROR, give_up, print_err, show
from waza_lsp.cli.load_errors import load_error_text, short_path
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Place, Span
from waza_lsp.workspace.skill_text import SkillText, skill_text

_FEW = 5
"""For so many skills, only evals that may test them are loaded."""


def report_coverage(paths: Sequence[Path], output: str, fail_under: float | None, *, quiet: bool) -> None:
    """Measure the skills below the paths, print the report, and exit with its status."""
    report = _measured(paths)
    if not report.skills:
        give_up("No SKILL.md found. Create one with: waza-lsp new skill NAME")
    for problem in report.problems:
        print_err(problem)
    if output == "json":
        show(_as_json(report))
    elif output == "github":
        # Not `show`, which escapes commands for GitHub. `as_github` escapes what comes from files.
        click.echo(formats.as_github([_checked_file(it) for it in report.skills]))
    else:
        show("\n".join(_text_lines(report, quiet=quiet)))
    percent = report.percent
    if report.problems:
        sys.exit(EXIT_ERROR)
    if fail_under is not None and percent < fail_under:
        print_err(f"FAILED: {_percent_text(percent)} of the clauses are covered, less than {fail_under:g} %")
        sys.exit(1)


@dataclass(frozen=True, slots=True)
class _Measured:
    """A skill with its coverage, and its text for places of clauses."""

    path: Path
    snapshot: Snapshot
    text: SkillText
    coverage: SkillCoverage
    level: Severity | None
    """The level of its findings in the settings of its project; None if they are off."""


@dataclass(frozen=True, slots=True)
class _Report:
    skills: list[_Measured] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)

    @property
    def parts(self) -> tuple[int, int]:
        parts = [it.coverage.parts for it in self.skills]
        return sum(covered for covered, _ in parts), sum(total for _, total in parts)

    @property
    def percent(self) -> float:
        covered, total = self.parts
        return 100 * covered / total


def _measured(paths: Sequence[Path]) -> _Report:
    files, projects, report = Files().snapshot(is_final=True), Projects(), _Report()
    texts = [(path, *it) for path in _skills(paths, projects) if (it := _read(path, files)) is not None]
    folders = dict.fromkeys(it if it.is_dir() else it.parent for it in (Path(), *paths))
    candidates = dict.fromkeys(it.absolute() for folder in folders for it in eval_files(folder, projects))
    wanted = [it.skill for _, _, it in texts]
    if len(wanted) <= _FEW:
        evals = dict.fromkeys(it for one in wanted for it in evals_that_may_test(one, candidates, files))
    else:
        evals = dict.fromkeys(it for it in candidates if _is_eval(it, files))
    index = SuiteIndex(_loaded(evals, report.problems))
    for path, snapshot, text in texts:
        found = coverage_of(text.skill, index.of(text.skill), files)
        settings = projects.of(path.absolute().parent)
        level = settings.rules.get(UNTESTED_CLAUSE.code, UNTESTED_CLAUSE.severity)
        report.skills.append(_Measured(path, snapshot, text, found, level))
    return report


def _skills(paths: Iterable[Path], projects: Projects) -> Iterator[Path]:
    seen = set[Path]()
    for path in paths:
        for it in skill_files(path, projects):
            if (whole := it.absolute()) not in seen and (path.is_dir() or is_skill_file(it)):
                seen.add(whole)
                yield it


def _read(path: Path, files: Files) -> tuple[Snapshot, SkillText] | None:
    text = files.text(path.absolute())
    snapshot = Snapshot.of(path.absolute().as_uri(), text) if text is not None else None
    skill = skill_text(snapshot) if snapshot is not None else None
    return (snapshot, skill) if snapshot is not None and skill is not None else None


def _is_eval(path: Path, files: Files) -> bool:
    found = recognise(files.mapping(path), path)
    return found is not None and found[1].runnable == "eval"


def _loaded(paths: Iterable[Path], problems: list[str]) -> Iterator[Suite]:
    for path in paths:
        try:
            yield load_suite(path, process_dir=Path.cwd())
        except LoadError as error:
            problems.append(load_error_text(error))


def _text_lines(report: _Report, *, quiet: bool) -> Iterator[str]:
    for it in report.skills:
        covered, total = it.coverage.parts
        if quiet and covered == total:
            continue
        yield f"{harmless(str(it.path))}: {_tested(it.coverage)}"
        for finding in _findings(it):
            start = finding.span.start
            yield (
                f"  {start.line + 1}:{start.column + 1}: {finding.finding.severity}[{finding.finding.code}] "
                f"{harmless(finding.finding.message)}"
            )
    skills = counted(len(report.skills), "skill")
    covered, total = report.parts
    yield f"{skills}: {covered} of {total} covered ({_percent_text(report.percent)})"


def _tested(found: SkillCoverage) -> str:
    if not found.evals:
        return "no eval tests it"
    tested = f"{counted(found.task_count, 'task')} in {counted(len(found.evals), 'eval')}"
    if not found.clauses:
        return tested
    covered, total = found.parts
    unclear = sum(it.state is State.UNCLEAR for it in found.clauses)
    more = f", {unclear} of them unclear" if unclear and covered else ""
    return f"{tested}, {covered} of {counted(total, 'clause')} covered{more}"


def _findings(it: _Measured) -> list[ReportedFinding]:
    """Return the untested clauses of a skill; one finding at its name if no eval tests it."""
    found = it.coverage
    if it.level is None:
        return []
    if not any(one.prompts for one in found.evals):
        text = f"No task and no trigger prompt tests the skill '{found.skill.name}'"
        start = it.text.place
        span = Span(start, Place(start.line, len(it.snapshot.text.line(start.line))))
        return [_reported(it.snapshot, UNTESTED_CLAUSE.at((), text, severity=it.level), span)]
    return [
        _reported(
            it.snapshot,
            UNTESTED_CLAUSE.at(("description",), message(one.clause, len(found.evals)), severity=it.level),
            it.text.span(one.clause.start, one.clause.end),
        )
        for one in found.clauses
        if one.state is State.UNTESTED
    ]


def _reported(snapshot: Snapshot, finding: Finding, span: Span) -> ReportedFinding:
    where = snapshot.text.range_json(span)
    return ReportedFinding(finding, span, where, snapshot.text.line(span.start.line), (), ())


def _checked_file(it: _Measured) -> CheckedFile:
    return CheckedFile(str(it.path), "", "skill", tuple(_findings(it)))


def _as_json(report: _Report) -> str:
    covered, total = report.parts
    data = {
        "skills": [_skill_json(it) for it in report.skills],
        "summary": {
            "skills": len(report.skills),
            "covered": covered,
            "total": total,
            "percent": round(report.percent, 2),
            "problems": report.problems,
        },
    }
    return json.dumps(data, indent=2, ensure_ascii=False)


def _skill_json(it: _Measured) -> dict[str, Any]:
    found = it.coverage
    covered, total = found.parts
    return {
        "path": str(it.path),
        "name": found.skill.name,
        "covered": covered,
        "total": total,
        "evals": [
            {
                "path": str(short_path(one.path)),
                "tasks": list(one.tasks),
                "trigger_prompts": len(one.prompts_of_triggers),
            }
            for one in found.evals
        ],
        "clauses": [
            {
                "text": one.clause.words,
                "wanted": one.clause.is_wanted,
                "state": str(one.state),
                "range": json.loads(
                    it.snapshot.text.range_json(it.text.span(one.clause.start, one.clause.end))
                ),
            }
            for one in found.clauses
        ],
    }


def _percent_text(percent: float) -> str:
    # Rounded down: 99.9 % is not 100 %.
    return f"{int(percent)} %"
