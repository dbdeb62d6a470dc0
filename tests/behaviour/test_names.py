"""Names within a document: anchors, and references to graders."""

from pathlib import Path

import pytest

from tests.behaviour.reading_harness import definitions, highlights, referring_lines

ANCHORS = """\
shared: &base
  type: text
skill: x
graders:
  - <<: *base
    name: one
  - <<: *ba¦se
    name: two
tasks: [a]
"""
TASK = """\
id: t1
inputs: {prompt: x}
graders:
  - type: text
    name: asks-first
  - type: text
    name: other
requirements:
  - id: R1
    checks:
      - scope: task
        grader: asks-first
      - {scope: task, grader: "asks-first"}
      - {scope: task, grader: other}
"""
FOLDER = Path("/nowhere")


def test_an_alias_leads_to_its_anchor() -> None:
    assert definitions(ANCHORS, FOLDER) == ["&base"]


def test_an_alias_without_an_anchor_leads_nowhere() -> None:
    assert definitions("skill: *no¦pe\ngraders: []\ntasks: [a]\n", FOLDER) == []


def test_an_anchor_behind_a_tag() -> None:
    assert definitions("x: !!map &a\n  y: 1\nskill: *¦a\ngraders: []\ntasks: [a]\n", FOLDER) == ["&a"]


@pytest.mark.parametrize(
    "mark", [("&base", "&b¦ase"), ("- <<: *base\n    name: one", "- <<: *b¦ase\n    name: one")]
)
def test_highlights_of_an_anchor_from_either_end(mark: tuple[str, str]) -> None:
    document = ANCHORS.replace("ba¦se", "base").replace(*mark)
    assert highlights(document) == [(0, "&base", "write"), (4, "*base", "read"), (6, "*base", "read")]


def test_references_with_and_without_the_declaration() -> None:
    assert referring_lines(ANCHORS) == [0, 4, 6]
    assert referring_lines(ANCHORS, include_declaration=False) == [4, 6]


def test_a_reference_leads_to_the_grader_of_that_name() -> None:
    document = TASK.replace("grader: asks", "grader: as¦ks", 1)
    assert definitions(document, FOLDER, "tasks/a.yaml") == ["asks-first"]
    assert highlights(document, "tasks/a.yaml") == [
        (4, "asks-first", "write"),
        (11, "asks-first", "read"),
        (12, '"asks-first"', "read"),
    ]


def test_the_uses_of_a_grader_from_its_name() -> None:
    document = TASK.replace("name: asks", "name: as¦ks")
    assert referring_lines(document, "tasks/a.yaml", include_declaration=False) == [11, 12]


def test_what_is_no_name_has_no_occurrences() -> None:
    assert highlights(TASK.replace("prompt: x", "prompt: ¦x"), "tasks/a.yaml") == []
    assert highlights(TASK.replace("type: text", "ty¦pe: text", 1), "tasks/a.yaml") == []
    assert highlights("on: pu¦sh\n", "ci.yaml") == []
