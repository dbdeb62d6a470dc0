"""`textDocument/codeLens` in a SKILL.md: which evals test the skill, with their last score, and how to run and audit them."""

from collections.abc import Sequence
from pathlib import Path

from lsprotocol import types

from waza_engine.coverage.suites import SkillCoverage
from waza_engine.lib.plurals import counted
from waza_lsp.runnables.commands import Verdict
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Span
from waza_lsp.workspace.skill_text import SkillText

_AGES = ((86_400, "day"), (3_600, "hour"), (60, "minute"))


def skill_lens(
    snapshot: Snapshot,
    skill: SkillText,
    coverage: SkillCoverage,
    verdicts: Sequence[tuple[Path, Verdict]],
    now: float,
) -> list[types.CodeLens]:
    """Return the lenses of a skill; none if no eval tests it. `verdicts` are the last ones of its tasks, with their evals."""
    if not coverage.evals:
        return []
    paths = [it.path for it in coverage.evals]
    commands = [
        _summary(coverage, verdicts, now),
        types.Command("▶ Run", "waza.runSkill", arguments=[{"uri": snapshot.uri}]),
        types.Command("Audit", "waza.showAudit", arguments=[{"uri": _largest(coverage, paths).as_uri()}]),
    ]
    place = snapshot.range(Span(skill.place, skill.place))
    return [types.CodeLens(place, it) for it in commands]


def _largest(coverage: SkillCoverage, paths: Sequence[Path]) -> Path:
    """Return the eval with the most tasks of the skill: an audit shows one eval."""
    return max(zip(coverage.evals, paths, strict=True), key=lambda it: len(it[0].tasks))[1]


def _summary(coverage: SkillCoverage, verdicts: Sequence[tuple[Path, Verdict]], now: float) -> types.Command:
    """Return the tasks and evals, their mean score and its age. The command shows the report of the newest run."""
    tested = f"{counted(coverage.task_count, 'task')} in {counted(len(coverage.evals), 'eval')}"
    if not verdicts:
        return types.Command(tested, "")
    score = sum(it.score for _, it in verdicts) / len(verdicts)
    path, newest = max(verdicts, key=lambda it: it[1].at)
    about = {"uri": path.as_uri(), "runId": newest.run_id}
    return types.Command(
        f"{tested} · {score:.2f} · {_age(now - newest.at)}", "waza.showReport", arguments=[about]
    )


def _age(seconds: float) -> str:
    found = next(((size, unit) for size, unit in _AGES if seconds >= size), None)
    return f"{counted(int(seconds // found[0]), found[1])} ago" if found is not None else "just now"
