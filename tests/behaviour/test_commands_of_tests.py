"""The commands of the items in the test view are those of lenses and code actions."""

import json
from pathlib import Path

import pytest
from lsprotocol import types

from waza_lsp.features.tests import Item
from waza_lsp.features.tests import tests as trees_of
from waza_lsp.runnables.commands import grade_command, run_command
from waza_lsp.runnables.runnables import graders_in, runnables_in, task_of
from waza_lsp.snapshot import Snapshot
from waza_lsp.workspace.workspace import WorkspaceFiles

EVAL = """\
name: "\u00fcber \\"all\\""
graders:
  - {type: completed}
stimuli:
  - name: "t\u00e4sk \\\\ 1"
    prompt: p
    tags: {tier: ci}
    graders:
      - {type: output-contains, name: "s\u00e4gt", config: {substring: a}}
"""
EXPERIMENT = "name: x\nevals: [a.yaml]\nbaseline: one\nvariants:\n  one: {model: m}\n  two: {model: n}\n"


def flat(item: Item) -> list[Item]:
    return [item, *(it for child in item.children for it in flat(child))]


def plain(command: types.Command | None) -> object:
    return {"command": command.command, "arguments": command.arguments} if command is not None else None


@pytest.mark.parametrize(("name", "text"), [("eval.yaml", EVAL), ("x.experiment.yaml", EXPERIMENT)])
def test_each_item_has_the_command_of_its_lens(tmp_path: Path, name: str, text: str) -> None:
    snapshot = Snapshot.of((tmp_path / name).as_uri(), text)
    runs = {it.pointer: run_command(it.kind, it.uri, it.id) for it in runnables_in(snapshot)}
    grades = {
        it.pointer: grade_command(snapshot.uri, it, task_of(snapshot, it.pointer))
        for it in graders_in(snapshot)
    }
    [root] = trees_of([snapshot], WorkspaceFiles(tmp_path))
    items = [json.loads(it.json()) for it in flat(root)]
    assert len(items) == len(runs) + len(grades) > 2
    for it in items:
        expected = (grades if it["kind"] == "grader" else runs)[tuple(it["pointer"])]
        assert it["command"] == plain(expected)
