"""Tests of converting a waza suite to a vally spec, apart from the graders."""

from pathlib import Path

from waza_engine.convert.conversion import Conversion
from waza_engine.convert.to_vally import to_vally
from waza_engine.convert.to_waza import to_waza
from waza_engine.project.load_suite import load_suite

EVAL = """\
name: n
skill: s
config: {trials_per_task: 1, timeout_seconds: 60, executor: mock, model: m}
tasks: ["tasks/*.yaml"]
"""


def converted(folder: Path, **tasks: str) -> Conversion:
    """The suite with these tasks, without `id` and `name`, converted for the folder `out`; that is on disk, too."""
    (folder / "tasks").mkdir()
    (folder / "eval.yaml").write_text(EVAL, encoding="utf-8")
    for name, text in tasks.items():
        path = folder / "tasks" / f"{name}.yaml"
        path.write_text(f"id: {name}\nname: {name}\n{text}\n", encoding="utf-8")
    result = to_vally(folder / "eval.yaml", folder / "out", process_dir=folder)
    for file, text in result.files.items():
        (folder / "out" / file).parent.mkdir(parents=True, exist_ok=True)
        (folder / "out" / file).write_text(text, encoding="utf-8")
    return result


def test_a_disabled_task_is_left_out_with_a_word(tmp_path: Path) -> None:
    task = "inputs: {prompt: hi}"
    result = converted(tmp_path, a=task, b=f"enabled: false\n{task}")
    assert [it.message for it in result.lost] == ["Task 'b' is disabled and left out"]


def test_input_files_of_any_folder_stay_what_they_are(tmp_path: Path) -> None:
    (tmp_path / "given").mkdir()
    (tmp_path / "given" / "b.bin").write_bytes(b"\xff\x00")
    files = "[{path: b.bin}, {path: c.txt, content: c}]"
    converted(tmp_path, a=f"context_dir: given\ninputs: {{prompt: hi, files: {files}}}")
    [task] = load_suite(tmp_path / "out" / "eval.yaml", process_dir=tmp_path).tasks
    assert {it.target: it.content for it in task.files} == {"b.bin": b"\xff\x00", "c.txt": b"c"}


def test_a_grader_that_never_counts_is_left_out_with_a_word(tmp_path: Path) -> None:
    graders = "graders:\n  - {type: text, config: {contains: [a]}}\n  - {type: text, config: {contains: [b]}}"
    result = converted(tmp_path, a=f"inputs: {{prompt: hi}}\n{graders}")
    assert [it.message for it in result.lost] == [
        "Grader 'text': a later grader has the same name, so waza never runs it"
    ]
    [task] = load_suite(tmp_path / "out" / "eval.yaml", process_dir=tmp_path).tasks
    assert [it.config for it in task.graders] == [{"substring": "b"}]


def test_the_rows_of_a_data_set_come_back_as_tasks(tmp_path: Path) -> None:
    top = EVAL.replace('tasks: ["tasks/*.yaml"]', "tasks_from: rows.csv")
    (tmp_path / "eval.yaml").write_text(top, encoding="utf-8")
    (tmp_path / "rows.csv").write_text("id,name,prompt\n1,one,hello\n", encoding="utf-8")
    for convert, source, out in ((to_vally, "eval.yaml", "there"), (to_waza, "there/eval.yaml", "back")):
        for name, text in convert(tmp_path / source, tmp_path / out, process_dir=tmp_path).files.items():
            path = tmp_path / out / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    [task] = load_suite(tmp_path / "back" / "eval.yaml", process_dir=tmp_path).tasks
    assert (task.id, task.name, task.prompt) == ("1", "one", "hello")
