"""What the number of tasks and trials can show: inlay hints, hovers, and findings."""

from pathlib import Path

import pytest

from tests.behaviour.findings_harness import Found
from tests.behaviour.layout_harness import lines_with_hints
from tests.behaviour.rules_harness import OF_SMALL_SAMPLES, findings_at, write
from tests.behaviour.suite_harness import EVAL, SUITE, TASK, Place, at
from waza_lsp.features.inlay_hint import EnabledHints

POWER = EnabledHints(matches=False, weights=False, inherited=False, flags=False, power=True)
STIMULUS = (
    "  - {name: n%d, prompt: Fasse es zusammen, graders: [{type: output-contains, config: {substring: é}}]}\n"
)


def vally(count: int, runs: str = "defaults: {runs: 3}\n", more: str = "") -> str:
    return f"name: e\n{runs}stimuli:\n{''.join(STIMULUS % it for it in range(count))}{more}"


def experiment(more: str = "") -> str:
    return (
        "name: x\nevals: [eval.yaml]\nvary: [/defaults/model]\nbaseline: a\n"
        f"variants:\n  a: {{}}\n  b: {{overrides: {{model: gpt-4o}}}}\n{more}"
    )


def hints(root: Path, files: dict[str, str], name: str) -> list[str]:
    place = Place(root, {**files, name: "¦" + files[name]})
    return lines_with_hints(place.snapshot, place.workspace, POWER)


def found(root: Path, name: str, **files: str) -> list[Found]:
    write(root, {it.replace("_", "."): text for it, text in files.items()})
    return [it for it in findings_at(root / name, root) if it.code in OF_SMALL_SAMPLES]


def test_the_number_of_trials_shows_how_exactly_the_rate_is_known(tmp_path: Path) -> None:
    assert hints(tmp_path / "1", SUITE, "evals/eval.yaml") == ["trials_per_task: 1⟨pass rate known to ±39 %⟩"]
    more = {**SUITE, **{f"evals/tasks/t{it}.yaml": TASK.replace("first", f"t{it}") for it in range(8)}}
    assert hints(tmp_path / "2", more, "evals/eval.yaml") == ["trials_per_task: 1⟨pass rate known to ±25 %⟩"]


@pytest.mark.parametrize(
    ("runs", "line"),
    [
        ("defaults: {runs: 3}\n", "defaults: {runs: 3⟨pass rate known to ±24 %⟩}"),
        ("defaults:\n  runs: 3 # thrice\n", "runs: 3⟨pass rate known to ±24 %⟩ # thrice"),
        ("config:\r\n  runs: 3\r\n", "runs: 3⟨pass rate known to ±24 %⟩"),
        ("", "stimuli:⟨pass rate known to ±30 %⟩"),
        ("defaults:\n", "stimuli:⟨pass rate known to ±30 %⟩"),
        ("defaults: {runs: }\n", "stimuli:⟨pass rate known to ±30 %⟩"),
        ("defaults: {runs: 0}\n", None),
        ("defaults: {runs: many}\n", None),
        ("defaults: {runs: ${RUNS}}\n", None),
    ],
)
def test_every_way_to_choose_trials(tmp_path: Path, runs: str, line: str | None) -> None:
    assert hints(tmp_path, {"eval.yaml": vally(6, runs)}, "eval.yaml") == ([line] if line else [])


def test_an_experiment_shows_what_its_comparison_can_show(tmp_path: Path) -> None:
    few = {"eval.yaml": vally(3), "x.experiment.yaml": experiment()}
    assert hints(tmp_path / "1", few, "x.experiment.yaml") == ["variants:⟨cannot show a difference⟩"]
    many = {"eval.yaml": vally(20), "x.experiment.yaml": experiment("overrides:\n  runs: 3\n")}
    assert hints(tmp_path / "2", many, "x.experiment.yaml") == [
        "runs: 3⟨shows changes of about 24 points or more⟩"
    ]
    # The filter of an experiment leaves out stimuli.
    filtered = {**many, "x.experiment.yaml": experiment("filter: {a: b}\n")}
    assert hints(tmp_path / "3", filtered, "x.experiment.yaml") == []


def test_the_hover_has_a_table_of_trials_or_tasks(tmp_path: Path) -> None:
    twice = {**SUITE, "evals/eval.yaml": EVAL.replace("trials_per_task: 1", "trials_per_task: 2")}
    shown = at(tmp_path / "1", "evals/eval.yaml", "trials_per_¦task", twice).hovered()
    assert "| trials of each task | pass rate known to | a comparison |" in shown
    assert "| **2** | ±36 % | cannot show a difference |" in shown
    assert "Here: 2 tasks, 2 trials of each." in shown
    assert "usual values, no run is stored" in shown
    shown = Place(tmp_path / "2", {"eval.yaml": vally(7).replace("stimuli", "sti¦muli")}).hovered()
    assert "| **7** | ±22 % | shows changes of about 53 points or more |" in shown
    assert "| 100 | ±7 % | shows changes of about 9 points or more |" in shown


def test_the_hover_of_a_threshold_says_how_many_passes_show_it(tmp_path: Path) -> None:
    text = vally(2, more="scoring: {thres¦hold: 0.8}\n")
    assert (
        "A perfect result shows a true value above 0.8 from 14 trials on. Now: 6."
        in Place(tmp_path / "1", {"eval.yaml": text}).hovered()
    )
    metric = (
        EVAL.replace("mock", "copilot-sdk")
        + "metrics:\n  - {name: trigger_accuracy, weight: 1.0, thres¦hold: 0.9}\n"
    )
    assert (
        "above 0.9 from 29 trigger prompts on, and more than guessing from 5 on. Now: 1."
        in Place(tmp_path / "2", {**SUITE, "evals/eval.yaml": metric}).hovered()
    )


@pytest.mark.parametrize(("count", "is_hint"), [(0, False), (1, True), (5, True), (6, False)])
def test_a_comparison_of_too_few_tasks(tmp_path: Path, count: int, *, is_hint: bool) -> None:
    hint = found(tmp_path, "x.experiment.yaml", eval_yaml=vally(count), x_experiment_yaml=experiment())
    assert [(it.underlined, it.code, it.severity) for it in hint] == (
        [("baseline", "too-few-tasks", "hint")] if is_hint else []
    )


def test_comparisons_of_an_unknown_number_of_tasks_are_not_reported(tmp_path: Path) -> None:
    text = experiment().replace("[eval.yaml]", "[eval.yaml, '${MORE}/eval.yaml']")
    assert found(tmp_path / "1", "x.experiment.yaml", eval_yaml=vally(2), x_experiment_yaml=text) == []
    text = EVAL.replace('tasks:\n  - "tasks/*.yaml"\n', "baseline: true\ntasks_from: a.csv\n")
    assert found(tmp_path / "2", "eval.yaml", eval_yaml=text) == []
    rows = "prompt\n" + "say it\n" * 9
    assert found(tmp_path / "3", "eval.yaml", eval_yaml=text, a_csv=rows) == []
    hint = found(tmp_path / "4", "eval.yaml", eval_yaml=text + "range: [2, 4]\n", a_csv=rows)
    assert [it.message.partition(",")[0] for it in hint] == ["With 3 tasks"]


@pytest.mark.parametrize(
    ("text", "is_hint"),
    [
        (vally(2, more="scoring: {threshold: 0.8}\n"), True),
        (vally(5, more="scoring: {threshold: 0.8}\n"), False),
        # A single trial of each stimulus: the threshold is a pass mark.
        (vally(2, "", "scoring: {threshold: 0.8}\n"), False),
        # Everything has to pass, or nothing.
        (vally(2, more="scoring: {threshold: 1}\n"), False),
        (vally(2, more="scoring: {threshold: 0}\n"), False),
        (vally(2, more="scoring: {threshold: }\n"), False),
        (vally(2, more="scoring:\n"), False),
    ],
)
def test_a_threshold_that_chance_can_meet(tmp_path: Path, text: str, *, is_hint: bool) -> None:
    hint = found(tmp_path, "eval.yaml", eval_yaml=text)
    assert [(it.underlined, it.severity) for it in hint] == ([("0.8", "hint")] if is_hint else [])


def test_trigger_prompts_are_compared_with_guessing(tmp_path: Path) -> None:
    metric = (
        EVAL.replace("mock", "copilot-sdk")
        + "baseline: true\nmetrics:\n  - {name: trigger_accuracy, threshold: 0.9}\n"
    )
    prompts = "skill: note-taker\nshould_trigger_prompts:\n" + "  - prompt: é\n" * 4
    write(tmp_path / "tasks", {f"{it}.yaml": TASK.replace("first", f"t{it}") for it in range(6)})
    for more, expected in (("", ["0.9"]), ("  - prompt: ja\n", [])):
        write(tmp_path, {"eval.yaml": metric, "trigger_tests.yaml": prompts + more})
        told = [it for it in findings_at(tmp_path / "eval.yaml", tmp_path) if it.code in OF_SMALL_SAMPLES]
        assert [it.underlined for it in told] == expected
    # At most one hint about the numbers in a file.
    write(tmp_path, {"tasks/5.yaml": TASK + "enabled: false\n"})
    told = [it for it in findings_at(tmp_path / "eval.yaml", tmp_path) if it.code in OF_SMALL_SAMPLES]
    assert [it.code for it in told] == ["too-few-tasks"]
