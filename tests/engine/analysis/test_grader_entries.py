"""Files that are held are as they were when they were asked for first, and what many files ask is found once."""

from pathlib import Path
from typing import Any

import pytest

from waza_engine.dialects.waza.rules.duplicate_task_id import check
from waza_engine.lib.files import safe_read
from waza_engine.lib.files.vfs import Files
from waza_engine.lib.queries.tracking import track_reads
from waza_engine.project.document import Document


def _suite(folder: Path, tasks: int) -> list[Path]:
    (folder / "tasks").mkdir(parents=True)
    (folder / "eval.yaml").write_text("name: e\nskill: s\ntasks: [tasks/*.yaml]\n")
    paths = [folder / "tasks" / f"{number:03}.yaml" for number in range(tasks)]
    for number, path in enumerate(paths):
        # The first and the last have the same id.
        path.write_text(f"id: t{number % (tasks - 1)}\nname: n\ninputs: {{prompt: p}}\n")
    return paths


def _document(path: Path, files: Files) -> Document:
    return Document("waza", "task", files.data(path), path, path.parent, files)


def test_held_files_stay_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("a: 1")
    files = Files()
    held = files.snapshot()
    assert held.data(path) == {"a": 1}
    path.write_text("a: 2 # longer")
    assert held.data(path) == {"a": 1}
    assert files.data(path) == files.snapshot().data(path) == {"a": 2}


@pytest.mark.parametrize("files", [Files(), Files().snapshot()], ids=["read", "held"])
def test_tasks_with_one_id_are_found(tmp_path: Path, files: Files) -> None:
    paths = _suite(tmp_path / "evals", 5)
    found = {path.stem: [it.message for it in check(_document(path, files))] for path in paths}
    assert {name for name, said in found.items() if said} == {"000", "004"}
    assert "004.yaml" in found["000"][0]


def test_all_that_share_an_answer_are_told_what_it_looked_at(tmp_path: Path) -> None:
    paths = _suite(tmp_path / "evals", 4)
    files = Files().snapshot()
    for path in paths:
        with track_reads() as seen:
            list(check(_document(path, files)))
        assert {*paths, tmp_path / "evals" / "eval.yaml", tmp_path / "evals" / "tasks"} <= seen.paths


def test_a_large_suite_takes_no_more_for_each_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = list[Path]()
    read = safe_read.regular_text

    def counted(path: Path, *more: Any) -> str:
        asked.append(path)
        return read(path, *more)

    monkeypatch.setattr("waza_engine.lib.files.vfs.regular_text", counted)

    def looks(tasks: int) -> int:
        files, before = Files().snapshot(), len(asked)
        for path in _suite(tmp_path / str(tasks), tasks):
            list(check(_document(path, files)))
        return len(asked) - before

    assert 0 < looks(60) < 2.5 * looks(30)
