"""A suite that is loaded through files that keep results is the suite that is loaded without one."""

import os
from pathlib import Path

import pytest

from tests.engine.audit.evals import text_grader, write_eval
from waza_engine.lib.files.vfs import Files
from waza_engine.model.suite import LoadError, Suite
from waza_engine.project.load_suite import load_suite
from waza_engine.project.reading import loading_few, reading_through

EVALS = sorted((Path(__file__).parents[3] / "examples").glob("**/*eval.yaml"))


def loaded(path: Path, files: Files) -> Suite:
    with reading_through(files):
        return load_suite(path, process_dir=path.parent)


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    tasks = [{"id": it, "graders": [text_grader(contains=[it])]} for it in ("a", "b")]
    return write_eval(tmp_path / "e", tasks)


def test_all_examples_load_alike() -> None:
    files = Files()
    assert EVALS
    for path in EVALS * 2:
        assert loaded(path, files) == load_suite(path, process_dir=path.parent)


def test_unchanged_files_are_not_parsed_again(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    files = Files()
    before = loaded(suite, files)
    parsed: list[str] = []
    monkeypatch.setattr("waza_engine.project.reading.read_document", parsed.append)
    assert loaded(suite, files) == before
    assert parsed == []


def test_changes_are_seen(suite: Path) -> None:
    texts: dict[Path, str] = {}
    files = Files(texts.get)
    task = suite.parent / "tasks" / "a.yaml"
    text = task.read_text()
    assert loaded(suite, files).tasks[0].prompt == "Do a"
    texts[task] = text.replace("Do a", "Do it")
    assert loaded(suite, files).tasks[0].prompt == "Do it"
    texts.clear()
    assert loaded(suite, files).tasks[0].prompt == "Do a"
    task.write_text(text.replace("Do a", "Do that"))
    assert loaded(suite, files).tasks[0].prompt == "Do that"
    (suite.parent / "tasks" / "c.yaml").write_text("{id: c, name: c, inputs: {prompt: p}}")
    task.unlink()
    assert [it.id for it in loaded(suite, files).tasks] == ["b", "c"]


def test_a_broken_file_is_told_each_time(suite: Path) -> None:
    files = Files()
    loaded(suite, files)
    task = suite.parent / "tasks" / "a.yaml"
    text = task.read_text()
    task.write_text("id: [")
    for _ in range(2):
        with pytest.raises(LoadError):
            loaded(suite, files)
    task.write_text(text)
    assert [it.id for it in loaded(suite, files).tasks] == ["a", "b"]


def test_a_file_that_comes_into_a_folder_that_was_quiet_is_seen(
    suite: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    files, folder = Files(), suite.parent / "tasks"
    os.utime(folder, (1_000_000_000, 1_000_000_000))
    monkeypatch.setattr("waza_engine.lib.queries.disk._SETTLED_NS", 0)
    before = loaded(suite, files)
    with monkeypatch.context() as patch:
        patch.setattr("waza_engine.dialects.waza.formats.loading.tasks.glob", lambda *_: pytest.fail("again"))
        assert loaded(suite, files) == before
    (folder / "c.yaml").write_text("{id: c, name: c, inputs: {prompt: p}}")
    assert [it.id for it in loaded(suite, files).tasks] == ["a", "b", "c"]


def test_a_few_tasks_are_the_first_ones_and_those_of_the_file(tmp_path: Path) -> None:
    path = write_eval(tmp_path / "e", [{"id": it} for it in "abcdef"])
    folder = path.parent / "tasks"
    (folder / "b.yaml").write_text("{id: b, name: b, enabled: false, inputs: {prompt: p}}")
    (folder / "d.yaml").write_text("id: [")
    with loading_few(folder / "f.yaml", 2):
        assert [it.id for it in load_suite(path, process_dir=path.parent).tasks] == ["a", "c", "f"]
    # What is loaded must not be broken.
    with loading_few(folder / "d.yaml", 2), pytest.raises(LoadError):
        load_suite(path, process_dir=path.parent)
