"""Code actions that run and regrade, for editors without lenses."""

from lsprotocol import types

from tests.behaviour.harness import marked, snapshot_of
from waza_lsp.features.run_actions import run_actions
from waza_lsp.runnables.commands import RunStatus, Verdict

SUITE = """\
name: notes
skill: notes
graders:
  - type: text
    name: of-the-eval
    config: {contains: [a]}
tasks:
  - id: t1
    name: First
    inputs: {prompt: hi}
    graders:
      - type: text
        name: of-the-task
        config: {contains: [a]}
  - id: t2
    inputs: {prompt: ho}
"""
VERDICT = Verdict("r1", "failed", 0.5, 0.0)
KNOWN = {
    ("eval", ""): RunStatus(VERDICT, is_recorded=True, failed=1),
    ("task", "t1"): RunStatus(VERDICT, is_recorded=True),
}


def offered(
    document: str, known: dict[tuple[str, str], RunStatus] | None = None, **context: object
) -> list[tuple[str, str]]:
    """Return the title and command of the actions at the mark."""
    mark = marked(document)
    assert mark.cursor is not None
    snapshot = snapshot_of(mark.source)
    asked = types.CodeActionContext([], **context)  # type: ignore[arg-type]  # named by the caller
    found = run_actions(snapshot, types.Range(mark.cursor, mark.cursor), asked, known, 60.0)
    assert {it.kind for it in found} <= {types.CodeActionKind.Empty}
    return [(it.title, it.command.command) for it in found if it.command is not None]


def test_the_innermost_thing_comes_first() -> None:
    assert offered(SUITE.replace("prompt: hi", "pro¦mpt: hi")) == [
        ("▶ Run task", "waza.runTask"),
        ("▶ Run all", "waza.runEval"),
    ]


def test_what_is_recorded_can_be_graded_again_and_reported() -> None:
    assert offered(SUITE.replace("prompt: hi", "pro¦mpt: hi"), KNOWN) == [
        ("▶ Run task", "waza.runTask"),
        ("↻ Grade again", "waza.grade"),
        ("✗ 0.50 · 1 min ago", "waza.showReport"),
        ("Show the steps of 't1'", "waza.showTrace"),
        ("▶ Run all", "waza.runEval"),
        ("▶ Run failed (1)", "waza.runFailed"),
        ("↻ Grade again", "waza.grade"),
        ("✗ 0.50 · 1 min ago", "waza.showReport"),
        ("Show the steps of the last run", "waza.showTrace"),
    ]


def test_a_grader_alone() -> None:
    of_task = offered(SUITE.replace("of-the-task", "of-¦the-task"), KNOWN)
    assert of_task[:2] == [
        ("↻ Grade again with 'of-the-task'", "waza.grade"),
        ("Which recorded runs does 'of-the-task' fail?", "waza.explainGrader"),
    ]
    assert of_task[2] == ("▶ Run task", "waza.runTask")
    of_eval = offered(SUITE.replace("of-the-eval", "of-¦the-eval"), KNOWN)
    assert [title for title, _ in of_eval[:3]] == [
        "↻ Grade again with 'of-the-eval'",
        "Which recorded runs does 'of-the-eval' fail?",
        "▶ Run all",
    ]
    assert offered(SUITE.replace("of-the-eval", "of-¦the-eval"))[0][0] == "▶ Run all"


def test_a_run_that_goes_on_can_be_cancelled() -> None:
    known = {("task", "t2"): RunStatus(running="r9")}
    assert ("■ Running: cancel", "waza.cancelRun") in offered(
        SUITE.replace("prompt: ho", "prompt: ¦ho"), known
    )


def test_nobody_is_bothered_who_did_not_ask() -> None:
    document = SUITE.replace("prompt: hi", "pro¦mpt: hi")
    assert offered(document, trigger_kind=types.CodeActionTriggerKind.Automatic) == []
    assert offered(document, only=[types.CodeActionKind.QuickFix]) == []
    assert offered("on: pu¦sh\njobs: {}\n") == []
