"""Lenses: what can be run, from where it stands."""

import pytest

from tests.behaviour.harness import snapshot_of
from tests.behaviour.reading_harness import lenses
from waza_lsp.schema.runnables import runnables

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
