"""Accusations of an audit are fair: 209 tasks that people labelled, one half of which the rules were never tuned on.

Before the rules for intent were tuned, 16 of 48 accusations were false in one half and 14 of 51 in the other.
"""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.engine.audit.evals import plan_of, recorded
from tests.engine.audit.labels import Label, labels, write_bundle
from waza_engine.audit.findings import audit_findings
from waza_engine.audit.run import audit_suite
from waza_engine.audit.score import TaskAudit

ROOT = Path(__file__).parents[3]
LABELS = list(labels())
ACCUSATIONS = {"passes-without-work", "only-judge", "unseen-work"}
TUNED, HELD_OUT = LABELS[0::2], LABELS[1::2]


class Verdict(NamedTuple):
    """What the audit says about a labelled task, beside its label."""

    label: Label
    audit: TaskAudit

    @property
    def is_accused(self) -> bool:
        return any(it.finding.code in ACCUSATIONS for it in audit_findings([self.audit]))

    @property
    def is_falsely_accused(self) -> bool:
        """Whether one of the agents that are named does what the task wants."""
        named = {it.name for it in self.audit.accused}
        return self.is_accused and (not self.label.fair or not named <= self.label.fair)

    @property
    def deserves_it(self) -> bool:
        passing = {it.name for it in self.audit.passing_agents}
        return bool(passing & self.label.fair) or (self.audit.has_only_left_out and bool(self.label.fair))


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[tuple[str, str], Verdict]:
    @cache
    def audits(suite: str) -> dict[str, TaskAudit]:
        return {it.task: it for it in _audits(suite, tmp_path_factory.mktemp("labelled"))}

    return {(it.suite, it.task): Verdict(it, audits(it.suite)[it.task]) for it in LABELS}


def _audits(suite: str, folder: Path) -> Iterator[TaskAudit]:
    shipped = ROOT / "examples" / suite / "eval.yaml"
    path = shipped if shipped.exists() else write_bundle(suite, folder)
    plan = plan_of(path)
    yield from audit_suite(plan, recorded(plan), ROOT if path == shipped else folder)


def test_there_are_enough_of_each_kind() -> None:
    assert len({(it.suite, it.task) for it in LABELS}) == len(LABELS) >= 200
    wanted = [it.intent for it in LABELS]
    assert wanted.count("work") >= 100
    assert wanted.count("nothing") >= 40
    assert wanted.count("refusal") >= 20
    assert all(it.fair for it in LABELS if it.intent == "work")


@pytest.mark.slow
def test_every_labelled_task_can_be_audited(verdicts: dict[tuple[str, str], Verdict]) -> None:
    assert [it for it in verdicts.values() if it.audit.problem] == []


@pytest.mark.parametrize("half", [TUNED, HELD_OUT], ids=["tuned", "held out"])
def test_accusations_are_fair(half: list[Label], verdicts: dict[tuple[str, str], Verdict]) -> None:
    of_half = [verdicts[it.suite, it.task] for it in half]
    accused = [it for it in of_half if it.is_accused]
    assert len(accused) >= 35
    assert [it.label.task for it in accused if it.is_falsely_accused] == []


def test_the_intent_of_work_and_the_rest_is_told_apart(verdicts: dict[tuple[str, str], Verdict]) -> None:
    wrong = [
        it.label.task
        for it in verdicts.values()
        if it.label.intent != "work" and it.audit.intent.value == "work"
    ]
    assert len(wrong) <= 0.02 * len(LABELS), wrong


@pytest.mark.parametrize("half", [TUNED, HELD_OUT], ids=["tuned", "held out"])
def test_most_tasks_that_deserve_it_are_accused(
    half: list[Label], verdicts: dict[tuple[str, str], Verdict]
) -> None:
    deserving = [it for it in (verdicts[each.suite, each.task] for each in half) if it.deserves_it]
    assert len(deserving) >= 40
    missed = [it.label.task for it in deserving if not it.is_accused]
    assert len(missed) <= 0.2 * len(deserving), missed
