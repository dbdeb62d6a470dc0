"""Stimuli without graders: the key was forgotten, or there are none; and a prompt beside `turns`."""

import pytest

from tests.behaviour.fixes_harness import draft_of, findings_of
from tests.behaviour.harness import snapshot_of
from waza_engine.lib.yaml.reader import read_yaml
from waza_engine.lib.yaml.scalars import plain
from waza_lsp.fixes.fixes import solutions

_END = "scoring: {threshold: 1}\n"
_GRADERS = [{"type": "output-contains", "config": {"substring": "ä"}}, {"type": "completed"}]
_LIST = """\
      - type: output-contains
        config:
          substring: ä
      - type: completed
"""


def _found(source: str) -> list[tuple[str, str]]:
    return [(it.finding.code, it.finding.severity) for it in findings_of(snapshot_of(source, "eval.yaml"))]


def _best(source: str) -> tuple[str, str]:
    """Return the code of the only finding, and the text after its first fix."""
    snapshot = snapshot_of(source, "eval.yaml")
    assert snapshot.form is not None
    [found] = findings_of(snapshot)
    best = solutions(found, draft_of(snapshot), snapshot.form.schema)[0]
    return found.finding.code, str(draft_of(snapshot).apply(best.edits).text)


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "text", ["|\n      Say it.\n", ">\n      Say it.\n\n", "|-\n      # Title\n      Say it.\n", "Say it.\n"]
)
@pytest.mark.parametrize("below", ["    tags: {a: b}\n", "", "\n    # next\n    tags: {a: b}\n"])
def test_forgotten_graders_are_inserted(text: str, below: str, line_end: str) -> None:
    source = f"name: e\nstimuli:\n  - name: a\n    prompt: {text}{_LIST}{below}{_END}"
    code, after = _best(source.replace("\n", line_end))
    assert code in {"graders-in-prompt", "syntax-error"}
    assert after.count("\r\n") == (after.count("\n") if line_end == "\r\n" else 0)
    [stimulus] = plain(read_yaml(after))["stimuli"]
    assert stimulus["graders"] == _GRADERS
    assert stimulus["prompt"].strip().endswith("Say it.")
    assert "graders:" in after


@pytest.mark.parametrize(
    "text",
    [
        "Write an eval with\n      - type: completed\n      and say more.",
        "Write an eval with\n      - type: no-such-type",
        "Write an eval with\n      - type: [",
    ],
)
def test_a_prompt_about_evals_is_a_prompt(text: str) -> None:
    source = f"name: e\nstimuli:\n  - name: a\n    prompt: |\n      {text}\n    graders: [{{type: completed}}]\n{_END}"
    assert _found(source) == []


def test_a_stimulus_with_graders_may_show_graders() -> None:
    source = f"name: e\nstimuli:\n  - name: a\n    prompt: |\n      Look at\n{_LIST}    graders: [{{type: completed}}]\n{_END}"
    assert _found(source) == []


@pytest.mark.parametrize(
    "style", ["{name: a, prompt: x}", "name: a\n    prompt: x", "name: a\n    turns: [x]"]
)
def test_a_stimulus_without_graders_is_reported(style: str) -> None:
    code, after = _best(f"name: e\nstimuli:\n  - {style}\n{_END}")
    assert code == "unchecked-stimulus"
    assert plain(read_yaml(after))["stimuli"][0]["graders"][0]["type"] == "output-contains"


@pytest.mark.parametrize(
    "source",
    [
        "graders: [{type: completed}]\nstimuli: [{name: a, prompt: x}]\n",
        "stimuli: [{name: a, prompt: x, constraints: {max_turns: 5}}]\n",
        "defaults: {runs: 0}\nstimuli: [{name: a, prompt: x}]\n",
        "stimuli: [{name: a, prompt: x, grader: [{type: completed}]}]\n",
        "stimuli: [{name: a, prompt: x, expected: [y]}]\n",
    ],
)
def test_what_has_checks_or_a_wrong_key_for_them_is_not_unchecked(source: str) -> None:
    assert "unchecked-stimulus" not in {code for code, _ in _found(f"name: e\n{source}{_END}")}


@pytest.mark.parametrize("turns", ["[a, b]", "\n      # the first\n      - a\n      - |-\n        b"])
def test_a_prompt_beside_turns_becomes_the_first_turn(turns: str) -> None:
    source = f"name: e\nstimuli:\n  - name: a\n    prompt: x\n    turns: {turns}\n    graders: [{{type: completed}}]\n{_END}"
    code, after = _best(source.replace(": \n", ":\n"))
    assert code == "conflicting-keys"
    [stimulus] = plain(read_yaml(after))["stimuli"]
    assert stimulus["turns"] == ["x", "a", "b"]
    assert "prompt" not in stimulus
    assert after.count("#") == source.count("#")
