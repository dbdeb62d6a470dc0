"""Linked editing of anchors with aliases, and of names."""

from pathlib import Path

import pytest

from tests.behaviour.harness import marked, snapshot_of
from tests.behaviour.reading_harness import text_in
from tests.behaviour.suite_harness import at
from waza_lsp.features.linked_editing_range import linked_editing_range


def _linked(document: str, name: str = "eval.yaml") -> list[str]:
    mark = marked(document)
    assert mark.cursor is not None
    snapshot = snapshot_of(mark.source, name)
    found = linked_editing_range(snapshot, mark.cursor)
    return [f"{it.start.line} {text_in(snapshot, it)}" for it in found.ranges] if found is not None else []


@pytest.mark.parametrize(
    "source", ["a: &b¦ase 1\nskill: *base\ngraders: []\n", "a: &base 1\nskill: *ba¦se\ngraders: []\n"]
)
def test_an_anchor_and_its_alias(source: str) -> None:
    assert _linked(source) == ["0 base", "1 base"]


@pytest.mark.parametrize(
    "source",
    [
        "a: &lon¦ely 1\nskill: x\ngraders: []\n",
        "a: &x 1\nb: &x 2\nskill: *¦x\ngraders: []\n",
        "skill: x\ngraders:\n  - type: text\n    name: gre¦ets\n",
        "skill: *no¦where\ngraders: []\n",
    ],
    ids=["no alias", "given twice", "a name", "no anchor"],
)
def test_nothing_to_link(source: str) -> None:
    assert _linked(source) == []


def test_a_file_that_is_no_eval() -> None:
    assert _linked("a: &b¦ase 1\non: *base\njobs: {}\n", "ci.yaml") == []


def _linked_in(root: Path, name: str, mark: str) -> list[str]:
    place = at(root, name, mark)
    found = linked_editing_range(place.snapshot, place.position, place.workspace)
    ranges = found.ranges if found is not None else []
    return [f"{it.start.line} {text_in(place.snapshot, it)}" for it in ranges]


def test_a_grader_of_a_task_and_the_checks_that_name_it(tmp_path: Path) -> None:
    assert _linked_in(tmp_path / "1", "evals/tasks/a.yaml", "grader: sho¦rt") == ["8 short", "17 short"]
    assert _linked_in(tmp_path / "2", "evals/tasks/a.yaml", "name: sho¦rt") == ["8 short", "17 short"]


def test_what_other_files_use_is_no_matter_of_one_document(tmp_path: Path) -> None:
    assert _linked_in(tmp_path, "evals/eval.yaml", "name: gre¦ets") == []
