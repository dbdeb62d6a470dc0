"""The lens of a skill in words: tasks, evals, score and age, as far as they are known."""

from pathlib import Path
from typing import Any

import pytest

from tests.engine.coverage.suites import write_skill, write_waza
from waza_engine.coverage.suites import coverage_of
from waza_engine.lib.files.vfs import Files
from waza_engine.project.load_suite import load_suite
from waza_lsp.features.skill_lens import skill_lens
from waza_lsp.runnables.commands import Verdict
from waza_lsp.snapshot import Snapshot
from waza_lsp.workspace.skill_text import skill_text

NOW = 1_000_000.0


def commands(root: Path, *verdicts: Verdict, evals: int = 1) -> list[Any]:
    path = write_skill(root)
    suites = []
    for name in ["notes", "more"][:evals]:
        eval_path = write_waza(root, name)
        eval_path.write_text(eval_path.read_text().replace(f"skill: {name}", "skill: notes"))
        suites.append(load_suite(eval_path, process_dir=root))
    snapshot = Snapshot.of(path.as_uri(), path.read_text(encoding="utf-8"), 1)
    skill = skill_text(snapshot)
    assert skill is not None
    coverage = coverage_of(skill.skill, suites, Files())
    return [it.command for it in skill_lens(snapshot, skill, coverage, [(path, it) for it in verdicts], NOW)]


@pytest.mark.parametrize(
    ("age", "words"),
    [(5, "just now"), (60, "1 minute ago"), (7_300, "2 hours ago"), (3 * 86_400, "3 days ago")],
)
def test_score_and_age_are_those_of_the_last_runs(tmp_path: Path, age: int, words: str) -> None:
    old = Verdict("old", "passed", 1.0, NOW - age - 9_000_000)
    first, *_ = commands(tmp_path, old, Verdict("new", "failed", 0.84, NOW - age), evals=2)
    assert first.title == f"2 tasks in 2 evals · 0.92 · {words}"
    assert (first.command, first.arguments[0]["runId"]) == ("waza.showReport", "new")


def test_what_is_not_known_is_left_out(tmp_path: Path) -> None:
    found = commands(tmp_path)
    assert [it.title for it in found] == ["1 task in 1 eval", "▶ Run", "Audit"]
    assert [it.command for it in found] == ["", "waza.runSkill", "waza.showAudit"]
    assert found[2].arguments == [{"uri": (tmp_path / "evals" / "notes" / "eval.yaml").as_uri()}]
    assert commands(tmp_path, evals=0) == []
