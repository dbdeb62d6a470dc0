"""Files that the check of another file has read: they have the data that the loader reads, and are read once."""

from pathlib import Path

import pytest

from waza_engine.lib.files.vfs import Files
from waza_engine.project.settings import Projects
from waza_lsp.cli.check.sources import FoundFile, Reader, find_sources

_ROOT = Path(__file__).parents[3]
_ODD = {
    "numbers": "id: 0x10\nname: 1.50\ninputs: {prompt: 2024-01-02, n: 1e3, yes: no}\n",
    "texts": "id: a\nname: 'it''s'\ninputs:\n  prompt: |\n    a\n\n     b\n  other: >-\n    c\n    d\n",
    "mark": "\ufeffid: a\nname: b\ninputs: {prompt: c}\n",
    "anchors": "id: a\nname: &n b\ninputs: {prompt: *n}\n",
    "twice": "id: a\nid: b\nname: c\ninputs: {prompt: d}\n",
    "broken": "id: a\nname: [b\ninputs: {prompt: d}\n",
    "two": "id: a\nname: b\n---\nid: c\n",
    "deep": "id: a\nname: b\ninputs: {prompt: c, n: " + "[" * 60 + "]" * 60 + "}\n",
    "list": "- id: a\n- id: b\n",
    "nothing": "",
}


@pytest.mark.parametrize("text", _ODD.values(), ids=list(_ODD))
def test_data_of_odd_texts_are_those_of_the_loader(text: str, tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text(text, encoding="utf-8")
    assert _ahead(path) == repr(Files().data(path))


def test_data_of_the_examples_are_those_of_the_loader() -> None:
    found = [it for it in (_ROOT / "examples").rglob("*.yaml") if it.is_file()]
    assert len(found) > 20
    assert [str(it) for it in found if _ahead(it) != repr(Files().data(it))] == []


def _ahead(path: Path) -> str:
    """Return the data that others see of a file whose turn will come."""
    reader = Reader("", Projects(is_final=True), Files().snapshot(is_final=True))
    # Without the file itself: then the others would come too late.
    list(reader.read([]))
    reader.expected.add(path)
    return repr(reader.files.data(path))


def test_a_task_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    suite = tmp_path / "s"
    (suite / "tasks").mkdir(parents=True)
    (suite / "eval.yaml").write_text("name: a\nskill: b\nconfig: {executor: mock}\ntasks: [tasks/*.yaml]\n")
    task = suite / "tasks" / "a.yaml"
    task.write_text("id: a\nname: b\ninputs: {prompt: c}\n")
    monkeypatch.chdir(tmp_path)
    sources = find_sources((".",), "", None)
    reader = sources.reader()
    sources_read = reader.read(list(sources.found()))
    assert next(sources_read).name == "s/eval.yaml"
    assert reader.files.data(task) == {"id": "a", "name": "b", "inputs": {"prompt": "c"}}
    known = reader.ahead[task]
    assert [(it.name, it.snapshot is known) for it in sources_read] == [("s/tasks/a.yaml", True)]
    assert (reader.ahead, reader.expected) == ({}, set())


def test_a_file_that_is_named_alone_is_left_to_the_loader(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_text("id: a\n")
    reader = Reader("", Projects(is_final=True), Files().snapshot(is_final=True))
    list(reader.read([FoundFile(path, path, is_named=True)]))
    assert reader.files.data(path) == {"id": "a"}
    assert reader.ahead == {}
