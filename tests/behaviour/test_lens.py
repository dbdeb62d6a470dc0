"""Lenses on evals and tasks."""

from dataclasses import replace

import pytest

from tests.behaviour.harness import snapshot_of
from tests.behaviour.reading_harness import lenses
from tests.lenses import code_lens
from waza_lsp.runnables.commands import ActionKind, AuditStatus, RunStatus, Verdict, age
from waza_lsp.runnables.runnables import runnables

SUITE = """\
# A suite.
name: notes
skill: notes
graders:
  - type: text
    name: one
    config:
      contains: [a]
tasks:
  - tasks/*.yaml
  - id: t1
    name: First
    inputs: {prompt: hi}
  - id: t2
    inputs:
      prompt: ho
"""
RUN_ALL = ("name: notes", "▶ Run all waza.runEval", None)
RUN_BOTH = [
    ("- id: t1", "▶ Run task waza.runTask", "t1"),
    ("- id: t2", "▶ Run task waza.runTask", "t2"),
]


def test_a_suite_and_its_tasks() -> None:
    assert lenses(SUITE) == [RUN_ALL, *RUN_BOTH]


def test_a_task_file() -> None:
    assert lenses("id: t1\nname: First\ninputs: {prompt: hi}\n", "tasks/a.yaml") == [
        ("id: t1", "▶ Run task waza.runTask", "t1")
    ]


def test_a_task_without_an_id_cannot_be_run() -> None:
    assert lenses("id:\nname: First\ninputs: {prompt: hi}\n", "tasks/a.yaml") == []
    assert lenses(SUITE.replace("id: t2", "name: Second")) == [RUN_ALL, RUN_BOTH[0]]


def test_an_id_is_taken_as_written() -> None:
    assert lenses('id: "007"\ninputs: {prompt: hi}\n', "tasks/a.yaml")[0][2] == "007"
    assert lenses("id: 1.0\ninputs: {prompt: hi}\n", "tasks/a.yaml")[0][2] == "1.0"


@pytest.mark.parametrize("line", ["rege", '"open', "regex_match: [a", "\tx", "a: b: c", "@x", "<<<<<<< HEAD"])
def test_lenses_stay_while_a_line_is_broken(line: str) -> None:
    assert lenses(SUITE.replace("      contains", f"      {line}\n      contains")) == [RUN_ALL, *RUN_BOTH]
    assert lenses(SUITE.replace("    inputs: {", f"    {line}\n    inputs: {{")) == [RUN_ALL, *RUN_BOTH]


def test_files_without_anything_to_run_have_no_lens() -> None:
    assert lenses("on: push\njobs: {}\n", "ci.yaml") == []
    assert lenses("", "eval.yaml") == []
    assert lenses("defaults: {model: x}\n", ".waza.yaml") == []


def test_runnables_know_their_label_and_their_whole_text() -> None:
    snapshot = snapshot_of(SUITE)
    assert snapshot.form is not None
    found = runnables(snapshot.form, snapshot.tree, snapshot.uri)
    assert [(it.kind, it.id, it.label, it.pointer) for it in found] == [
        ("eval", "", "notes", ()),
        ("task", "t1", "First", ("tasks", 1)),
        ("task", "t2", "t2", ("tasks", 2)),
    ]
    assert snapshot.text.slice(found[1].range) == "id: t1\n    name: First\n    inputs: {prompt: hi}"
    assert snapshot.text.slice(found[0].range) == SUITE.removeprefix("# A suite.\n").rstrip("\n")


TASK_FILE = "id: t1\nname: First\ninputs: {prompt: hi}\n"
NOW = 1_000_000.0
PASSED = Verdict("r1", "passed", 1.0, NOW - 130, tokens=12_345, scores=(0.0, 0.5, 1.0))


def titles(standing: RunStatus, without: set[ActionKind] | None = None, source: str = TASK_FILE) -> list[str]:
    """Return the lenses on the runnable of a task file, or on the first of an eval."""
    is_task = source is TASK_FILE
    snapshot = snapshot_of(source, "tasks/a.yaml" if is_task else "eval.yaml")
    known = {("task", "t1") if is_task else ("eval", ""): standing}
    found = code_lens(snapshot, known, set(ActionKind) - (without or set()), NOW)
    first = found[0].range if found else None
    return [it.command.title for it in found if it.command is not None and it.range == first]


def test_the_last_scores_are_bars_only_if_they_differ_visibly() -> None:
    for scores, bars in (((0.0, 0.5, 1.0), "▁▅█"), ((1.0, 0.99), ""), ((0.5,), ""), ((), "")):
        [*_, lens] = titles(RunStatus(replace(PASSED, scores=scores)))
        assert lens.removeprefix("✓ 1.00 · 2 min ago · 12.3k tokens").removeprefix(" · ") == bars


def test_the_last_result_is_told_in_one_line() -> None:
    assert titles(RunStatus(PASSED, is_recorded=True)) == [
        "▶ Run task",
        "↻ Grade again",
        "✓ 1.00 · 2 min ago · 12.3k tokens · ▁▅█",
    ]
    assert titles(
        RunStatus(replace(PASSED, status="failed", score=0.25, tokens=None, scores=(0.25,), stale=True))
    ) == [
        "▶ Run task",
        "✗ 0.25 · 2 min ago · stale",
    ]


def test_an_eval_counts_its_tasks() -> None:
    verdict = replace(PASSED, status="failed", score=0.9, passed=3, total=4, scores=(), tokens=None)
    assert titles(RunStatus(verdict, failed=1), source=SUITE) == [
        "▶ Run all",
        "▶ Run failed (1)",
        "✗ 3 of 4 passed · 0.90 · 2 min ago",
    ]


def test_while_it_runs_it_can_be_cancelled() -> None:
    assert titles(RunStatus(PASSED, running="r2", is_recorded=True)) == [
        "▶ Run task",
        "↻ Grade again",
        "■ Running: cancel",
    ]


def test_the_audit_of_a_task_is_told_and_leads_to_its_page() -> None:
    agents = ("silence", "done", "echo", "plan")
    audit = AuditStatus(agents, 0.629)
    assert titles(RunStatus(audit=audit))[1:] == [
        "⚠ passes for: silence, done, echo and 1 more · mutation score 62 %"
    ]
    assert titles(RunStatus(audit=AuditStatus()))[1:] == []
    assert titles(RunStatus(audit=AuditStatus((), None, 2, 5)), source=SUITE)[1:] == [
        "⚠ 2 of 5 pass without work"
    ]
    assert titles(RunStatus(audit=AuditStatus(is_off=True)), source=SUITE)[1:] == ["Audit"]
    snapshot = snapshot_of(TASK_FILE, "tasks/a.yaml")
    [_, lens] = code_lens(snapshot, {("task", "t1"): RunStatus(audit=audit)})
    assert lens.command is not None
    assert (lens.command.command, lens.command.arguments) == (
        "waza.showAudit",
        [{"uri": snapshot.uri, "task": "t1"}],
    )


def test_each_kind_can_be_left_out() -> None:
    standing = RunStatus(PASSED, is_recorded=True)
    assert titles(standing, {ActionKind.RUN, ActionKind.GRADE}) == ["✓ 1.00 · 2 min ago · 12.3k tokens · ▁▅█"]
    assert titles(standing, {ActionKind.RESULT}) == ["▶ Run task", "↻ Grade again"]


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0, "just now"),
        (59, "just now"),
        (60, "1 min ago"),
        (3599, "59 min ago"),
        (7300, "2 h ago"),
        (200_000, "2 d ago"),
    ],
)
def test_ages_are_rough(seconds: float, text: str) -> None:
    assert age(seconds) == text
