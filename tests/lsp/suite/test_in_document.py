"""What can be run in a document, and around a place in it."""

from tests.behaviour.harness import snapshot_of
from waza_lsp.runnables.runnables import graders_in, runnables_at_line, runnables_in, task_of

SPEC = """\
name: notes
graders:
  - {type: completed}
stimuli:
  - name: first
    prompt: Say hello.
    graders:
      - {type: completed, name: done}
  - name: second
    prompt: Say goodbye.
"""


def test_it_is_worked_out_once_a_version() -> None:
    snapshot = snapshot_of(SPEC)
    assert runnables_in(snapshot) is runnables_in(snapshot)
    assert graders_in(snapshot) is graders_in(snapshot)
    assert [(it.kind, it.id) for it in runnables_in(snapshot)] == [
        ("eval", ""),
        ("task", "first"),
        ("task", "second"),
    ]


def test_the_innermost_thing_around_a_line_comes_first() -> None:
    snapshot = snapshot_of(SPEC)
    assert [it.id for it in runnables_at_line(snapshot, 7)] == ["first", ""]
    assert [it.id for it in runnables_at_line(snapshot, 2)] == [""]


def test_the_task_of_a_grader() -> None:
    snapshot = snapshot_of(SPEC)
    assert [(it.label, task_of(snapshot, it.pointer)) for it in graders_in(snapshot)] == [
        ("completed", ""),
        ("done", "first"),
    ]


def test_a_file_that_is_no_eval_has_none() -> None:
    snapshot = snapshot_of("services: {web: {image: nginx}}\n", "compose.yaml")
    assert (runnables_in(snapshot), graders_in(snapshot), runnables_at_line(snapshot, 0)) == ((), (), [])
