"""`waza-lsp check --upgrade DIALECT@VERSION`: what a newer version of the runner breaks, and its mechanical fixes."""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple

from waza_engine.reports.inert import harmless
from waza_lsp.cli.check.fix import FixedFile, patch
from waza_lsp.cli.check.report import ReportedFinding
from waza_lsp.cli.check.sources import Source
from waza_lsp.fixes.upgrade import Goal, UpgradedFile, upgrade_file
from waza_lsp.syntax.edit.edits import Draft


class CheckedUpgrade(NamedTuple):
    """A file that the upgrade breaks. `target` is the version that its project uses, empty if none is set."""

    name: str
    target: str
    before: str
    upgraded: UpgradedFile
    found: Sequence[tuple[ReportedFinding, str]]
    """The findings, each with the title of its mechanical fix, or "" if a person must choose."""


class UpgradeReport(NamedTuple):
    """What an upgrade breaks. `total` is the number of files of the dialect, `current` those that need no upgrade."""

    goal: Goal
    total: int
    current: int
    broken: Sequence[CheckedUpgrade]

    @property
    def causes(self) -> "list[Cause]":
        """The kinds of findings, the most frequent first."""
        files: Counter[str] = Counter()
        findings: Counter[str] = Counter()
        mechanical: Counter[str] = Counter()
        for file in self.broken:
            files.update({it.finding.code for it, _ in file.found})
            findings.update(it.finding.code for it, _ in file.found)
            mechanical.update(it.finding.code for it, title in file.found if title)
        return [Cause(code, files[code], count, mechanical[code]) for code, count in findings.most_common()]


class Cause(NamedTuple):
    """A kind of finding: how many files and places have it, and how many of them have a mechanical fix."""

    code: str
    files: int
    findings: int
    mechanical: int


def check_upgrade(sources: Iterable[Source], goal: Goal) -> UpgradeReport:
    """Check all files of the goal's dialect against its version."""
    total, current, broken = 0, 0, []
    for source in sources:
        snapshot = source.snapshot
        if snapshot.form is None or snapshot.form.dialect != goal.dialect:
            continue
        total += 1
        target = source.world.target
        if target and not goal.is_after(target):
            current += 1
            continue
        upgraded = upgrade_file(snapshot, source.world, goal)
        if upgraded.breaks:
            draft = Draft(snapshot.text, snapshot.tree)
            found = [
                (ReportedFinding.of(snapshot, mark, draft), upgraded.titles.get(index, ""))
                for index, mark in enumerate(upgraded.breaks)
            ]
            broken.append(CheckedUpgrade(source.name, target, str(snapshot.text), upgraded, found))
    return UpgradeReport(goal, total, current, broken)


def fixed_files(report: UpgradeReport) -> Iterator[FixedFile]:
    """Yield the files with mechanical fixes, before and after them."""
    for it in report.broken:
        if it.upgraded.after is not None:
            yield FixedFile(it.name, it.before, str(it.upgraded.after.text), it.upgraded.applied)


def as_patches(report: UpgradeReport) -> str:
    """Return the changes of --fix as one patch."""
    return "".join(patch(it) for it in fixed_files(report))


def as_text(report: UpgradeReport, *, quiet: bool = False) -> str:
    """Return the findings file by file, then the counts per cause and how to pin the version."""
    lines = [line for file in report.broken for line in _file_lines(file)]
    return "\n".join(lines if quiet else [*lines, *_summary(report)])


def _file_lines(file: CheckedUpgrade) -> Iterator[str]:
    used = f" (its project uses {file.target})" if file.target else ""
    yield f"{harmless(file.name)}: {_count(len(file.found), 'place')} to change{used}"
    for it, title in file.found:
        start = it.span.start
        advice = f" Fix: {title}" if title else " No mechanical fix"
        message = harmless(it.finding.message).rstrip(".")
        end = "" if message.endswith("?") else "."
        yield f"  {start.line + 1}:{start.column + 1}: [{it.finding.code}] {message}{end}{advice}"
    yield from (f"  {harmless(it)}" for it in file.upgraded.removed)


def _summary(report: UpgradeReport) -> Iterator[str]:
    name = f"{report.goal.dialect} {report.goal.version}"
    files = f"{_count(report.total, 'file')} of {report.goal.dialect} checked"
    if report.current:
        files += f", {report.current} of them with a target of {report.goal.version} or newer"
    if not report.broken:
        yield f"{name} breaks nothing: {files}"
        yield from _pin(report)
        return
    yield ""
    yield f"{name} breaks {_count(len(report.broken), 'file')} ({files})"
    for it in report.causes:
        fixable = f", {it.mechanical} with a mechanical fix" if it.mechanical else ""
        yield f"  {it.code}: {_count(it.findings, 'place')} in {_count(it.files, 'file')}{fixable}"
    if any(it.mechanical for it in report.causes):
        yield "Apply the mechanical fixes with --fix, or show them with --diff."
    yield from _pin(report)


def _pin(report: UpgradeReport) -> Iterator[str]:
    if report.total > report.current:
        yield f"To check against this version from now on, write into .waza-lsp.toml:\n\n{report.goal.pin.rstrip()}"


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def as_json(report: UpgradeReport, *, quiet: bool = False) -> str:  # noqa: ARG001  # as `as_text`
    """Return the report as one JSON object; lines and characters as in the findings of `check`."""
    goal = report.goal
    found = [it for file in report.broken for it in file.found]
    data = {
        "upgrade": {"dialect": goal.dialect, "version": goal.version},
        "files": [_file_json(it) for it in report.broken],
        "causes": [it._asdict() for it in report.causes],
        "summary": {
            "files": report.total,
            "current": report.current,
            "broken": len(report.broken),
            "findings": len(found),
            "mechanical": sum(bool(title) for _, title in found),
        },
        "pin": goal.pin,
    }
    return json.dumps(data, indent=2, ensure_ascii=False)


def _file_json(file: CheckedUpgrade) -> dict[str, Any]:
    return {
        "path": file.name,
        "target": file.target,
        "findings": [
            {
                "range": json.loads(it.range),
                "severity": str(it.finding.severity),
                "code": it.finding.code,
                "message": it.finding.message,
                "fix": title or None,
            }
            for it, title in file.found
        ],
        "removed": list(file.upgraded.removed),
    }


UPGRADE_FORMATS: dict[str, Callable[..., str]] = {"text": as_text, "json": as_json}
