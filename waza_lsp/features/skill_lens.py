"""`textDocument/codeLens` in a SKILL.md: which evals test the skill, with their last score, and how to run and audit them."""

from collections.abc import Sequence
from pathlib import Path

from lsprotocol import types

from waza_engine.coverage.suites import SkillCoverage
from waza_lsp.runnables.commands import Verdict
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Span
from waza_lsp.workspace.skill_text import SkillText

_AGES = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


def skill_lens(
    snapshot: Snapshot, skill: SkillText, coverage: SkillCoverage, verdicts: Sequence[Verdict], now: float
) -> list[types.CodeLens]:
    """Return the lenses of a skill; none if no eval tests it. `verdicts` are the last ones of its tasks."""
    if not coverage.evals:
        return []
    paths = [it.path for it in coverage.evals]
    commands = [
        types.Command(_title(coverage, verdicts, now), ""),
        types.Command("▶ Run", "waza.runSkill", arguments=[{"uri": snapshot.uri}]),
        types.Command("Audit", "waza.showAudit", arguments=[{"uri": _largest(coverage, paths).as_uri()}]),
    ]
    place = snapshot.range(Span(skill.place, skill.place))
    return [types.CodeLens(place, it) for it in commands]


def _largest(coverage: SkillCoverage, paths: Sequence[Path]) -> Path:
    """Return the eval with the most tasks of the skill: an audit shows one eval."""
    return max(zip(coverage.evals, paths, strict=True), key=lambda it: len(it[0].tasks))[1]


def _title(coverage: SkillCoverage, verdicts: Sequence[Verdict], now: float) -> str:
    parts = [f"{_counted(coverage.task_count, 'task')} in {_counted(len(coverage.evals), 'eval')}"]
    if verdicts:
        parts.append(f"{sum(it.score for it in verdicts) / len(verdicts):.2f}")
        parts.append(_age(now - max(it.at for it in verdicts)))
    return " · ".join(parts)


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _age(seconds: float) -> str:
    found = next(((size, unit) for size, unit in _AGES if seconds >= size), None)
    return f"{_counted(int(seconds // found[0]), found[1])} ago" if found is not None else "just now"
