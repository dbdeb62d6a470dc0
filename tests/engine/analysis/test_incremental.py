"""Rules that are asked again only when what they looked at has changed say what they would say anew."""

import os
from pathlib import Path
from typing import Any

import pytest

from tests.behaviour.rules_harness import EVAL, TASK, write
from tests.behaviour.test_rules_pages import WITH_EXAMPLE
from tests.slow import first_quick
from waza_engine.analysis.incremental import findings
from waza_engine.analysis.rules import check_document
from waza_engine.lib.files.vfs import Files
from waza_engine.lib.yaml.reader import YamlError, read_yaml
from waza_engine.lib.yaml.scalars import plain, plain_with_source
from waza_engine.model.findings import Finding, Rule
from waza_engine.project.document import Document
from waza_engine.recognition.recognise import recognise

RULE = Rule("test", "test")


def an_open_eval(path: Path) -> str | None:
    return "" if path.name == "eval.yaml" else None


def said(path: Path, data: Any, files: Files) -> list[Finding]:
    known = recognise(data, path)
    if known is None:
        return []  # Another top-level key can turn a file into one that is not ours.
    document = Document(known[0].name, known[1].name, data, path, path.parent, files)
    return list(check_document(document))


@pytest.mark.parametrize(
    "code", first_quick([it for it, page in WITH_EXAMPLE.items() if "Instead" in page], 12)
)
def test_between_a_mistake_and_its_remedy(code: str, tmp_path: Path) -> None:
    page = WITH_EXAMPLE[code]
    folder = tmp_path / "evals"  # Some examples have files above it.
    files = Files(lambda it: it.read_text(encoding="utf-8") if it.name == page["Example"].name else None)
    for name in ("Example", "Instead", "Example"):
        path = folder / page[name].name
        write(folder, page[name].files)
        data = readable(path)
        if not isinstance(data, dict) or recognise(data, path) is None:
            return
        for changed in (data, {**data, "name": "other"}, data):
            assert said(path, changed, files) == said(path, changed, Files())


def readable(path: Path) -> Any:
    try:
        return plain(read_yaml(path.read_text(encoding="utf-8")))
    except YamlError:
        return None


def test_a_number_that_is_written_in_another_way_is_another_id(tmp_path: Path) -> None:
    write(
        tmp_path, {"eval.yaml": EVAL, "tasks/a.yaml": TASK, "tasks/b.yaml": TASK.replace("some-task", "1.10")}
    )
    files = Files(lambda it: it.read_text(encoding="utf-8") if it.name == "a.yaml" else None)
    found = []
    for written in ("1.10", "1.1", "1.100", "1.10"):
        data = plain_with_source(read_yaml(TASK.replace("some-task", written)))
        found.append("duplicate-task-id" in {it.code for it in said(tmp_path / "tasks/a.yaml", data, files)})
    assert found == [True, False, False, True]


class Counting:
    def __init__(self, key: str) -> None:
        self.key, self.count = key, 0

    def __call__(self, document: Document) -> Any:
        self.count += 1
        if document.has(self.key):
            yield RULE.at((self.key,), str(document.value(self.key)))


def test_a_rule_is_asked_again_only_about_what_it_looked_at(tmp_path: Path) -> None:
    files, rule = Files(an_open_eval), Counting("name")
    config = {"trials": 1}
    for data in ({"name": "a"}, {"name": "a", "config": config}, {"name": "a", "config": {}}):
        document = Document("waza", "eval", data, tmp_path / "eval.yaml", tmp_path, files)
        assert [it.message for [it] in findings(document, (rule,))] == ["a"]
    assert rule.count == 1
    document = Document("waza", "eval", {"name": "b"}, tmp_path / "eval.yaml", tmp_path, files)
    assert [it.message for [it] in findings(document, (rule,))] == ["b"]


@pytest.mark.parametrize(
    "look",
    [
        lambda data: [*data],
        lambda data: list(data.items()),
        len,
        lambda data: {**data},
        dict,
        lambda data: data | {},
        lambda data: {} | data,
        lambda data: data.copy(),
        lambda data: list(data.keys()),
        lambda data: list(data.values()),
        lambda data: data == {"name": "b"},
        lambda data: data.get("name"),
        lambda data: "name" in data and data["name"],
    ],
)
def test_every_way_to_look_is_noticed(look: Any, tmp_path: Path) -> None:
    def check(document: Document) -> Any:
        yield RULE.at((), repr(look(document.data)))

    files = Files(an_open_eval)
    for data in ({"name": "a"}, {"name": "b"}, {"x": 1}, {"x": 1, "name": "a"}, {"name": "a", "x": 1}):
        document = Document("waza", "eval", data, tmp_path / "eval.yaml", tmp_path, files)
        [[found]] = findings(document, (check,))
        assert found.message == repr(look(data))


def test_files_that_come_and_go_are_noticed(tmp_path: Path) -> None:
    def check(document: Document) -> Any:
        assert document.suite is not None
        yield RULE.at((), str(len(document.suite.tasks)))

    files = Files(an_open_eval)
    data = {"tasks": ["tasks/*/*.yaml"]}

    def count() -> str:
        document = Document("waza", "eval", data, tmp_path / "eval.yaml", tmp_path, files)
        [[found]] = findings(document, (check,))
        return found.message

    assert count() == "0"
    write(tmp_path, {"tasks/a/one.yaml": "id: one\n"})
    assert count() == "1"
    write(tmp_path, {"tasks/a/two.yaml": "id: two\n"})
    assert count() == "2"
    (tmp_path / "tasks/a/one.yaml").unlink()
    assert count() == "1"


def test_typing_in_a_task_does_not_search_its_suite_again(tmp_path: Path) -> None:
    """Class: the time of an edit grows with the number of tasks."""
    task = {"id": "a", "name": "a"}
    write(tmp_path, {"eval.yaml": "config: {}\ntasks: ['tasks/*.yaml']\n", "tasks/b.yaml": "id: b\n"})
    path = tmp_path / "tasks" / "a.yaml"
    write(tmp_path, {"tasks/a.yaml": "id: a\nname: a\n"})
    texts = [path.read_text()]
    files, rule = Files(lambda it: texts[0] if it == path else None), Counting("id")

    def check(document: Document) -> Any:
        assert document.suite is not None
        assert document.suite.paths_by_text("id").keys() == {"a", "b"}
        yield from rule(document)

    for number in range(3):
        texts[0] = f"id: a\nname: a{number}\n"
        list(findings(Document("waza", "task", {**task, "name": number}, path, tmp_path, files), (check,)))
    assert rule.count == 1


def test_typing_in_a_file_is_no_change_to_the_folder_it_stands_in(tmp_path: Path) -> None:
    path, texts = tmp_path / "eval.yaml", ["a: 1\n"]
    files, rule = Files(lambda it: texts[0] if it == path else None), Counting("name")

    def check(document: Document) -> Any:
        document.files.names(tmp_path)
        document.files.is_file(path)
        document.files.names(path)
        yield from rule(document)

    def ask() -> None:
        list(findings(Document("waza", "eval", {"name": "a"}, path, tmp_path, files), (check,)))

    ask()
    texts[0] = "a: 2\n"
    ask()
    files.text(path)
    texts[0] = "a: 3\n"
    ask()
    assert rule.count == 1


def test_typing_in_a_file_is_noticed_by_what_reads_its_text(tmp_path: Path) -> None:
    path, texts = tmp_path / "eval.yaml", ["a: 1\n"]
    files = Files(lambda it: texts[0] if it == path else None)

    def check(document: Document) -> Any:
        yield RULE.at((), document.files.text(path) or "")

    for text in ("a: 1\n", "a: 2\n", "a: 3\n"):
        texts[0] = text
        [[found]] = findings(Document("waza", "eval", {"name": "a"}, path, tmp_path, files), (check,))
        assert found.message == text


@pytest.mark.skipif(os.name == "nt", reason="Windows knows programs by their names")
def test_a_program_comes_becomes_executable_and_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (program := tmp_path / "bin" / "my-check").parent.mkdir()
    monkeypatch.setenv("PATH", f"{tmp_path / 'nowhere'}{os.pathsep}{program.parent}")
    files = Files()
    grader = {"type": "program", "name": "a", "config": {"command": "my-check"}}
    data = {"name": "a", "skill": "a", "graders": [grader], "tasks": ["tasks/*.yaml"]}

    def complaints() -> list[str]:
        found = said(tmp_path / "eval.yaml", data, files)
        return [it.message for it in found if "my-check" in it.message]

    [complaint] = complaints()
    program.write_text("#!/bin/sh\n", encoding="utf-8")
    assert complaints() == [complaint]
    program.chmod(0o755)
    assert complaints() == []
    program.chmod(0o644)
    assert complaints() == [complaint]
    program.chmod(0o755)
    assert complaints() == []
    program.unlink()
    assert complaints() == [complaint]
