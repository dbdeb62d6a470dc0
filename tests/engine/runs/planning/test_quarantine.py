"""Quarantine comments: which tasks they are about, and when they have no effect."""

from pathlib import Path

import pytest

from tests.engine.runs.bench import Bench
from waza_engine.lib.files.vfs import Files
from waza_engine.model.suite import Task
from waza_engine.project.load_suite import load_suite
from waza_engine.project.reading import reading_through
from waza_engine.runs.planning.plan import Overrides, make_plan
from waza_engine.runs.planning.quarantine import with_quarantine

WAZA = "name: e\nskill: s\nconfig: {trials_per_task: 1, timeout_seconds: 9, executor: mock}\ntasks: [tasks/*.yaml]\n"
VALLY = """\
name: e
type: capability
defaults: {executor: mock}
stimuli:
  - name: one
    prompt: say one
    graders: [{type: output-contains, config: {substring: one}}]
  - name: two
    prompt: |
      say two  # waza-lsp: quarantine text of the prompt
      # waza-lsp: quarantine text of the prompt
    graders: [{type: output-contains, config: {substring: "# waza-lsp: quarantine text of a check"}}]
"""


def planned(path: Path) -> tuple[dict[str, str], tuple[str, ...]]:
    plan = make_plan(load_suite(path, process_dir=path.parent), Overrides())
    assert {it.id: it.quarantine for it in plan.suite.tasks} == {it.id: it.quarantine for it in plan.tasks}
    return {it.id: it.quarantine for it in plan.tasks}, plan.warnings


@pytest.mark.parametrize(
    ("old", "new", "one", "two"),
    [
        ("  - name: one\n", "  - name: one # waza-lsp: quarantine flaky since May\n", "flaky since May", ""),
        ("  - name: one\n", "  # waza-lsp: quarantine: see #12\n\n  # more\n  - name: one\n", "see #12", ""),
        ("  - name: one\n", "  -  # waza-lsp:quarantine [judge]\n    name: one\n", "judge", ""),
        ("  - name: two\n", "    # waza-lsp: quarantine \u2014 schläft\n  - name: two\n", "", "schläft"),
        ("    prompt: say one\n", "    prompt: say one  # waza-lsp: quarantine x\n", "x", ""),
        (
            "  - name: one\n    prompt: say one\n",
            "  - {name: one, # waza-lsp: quarantine x\n     prompt: say one}\n",
            "",
            "",
        ),
        ("    graders: [{", "    graders: # waza-lsp: quarantine x\n      [{", "x", ""),
        ("  - name: one\n", "  - name: one # waza-lsp: quarantined x\n", "", ""),
        ("    prompt: |\n", "    prompt: |  # waza-lsp: quarantine sleeps\n", "", "sleeps"),
        ("    prompt: |\n", "    prompt: &said >2- # waza-lsp: quarantine sleeps\n", "", "sleeps"),
        ("    prompt: say one\n", "    prompt: |\n      say one\n    # waza-lsp: quarantine x\n", "x", ""),
    ],
)
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_comment_is_about_the_task_of_its_line(
    tmp_path: Path, old: str, new: str, one: str, two: str, end: str
) -> None:
    text = VALLY.replace(old, new, 1)
    if "- {name" in new:
        text = text.replace("    graders: [{type: output-contains, config: {substring: one}}]\n", "", 1)
        one = "x"
    path = tmp_path / "eval.yaml"
    path.write_bytes(text.replace("\n", end).encode())
    reasons, warnings = planned(path)
    assert list(reasons.values()) == [one, two]
    assert not [it for it in warnings if "quarantine" in it]


@pytest.mark.parametrize(
    "text",
    [
        "# waza-lsp: quarantine sleeps\nid: a\nname: a\ninputs: {prompt: hello}\n",
        "\ufeffid: a  # waza-lsp: quarantine sleeps\nname: a\ninputs: {prompt: hello}\n",
        "id: a\nname: a\ninputs:\n  prompt: hello\n  # waza-lsp: quarantine sleeps\n",
    ],
)
def test_a_task_with_a_file_of_its_own(tmp_path: Path, text: str) -> None:
    (tmp_path / "tasks").mkdir()
    (tmp_path / "eval.yaml").write_text(WAZA, encoding="utf-8")
    (tmp_path / "tasks/a.yaml").write_text(text, encoding="utf-8")
    (tmp_path / "tasks/b.yaml").write_text("id: b\nname: b\ninputs: {prompt: hello}\n", encoding="utf-8")
    assert planned(tmp_path / "eval.yaml")[0] == {"a": "sleeps", "b": ""}


def test_the_text_of_the_editor_counts(tmp_path: Path) -> None:
    path = tmp_path / "eval.yaml"
    path.write_text(VALLY, encoding="utf-8")
    text = VALLY.replace("- name: one\n", "- name: one # waza-lsp: quarantine sleeps\n")
    opened: dict[Path, str] = {}
    files = Files(opened.get)
    for texts, reason in (({}, ""), ({path: text}, "sleeps"), ({path: VALLY}, ""), ({}, "")):
        opened.clear()
        opened.update(texts)
        with reading_through(files):
            assert planned(path)[0]["one"] == reason


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (
            "  - name: one\n",
            "  - name: one # waza-lsp: quarantine\n",
            ":5: 'quarantine' has no effect without a reason",
        ),
        (
            "  - name: one\n",
            "  - name: one # waza-lsp: quarantine: -\n",
            ":5: 'quarantine' has no effect without a reason",
        ),
        (
            "name: e\n",
            "name: e # waza-lsp: quarantine x\n",
            ":1: 'quarantine' has no effect here. Put it on a line of a task",
        ),
        ("stimuli:\n", "stimuli: # waza-lsp: quarantine x\n", ":4: 'quarantine' has no effect here"),
    ],
)
def test_a_comment_without_effect_is_a_warning(tmp_path: Path, old: str, new: str, message: str) -> None:
    path = tmp_path / "eval.yaml"
    path.write_text(VALLY.replace(old, new, 1), encoding="utf-8")
    reasons, warnings = planned(path)
    assert set(reasons.values()) == {""}
    [found] = [it for it in warnings if "quarantine" in it]
    assert message in found


def test_tasks_without_a_readable_yaml_file_have_none(tmp_path: Path) -> None:
    (tmp_path / "rows.csv").write_text("prompt\n# waza-lsp: quarantine x\n", encoding="utf-8")
    (tmp_path / "broken.yaml").write_text("a: [ # waza-lsp: quarantine x\n", encoding="utf-8")
    names = ("rows.csv", "broken.yaml", "missing.yaml")
    tasks = [Task(it, it, "hello", path=tmp_path / it) for it in names]
    suite = Bench(tmp_path).suite(*tasks, Task("none", "none", "hello"))
    assert with_quarantine(suite) == (suite, [])
