"""Inlay hints: matches, shares, inherited settings, defaults."""

from dataclasses import replace
from pathlib import Path

from lsprotocol import types

from tests.behaviour.harness import snapshot_of
from tests.behaviour.layout_harness import WHOLE, lines_with_hints
from tests.behaviour.suite_harness import EVAL, SUITE, TASK, Place, at
from waza_lsp.features.inlay_hint import EnabledHints, inlay_hint
from waza_lsp.workspace.workspace import WorkspaceFiles

NONE = EnabledHints(matches=False, weights=False, inherited=False, defaults=False, power=False)
MATCHES = replace(NONE, matches=True)
WEIGHTS = replace(NONE, weights=True)
INHERITED = replace(NONE, inherited=True)
DEFAULTS = replace(NONE, defaults=True)


def _hinted(place: Place, wanted: EnabledHints, span: types.Range = WHOLE, **overrides: str) -> list[str]:
    return lines_with_hints(place.snapshot, place.workspace, wanted, span, **overrides)


def test_patterns_say_how_many_files_they_match(tmp_path: Path) -> None:
    tasks = "tasks: [tasks/*.yaml, 'tasks/a*.yaml', tasks/x*.yaml, tasks/a.yaml]\n"
    files = {**SUITE, "evals/eval.yaml": EVAL.partition("tasks:")[0] + tasks}
    assert _hinted(at(tmp_path, "evals/eval.yaml", "na¦me", files), MATCHES) == [
        "tasks: [tasks/*.yaml⟨2 files⟩, 'tasks/a*.yaml'⟨1 file⟩, tasks/x*.yaml⟨no files⟩, tasks/a.yaml]"
    ]


def test_shares_are_shown_once_a_weight_is_given(tmp_path: Path) -> None:
    assert _hinted(at(tmp_path / "1", "evals/tasks/a.yaml", "na¦me"), WEIGHTS) == []
    weighed = {**SUITE, "evals/tasks/a.yaml": TASK.replace("name: short\n", "name: short\n    weight: 3\n")}
    assert _hinted(at(tmp_path / "2", "evals/tasks/a.yaml", "na¦me", weighed), WEIGHTS) == ["weight: 3⟨75%⟩"]
    # In the eval the same grader counts less in this task than in the other one.
    assert _hinted(at(tmp_path / "3", "evals/eval.yaml", "na¦me", weighed), WEIGHTS) == [
        "name: greets⟨25-50%⟩"
    ]


def test_a_task_shows_what_the_eval_sets(tmp_path: Path) -> None:
    assert _hinted(at(tmp_path, "evals/tasks/a.yaml", "na¦me"), INHERITED) == [
        "id: first⟨executor: mock · model: gpt-4o · timeout_seconds: 60⟩"
    ]


def test_what_a_task_sets_itself_is_not_shown(tmp_path: Path) -> None:
    files = {**SUITE, "evals/tasks/a.yaml": TASK + "timeout_seconds: 5\n"}
    assert _hinted(at(tmp_path, "evals/tasks/a.yaml", "na¦me", files), INHERITED) == [
        "id: first⟨executor: mock · model: gpt-4o⟩"
    ]


def test_the_editors_settings_for_runs_win_over_the_eval(tmp_path: Path) -> None:
    place = at(tmp_path, "evals/tasks/a.yaml", "na¦me")
    assert _hinted(place, INHERITED, executor="replay", model="") == [
        "id: first⟨executor: replay · model: gpt-4o · timeout_seconds: 60⟩"
    ]
    assert _hinted(place, INHERITED, executor="", model="other") == [
        "id: first⟨executor: mock · model: other · timeout_seconds: 60⟩"
    ]


def test_a_task_of_a_judged_eval_shows_its_own_judge(tmp_path: Path) -> None:
    source = EVAL.replace("tasks:\n", JUDGED + "tasks:\n").replace(
        "  model: gpt-4o\n", "  model: gpt-4o\n  judge_model: big\n"
    )
    place = at(tmp_path, "evals/eval.yaml", "na¦me", {**SUITE, "evals/eval.yaml": source})
    assert _hinted(place, INHERITED, model="other") == ["config:⟨model: big⟩"]


def test_a_long_hint_leaves_the_names_of_texts_to_its_tooltip(tmp_path: Path) -> None:
    long = EVAL.replace("executor: mock", "executor: copilot-sdk").replace("gpt-4o", "claude-sonnet-4.6")
    place = at(tmp_path, "evals/tasks/a.yaml", "na¦me", {**SUITE, "evals/eval.yaml": long})
    assert _hinted(place, INHERITED) == ["id: first⟨copilot-sdk · claude-sonnet-4.6 · timeout_seconds: 60⟩"]
    [hint] = inlay_hint(place.snapshot, WHOLE, place.workspace, INHERITED)
    assert hint.tooltip == (
        "Effective values, not set here:\nexecutor: copilot-sdk\nmodel: claude-sonnet-4.6\ntimeout_seconds: 60"
    )


JUDGED = """\
  - type: prompt
    name: polite
    config:
      prompt: Was it polite?
"""


def test_a_judge_comes_from_the_project_then_the_eval(tmp_path: Path) -> None:
    source = EVAL.replace("tasks:\n", JUDGED + "tasks:\n")
    files = {**SUITE, "evals/eval.yaml": source}
    assert _hinted(at(tmp_path / "1", "evals/eval.yaml", "na¦me", files), INHERITED) == [
        "config:⟨model: gpt-4o⟩"
    ]
    files["evals/eval.yaml"] = source.replace("  model: gpt-4o\n", "  model: gpt-4o\n  judge_model: big\n")
    assert _hinted(at(tmp_path / "2", "evals/eval.yaml", "na¦me", files), INHERITED) == [
        "config:⟨model: big⟩"
    ]
    files[".waza.yaml"] = "defaults:\n  judgeModel: bigger\n"
    assert _hinted(at(tmp_path / "3", "evals/eval.yaml", "na¦me", files), INHERITED) == [
        "config:⟨model: bigger⟩"
    ]


def test_a_task_without_an_eval_inherits_nothing(tmp_path: Path) -> None:
    place = at(tmp_path, "tasks/a.yaml", "na¦me", {"tasks/a.yaml": TASK})
    assert _hinted(place, INHERITED) == []


def test_defaults_that_decide_a_verdict(tmp_path: Path) -> None:
    graders = "graders:\n  - type: program\n    config:\n      command: make\n"
    files = {"eval.yaml": f"name: x\n{graders}"}
    assert _hinted(at(tmp_path / "1", "eval.yaml", "na¦me", files), DEFAULTS) == ["config:⟨timeout: 30⟩"]
    files[".waza.yaml"] = "graders:\n  programTimeout: 90\n"
    both = EnabledHints(matches=False, weights=False, defaults=True)
    assert _hinted(at(tmp_path / "2", "eval.yaml", "na¦me", files), both) == ["config:⟨timeout: 90⟩"]


def test_each_kind_can_be_switched_off(tmp_path: Path) -> None:
    assert _hinted(at(tmp_path, "evals/eval.yaml", "na¦me"), NONE) == []


def test_only_what_is_in_sight_is_asked_for(tmp_path: Path) -> None:
    span = types.Range(types.Position(0, 0), types.Position(3, 0))
    assert _hinted(at(tmp_path, "evals/eval.yaml", "na¦me"), MATCHES, span) == []


def test_a_file_that_is_no_eval_has_none(tmp_path: Path) -> None:
    place = at(tmp_path, "ci.yaml", "jo¦bs", {"ci.yaml": "on: push\njobs: {}\n"})
    assert _hinted(place, EnabledHints()) == []


def test_flags_of_patterns_are_explained() -> None:
    snapshot = snapshot_of(
        "name: a\nskill: b\ngraders:\n  - type: text\n    name: x\n    config:\n"
        "      regex_match: ['(?im)^a', b]\n      regex_not_match:\n        - (?s)a.b\n        - (a|b)\n"
    )
    assert lines_with_hints(snapshot, WorkspaceFiles(), EnabledHints()) == [
        "regex_match: ['(?im)^a'⟨case-insensitive, ^ and $ match at line breaks⟩, b]",
        "- (?s)a.b⟨. matches line breaks⟩",
    ]
    assert lines_with_hints(snapshot, WorkspaceFiles(), EnabledHints(flags=False)) == []
