"""A comment or a key in its file marks a task as a negative test, in every dialect."""

from pathlib import Path

import pytest

from waza_engine.audit.own_words.marks import is_marked_negative
from waza_engine.project.load_suite import load_suite
from waza_engine.project.reading import reading_open_texts

MARK = "# waza-lsp: negative-test"
EVAL = """\
name: e
skill: s
config: {trials_per_task: 1, timeout_seconds: 60, executor: mock, model: m}
tasks: ["tasks/*.yaml"]
"""


def marked(path: Path) -> list[str]:
    suite = load_suite(path, process_dir=path.parent)
    return [it.name for it in suite.tasks if is_marked_negative(suite, it)]


def waza(folder: Path, task: str, eval_text: str = EVAL) -> Path:
    (folder / "tasks").mkdir()
    (folder / "tasks" / "t.yaml").write_text(task, "utf-8")
    (folder / "eval.yaml").write_text(eval_text, "utf-8")
    return folder / "eval.yaml"


@pytest.mark.parametrize(
    ("task", "found"),
    [
        (f"{MARK}\nid: t\nname: t\ninputs: {{prompt: p}}\n", True),
        (f"id: t\nname: t\n  {MARK}: really\ninputs: {{prompt: p}}\n", True),
        (f"id: t\r\nname: t {MARK}\r\ninputs: {{prompt: p}}\r\n", True),
        ("\ufeffid: ü\nname: t\ninputs: {prompt: ä}\n#waza-lsp:negative-test\n", True),
        ("id: t\nname: t\ninputs: {prompt: p}\nexpected:\n  should_trigger: false\n", True),
        ('id: t\nname: t\ninputs: {prompt: p}\nexpected: {"should_trigger": false}\n', True),
        ("id: t\nname: t\ninputs: {prompt: p}\nexpected: {should_trigger: true}\n", False),
        ("id: t\nname: t\ninputs: {prompt: 'a#waza-lsp: negative-test'}\n", False),
        ("id: t\nname: t\ninputs: {prompt: p}  # a negative-test\n", False),
    ],
)
def test_a_task_with_a_file_of_its_own(task: str, found: bool, tmp_path: Path) -> None:
    path = waza(tmp_path, "")
    (tmp_path / "tasks" / "t.yaml").write_bytes(task.encode())
    assert marked(path) == (["t"] if found else [])


def test_a_comment_at_the_top_of_the_eval_marks_all_of_its_tasks(tmp_path: Path) -> None:
    path = waza(tmp_path, "id: t\nname: t\ninputs: {prompt: p}\n", f"# About it.\n\n{MARK}\n{EVAL}")
    assert marked(path) == ["t"]
    path.write_text(f"{EVAL}{MARK}\n")
    assert marked(path) == []


STIMULI = f"""\
name: e
stimuli:
  # The first one.
  {MARK}
  - name: first
    prompt: ü
    graders: [{{type: completed}}]
  - name: second
    prompt: b
    graders:
      - type: completed
  {MARK}
  # It has a reason.
  - name: third
    prompt: c
    graders: [{{type: completed}}]

  - name: fourth
    {MARK}
    prompt: d
    graders: [{{type: completed}}]
  - {{name: fifth, prompt: e, graders: [{{type: completed}}]}}  {MARK}
  - {{name: sixth, prompt: f, graders: [{{type: completed}}]}}
  - name: seventh
    prompt: g
    expect_activation: false
    graders: [{{type: completed}}]
"""


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_one_of_the_tasks_in_a_list(end: str, tmp_path: Path) -> None:
    path = tmp_path / "eval.yaml"
    path.write_bytes(STIMULI.replace("\n", end).encode())
    assert marked(path) == ["first", "third", "fourth", "fifth", "seventh"]
    path.write_bytes(f"---\n{MARK}\n{STIMULI.replace(MARK, '#')}".encode())
    assert len(marked(path)) == 7


def test_unsaved_texts_count(tmp_path: Path) -> None:
    path = waza(tmp_path, "id: t\nname: t\ninputs: {prompt: p}\n")
    suite = load_suite(path, process_dir=tmp_path)
    with reading_open_texts({tmp_path / "tasks" / "t.yaml": f"{MARK}\nid: t\n"}):
        assert is_marked_negative(suite, suite.tasks[0])
    assert not is_marked_negative(suite, suite.tasks[0])


def test_files_that_are_gone_or_broken_mark_nothing(tmp_path: Path) -> None:
    path = tmp_path / "eval.yaml"
    path.write_text(STIMULI)
    suite = load_suite(path, process_dir=tmp_path)
    path.write_text(f"name: e\n{MARK}\nstimuli: [\n")
    assert not is_marked_negative(suite, suite.tasks[0])
    path.unlink()
    assert not is_marked_negative(suite, suite.tasks[0])
