"""Tests of what a converted file keeps in a comment: silent losses of old, edits on the way, and damaged comments."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.engine.convert.test_round_trips import complaints, meaning, save, texts
from waza_engine.convert.conversion import Conversion
from waza_engine.convert.convert import convert_suite
from waza_engine.convert.text.kept import difference, kept_in, kept_lines, restored
from waza_engine.lib.yaml.placed_comments import comments_of
from waza_engine.lib.yaml.reader import read_yaml
from waza_engine.lib.yaml.scalars import plain
from waza_engine.lib.yaml.writing import yaml_text
from waza_engine.project.load_suite import load_suite
from waza_engine.project.reading import read_mapping

SPEC = """\
name: release
defaults: {runs: 2, timeout: 90s, model: m, executor: copilot-sdk}
stimuli:
  - name: a
    prompt: Write the notes.
"""
EVAL = """\
name: n
skill: s
config: {trials_per_task: 1, timeout_seconds: 60, executor: mock, model: m}
tasks: ["tasks/*.yaml"]
"""
Change = Callable[[str], str]


def trip(folder: Path, source: Path, change: Change = str) -> tuple[Conversion, Conversion, Path]:
    """Convert there, change the files, and convert back."""
    dialect = load_suite(source, process_dir=folder).dialect
    there = convert_suite(source, "waza" if dialect == "vally" else "vally", folder / "there", folder)
    path = save(there, folder / "there")
    for it in (folder / "there").rglob("*.yaml"):
        it.write_text(change(it.read_text(encoding="utf-8")), encoding="utf-8")
    back = convert_suite(path, dialect, folder / "back", folder)
    return there, back, save(back, folder / "back")


def spec_at(folder: Path, more: str = "", text: str = SPEC) -> Path:
    (folder / "source").mkdir()
    (folder / "source" / "eval.yaml").write_text(text + more, encoding="utf-8", newline="")
    return folder / "source" / "eval.yaml"


def suite_at(folder: Path, task: str, top: str = "") -> Path:
    (folder / "source" / "tasks").mkdir(parents=True)
    (folder / "source" / "eval.yaml").write_text(EVAL + top, encoding="utf-8")
    (folder / "source" / "tasks" / "t.yaml").write_text(f"id: t\nname: T\n{task}", encoding="utf-8")
    return folder / "source" / "eval.yaml"


def stimulus(path: Path) -> dict[str, Any]:
    [found] = plain(read_mapping(path))["stimuli"]
    assert isinstance(found, dict)
    return found


def messages(result: Conversion) -> str:
    return "\n".join(it.message for it in result.lost)


@pytest.mark.parametrize(
    ("environment", "said"),
    [
        ("skills: [skills/x]", ""),
        ("mcpServers: {docs: {type: stdio, command: npx, timeout: 5s}}", "environment.mcpServers"),
        ("env: {CI: 'true'}", "environment.env"),
        ("commands: [npm ci]", "environment.commands"),
        ("git: {type: worktree, source: ., ref: main}", "environment.git"),
    ],
)
def test_the_environment_of_a_stimulus_comes_back_and_its_loss_is_listed(
    environment: str, said: str, tmp_path: Path
) -> None:
    source = spec_at(tmp_path, f"    environment: {{{environment}}}\n")
    (source.parent / "skills" / "x").mkdir(parents=True)
    (source.parent / "skills" / "x" / "SKILL.md").write_text(
        "---\nname: x\ndescription: D.\n---\n", encoding="utf-8"
    )
    there, _, back = trip(tmp_path, source)
    assert said in messages(there)
    assert meaning(load_suite(back, process_dir=tmp_path)) == meaning(
        load_suite(source, process_dir=tmp_path)
    )


def test_the_skills_of_a_stimulus_are_those_of_its_task(tmp_path: Path) -> None:
    source = spec_at(tmp_path, "    environment: {skills: [skills/x/SKILL.md]}\n")
    there, _, _ = trip(tmp_path, source)
    [task] = [plain(read_yaml(it)) for name, it in there.files.items() if name.parent.name == "tasks"]
    assert task["skill_directories"] == ["../source/skills/x"]


def test_one_missing_file_costs_only_itself(tmp_path: Path) -> None:
    files = "[{src: here.txt, dest: here.txt}, {src: gone.txt, dest: gone.txt}, {src: dir, dest: .}]"
    source = spec_at(tmp_path, f"    environment: {{files: {files}}}\n")
    (source.parent / "here.txt").write_text("x", encoding="utf-8")
    (source.parent / "dir").mkdir()
    (source.parent / "dir" / "logo.png").write_bytes(b"\xff\x00")
    there, _, back = trip(tmp_path, source)
    [task] = load_suite(tmp_path / "there" / "eval.yaml", process_dir=tmp_path).tasks
    assert [it.target for it in task.files] == ["here.txt", "logo.png"]
    assert "gone.txt not found; the file is left out" in messages(there)
    assert [it["src"] for it in stimulus(back)["environment"]["files"]] == [
        f"../source/{it}" for it in ("here.txt", "gone.txt", "dir")
    ]


def test_a_plug_in_s_executor_is_not_carried_over_but_comes_back(tmp_path: Path) -> None:
    text = SPEC.replace("copilot-sdk", "{name: acme-agent, config: {apiKeyEnv: KEY}}")
    there, _, back = trip(tmp_path, spec_at(tmp_path, text=text))
    assert (
        load_suite(tmp_path / "there" / "eval.yaml", process_dir=tmp_path).settings.executor == "copilot-sdk"
    )
    assert "waza has no executor 'acme-agent'" in messages(there)
    assert plain(read_mapping(back))["defaults"]["executor"] == {
        "name": "acme-agent",
        "config": {"apiKeyEnv": "KEY"},
    }


def test_the_skill_is_that_of_the_suite_not_its_name(tmp_path: Path) -> None:
    source = spec_at(tmp_path, "    graders: [{type: skill-invocation, config: {required: [notes]}}]\n")
    trip(tmp_path, source)
    assert load_suite(tmp_path / "there" / "eval.yaml", process_dir=tmp_path).skill == "notes"


def test_an_edited_stand_in_is_converted_itself(tmp_path: Path) -> None:
    graders = "    graders: [{type: completed, name: done}, {type: exit-success, name: says}]\n"
    source = spec_at(tmp_path, graders)
    _, back, path = trip(
        tmp_path, source, lambda it: it.replace("len(output.strip()) > 0", "len(output) > 5", 1)
    )
    assert stimulus(path)["graders"] == [{"type": "exit-success", "name": "says"}]
    assert "'done' is not restored, because what stood in for it was changed" in messages(back)
    assert "# |       assertions:\n" in texts(path.parent).replace("  # ", "# ")


def test_a_removed_stand_in_stays_removed(tmp_path: Path) -> None:
    task = "inputs: {prompt: hi}\ngraders:\n  - {type: text, name: both, config: {contains: [a, b]}}\n"
    source = suite_at(tmp_path, task)
    second = "      - type: output-contains\n        name: both-2\n        config:\n          substring: b\n"
    _, back, path = trip(tmp_path, source, lambda it: it.replace(second, ""))
    [loaded] = load_suite(path, process_dir=tmp_path).tasks
    assert [plain(it.config) for it in loaded.graders] == [{"contains": ["a"]}]
    assert "not restored, because what stood in for it was removed" in messages(back)


def test_an_edited_value_wins_over_the_kept_one(tmp_path: Path) -> None:
    source = spec_at(tmp_path, text=SPEC.replace("90s", "1500ms"))
    _, _, path = trip(tmp_path, source, lambda it: it.replace("timeout_seconds: 2", "timeout_seconds: 7"))
    assert plain(read_mapping(path))["defaults"]["timeout"] == "7s"


def test_a_damaged_comment_is_ignored_and_reported(tmp_path: Path) -> None:
    source = spec_at(tmp_path, "    rubric: [Is brief]\n")
    _, back, path = trip(tmp_path, source, lambda it: it.replace("# | rubric:", "# | rubric: ]"))
    assert "is not valid YAML and stays as it is" in messages(back)
    assert "rubric" not in stimulus(path)
    assert "# | rubric: ]" in texts(path.parent)


def test_a_comment_that_an_editor_has_shifted_is_still_read(tmp_path: Path) -> None:
    source = spec_at(tmp_path, "    rubric: [Is brief]\n")
    _, _, path = trip(tmp_path, source, lambda it: it.replace("\n# |", "\n#  |").replace("\n", "\r\n"))
    assert stimulus(path)["rubric"] == ["Is brief"]


def test_a_task_whose_checks_have_no_equivalent_does_not_simply_pass(tmp_path: Path) -> None:
    source = spec_at(tmp_path, "    graders: [{type: diff-empty, name: nothing-changed}]\n")
    there, _, path = trip(tmp_path, source)
    [task] = load_suite(tmp_path / "there" / "eval.yaml", process_dir=tmp_path).tasks
    assert [it.type for it in task.graders] == ["prompt"]
    assert "a judge decides" in messages(there)
    assert not complaints(tmp_path / "there", tmp_path)
    assert stimulus(path)["graders"] == [{"type": "diff-empty", "name": "nothing-changed"}]


def test_weights_of_types_make_a_valid_file(tmp_path: Path) -> None:
    graders = "inputs: {prompt: hi}\ngraders:\n  - {type: text, name: a, weight: 2, config: {contains: [a]}}\n  - {type: file, name: b, config: {must_exist: [x.txt]}}\n"
    source = suite_at(tmp_path, graders)
    trip(tmp_path, source)
    spec = plain(read_mapping(tmp_path / "there" / "eval.yaml"))
    assert sum(spec["scoring"]["weights"].values()) == pytest.approx(1)
    assert not complaints(tmp_path / "there", tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "a: 1  # x\nb:\n  # y\n  - 1\n\n  # z\n\n  - 2\n# end\n",
        "# top\n\na: |  # x\n  # no comment\n  b\n# y\nc: 'd # e'  # z\n",
        "a: [1,  # x\n  2]  # y\nb: {c: 1}  # z\n",
        "a:\n  - b: 1\n    # x\n  # y\n# z\n",
        "a: &x  # x\n  b: 1\nc: *x  # y\n",
        "a: b#c  # x\nd: 'Größe'  # y\r\n# z\r\n",
        "---\n# x\na: >-\n  folded\n  text\n# y\nb: 1\n",
    ],
)
def test_each_comment_is_found_once_and_written_once(text: str) -> None:
    found = comments_of(text)
    read = [
        it.strip()
        for it in (*found.header, *found.footer, *(line for it in found.at.values() for line in it.lines))
    ]
    expected = [it for it in ("top", "x", "y", "z", "end") if f"# {it}\n" in text.replace("\r", "")]
    assert sorted(read) == sorted(expected)
    written = yaml_text(plain(read_yaml(text)), found)
    assert [written.count(f"# {it}\n") for it in expected] == [1] * len(expected), written
    assert plain(read_yaml(written)) == plain(read_yaml(text))


@pytest.mark.parametrize(
    ("original", "again"),
    [
        ({"a": 1}, {}),
        ({"a": {"b": [1, 2], "c": "x"}}, {"a": {"b": [2], "d": 3}}),
        ({}, {"a": {"b": 1}}),
        ({"a": "one\ntwo\n"}, {}),
        ({"a/b": {"~": 1}}, {"a/b": {"~": 2}}),
    ],
)
def test_the_difference_restores_the_original(original: dict[str, Any], again: dict[str, Any]) -> None:
    parts = difference(original, again)
    found = kept_in([" mine", *kept_lines(parts, "waza"), " mine, too"], "waza")
    assert restored(again, found.parts) == original
    assert found.own == (" mine", " mine, too")
