"""Experiments in the editor: what planning would refuse, at its token, and their lenses."""

from pathlib import Path

import pytest

from tests.behaviour.rules_harness import OF_SMALL_SAMPLES, findings_at, write
from tests.lenses import code_lens
from waza_lsp.snapshot import Snapshot

SPEC = "defaults: {runs: 3}\nstimuli:\n  - name: a\n    prompt: p\n    graders: [{type: completed}]\n"
VARIANTS = """\
name: x
evals: [eval.yaml]
vary: [/environment/skills]
baseline: without
variants:
  without:
    environment: {skills: []}
  with: {}
"""
MATRIX = """\
name: x
evals: [eval.yaml]
baseline: {model: a}
matrix:
  model: {path: /defaults/model, values: [a, b]}
"""


def said(folder: Path, text: str, spec: str = SPEC) -> list[tuple[int, str, str]]:
    write(folder, {"eval.yaml": spec, "ab.experiment.yaml": text})
    found = findings_at(folder / "ab.experiment.yaml", folder)
    return [(it.line, it.underlined, it.code) for it in found if it.code not in OF_SMALL_SAMPLES]


@pytest.mark.parametrize("text", [VARIANTS, MATRIX])
def test_nothing_is_wrong(tmp_path: Path, text: str) -> None:
    assert said(tmp_path, text) == []


@pytest.mark.parametrize(
    ("text", "old", "new", "expected"),
    [
        (VARIANTS, "baseline: without", "baseline: nobody", (4, "nobody", "bad-experiment")),
        (VARIANTS, "with: {}", "with: {overrides: {runs: 4}}", (8, "runs", "bad-experiment")),
        (VARIANTS, "/environment/skills", "/environment/skill", (3, "/environment/skill", "bad-experiment")),
        (VARIANTS, "/environment/skills", "environment/skills", (3, "environment/skills", "bad-format")),
        (VARIANTS, "[eval.yaml]", "[evil.yaml]", (2, "evil.yaml", "unmatched-evals")),
        (VARIANTS, "with: {}", "with: {environment: {skills: [nix]}}", (8, "nix", "skill-without-file")),
        (MATRIX, "{model: a}", "{model: c}", (3, "c", "bad-experiment")),
        (MATRIX, "{model: a}", "{model: a, modle: a}", (3, "modle", "bad-experiment")),
        (MATRIX, "{model: a}", "a", (3, "a", "bad-experiment")),
        (MATRIX, "matrix:", "vary: [/defaults/model]\nmatrix:", (4, "vary", "bad-experiment")),
        (MATRIX, "[a, b]", "[a]", (4, "matrix", "bad-experiment")),
        (MATRIX, "/defaults/model", "defaults/model", (5, "defaults/model", "bad-format")),
        (MATRIX, "/defaults/model", "/config/model", (5, "/config/model", "bad-experiment")),
    ],
)
def test_what_planning_refuses(
    tmp_path: Path, text: str, old: str, new: str, expected: tuple[int, str, str]
) -> None:
    assert said(tmp_path, text.replace(old, new, 1)) == [expected]


def test_what_the_spec_says_already_is_no_difference(tmp_path: Path) -> None:
    text = VARIANTS.replace("with: {}", "with: {overrides: {runs: 3}}")
    assert said(tmp_path, text) == []
    assert [code for *_, code in said(tmp_path, text, SPEC.replace("3", "4"))] == ["bad-experiment"]


def test_one_eval_of_several_that_is_missed_is_a_warning(tmp_path: Path) -> None:
    write(tmp_path, {"eval.yaml": SPEC, "ab.experiment.yaml": VARIANTS.replace("[eval", "['*/x.yaml', eval")})
    at_path = findings_at(tmp_path / "ab.experiment.yaml", tmp_path)
    [found] = [it for it in at_path if it.code not in OF_SMALL_SAMPLES]
    assert (found.underlined.strip("'"), found.severity) == ("*/x.yaml", "warning")


def lenses(text: str) -> list[tuple[int, str, object]]:
    snapshot = Snapshot.of("file:///nowhere/ab.experiment.yaml", text)
    return [
        (it.range.start.line, it.command.title, it.command.arguments)
        for it in code_lens(snapshot)
        if it.command is not None
    ]


@pytest.mark.parametrize("text", [VARIANTS, VARIANTS.replace("[eval.yaml]", "[eval.yaml")])
def test_the_file_and_its_variants_can_be_run(text: str) -> None:
    uri = "file:///nowhere/ab.experiment.yaml"
    assert lenses(text) == [
        (0, "▶ Run experiment", [{"uri": uri}]),
        (5, "▶ Run variant", [{"uri": uri, "task": "without"}]),
        (7, "▶ Run variant", [{"uri": uri, "task": "with"}]),
    ]


def test_a_matrix_is_run_as_a_whole() -> None:
    assert [title for _, title, _ in lenses(MATRIX)] == ["▶ Run experiment"]
