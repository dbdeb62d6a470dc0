"""`waza-lsp convert --to latest`: every file of the suite goes along, nothing is lost without a word."""

from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from waza_engine.formats import load_suite
from waza_lsp.cli import main

EVAL = """\
name: n
skill: s
config: {trials_per_task: 1, timeout_seconds: 60, executor: mock, model: m}
tasks:
  - "tasks/*.yaml"
"""
TASK = "id: %s\nname: T\ninputs: {prompt: hi}\n"


@pytest.fixture
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of an eval with a task."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "e" / "tasks").mkdir(parents=True)
    (tmp_path / "e" / "eval.yaml").write_text(EVAL, encoding="utf-8")
    (tmp_path / "e" / "tasks" / "a.yaml").write_text(TASK % "a", encoding="utf-8")
    return tmp_path / "e"


def put(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def newest(suite: Path, *options: str) -> Result:
    done = CliRunner().invoke(main, ["convert", str(suite / "eval.yaml"), "--to", "latest", *options])
    assert done.exit_code == 0, done.output
    return done


def made(suite: Path) -> dict[str, str]:
    out = suite / "latest"
    return {
        it.relative_to(out).as_posix(): it.read_text(encoding="utf-8")
        for it in out.rglob("*")
        if it.is_file()
    }


@pytest.mark.parametrize(
    ("broken", "said"),
    [
        (TASK % "b" + "foo: 1\n", "foo"),
        ("id: b\nname: [\n", "line 2"),
        (TASK % "b" + "expected: {matches: [x]}\n", "matches"),
    ],
)
def test_a_task_that_does_not_load_goes_along_as_do_its_siblings(suite: Path, broken: str, said: str) -> None:
    put(suite / "tasks" / "b.yaml", broken)
    done = newest(suite)
    assert set(made(suite)) == {"eval.yaml", "tasks/a.yaml", "tasks/b.yaml"}
    assert any(str(suite / "tasks" / "b.yaml") in it and said in it for it in done.stderr.splitlines())


def test_disabled_tasks_and_old_forms_of_globs_are_part_of_the_suite(suite: Path) -> None:
    put(suite / "eval.yaml", EVAL.replace('"tasks/*.yaml"', '"include: tasks/*.yaml"\n  - more/*.yaml'))
    put(suite / "tasks" / "b.yaml", TASK % "b" + "enabled: false\n")
    done = newest(suite)
    files = made(suite)
    assert set(files) == {"eval.yaml", "tasks/a.yaml", "tasks/b.yaml"}
    assert "include" not in files["eval.yaml"]
    assert "No file matches 'more/*.yaml'" in done.stderr


def test_what_a_run_reads_goes_along(suite: Path) -> None:
    put(suite / "eval.yaml", EVAL.replace("model: m", "model: m, instruction_files: [how.md]"))
    task = "id: a\nname: T\ninputs: {prompt_file: p.txt, files: [{path: in/data.bin}], context: {fixture: repo}}\n"
    put(suite / "tasks" / "a.yaml", task)
    put(suite / "tasks" / "p.txt", "the prompt")
    put(suite / "repo" / "src" / "x.py", "x = 1\n")
    put(suite / "fixtures" / "how.md", "how")
    (suite / "fixtures" / "in").mkdir()
    (suite / "fixtures" / "in" / "data.bin").write_bytes(b"\xff\x00")
    newest(suite, "--out", "elsewhere")
    there = suite.parent / "elsewhere"
    before, after = (load_suite(it / "eval.yaml", process_dir=suite.parent).tasks[0] for it in (suite, there))
    assert (after.prompt, after.files) == (before.prompt, before.files)
    assert not after.blocked
    assert b"\xff\x00" in [it.content for it in after.files]


def test_folders_are_named_from_the_new_place(suite: Path) -> None:
    put(
        suite / "eval.yaml", EVAL.replace("model: m", "model: m, skill_directories: [../skills, 'own', gone]")
    )
    put(suite.parent / "skills" / "s" / "SKILL.md", "---\nname: s\n---\n")
    put(suite / "own" / "o" / "SKILL.md", "---\nname: o\n---\n")
    newest(suite)
    assert "skill_directories: [../../skills, '../own', gone]" in made(suite)["eval.yaml"]


def test_tasks_from_outside_are_not_written_outside(suite: Path) -> None:
    put(suite / "eval.yaml", EVAL + "  - ../shared/*.yaml\n  - './../shared/x.yml'\n")
    put(suite.parent / "shared" / "s.yaml", "id: s\nname: S\ninputs: {prompt_file: p.txt}\n")
    put(suite.parent / "shared" / "p.txt", "outside")
    put(suite.parent / "shared" / "x.yml", TASK % "x")
    newest(suite)
    there = suite / "latest"
    assert not (suite / "shared").exists()
    assert set(made(suite)) == {
        *("eval.yaml", "tasks/a.yaml"),
        *("outside/shared/s.yaml", "outside/shared/p.txt", "outside/shared/x.yml"),
    }
    assert "- outside/shared/*.yaml\n  - 'outside/shared/x.yml'\n" in made(suite)["eval.yaml"]
    tasks = load_suite(there / "eval.yaml", process_dir=suite.parent).tasks
    assert [(it.id, it.prompt) for it in tasks] == [("a", "hi"), ("s", "outside"), ("x", "hi")]


def test_in_its_own_folder_only_what_is_outdated_changes(suite: Path) -> None:
    put(suite / "eval.yaml", EVAL + "  - ../shared/*.yaml\n")
    put(suite / "fixtures" / "f.txt", "f")
    before = {it: it.read_bytes() for it in suite.rglob("*") if it.is_file()}
    newest(suite, "--out", str(suite), "--force")
    assert {it: it.read_bytes() for it in suite.rglob("*") if it.is_file()} == before


def test_what_is_left_out_is_said(suite: Path) -> None:
    put(suite / "eval.yaml", EVAL.replace("model: m", "model: m, verbose: true"))
    grader = "graders:\n  - type: llm\n    name: q\n    rubric: Score 5 when right.\n    config:\n      threshold: 0.5\n"
    put(suite / "tasks" / "a.yaml", TASK % "a" + grader)
    done = newest(suite)
    assert "'config.verbose: True' is left out" in done.stderr
    assert "'graders.0.config.threshold: 0.5' is left out" in done.stderr
    assert "threshold" not in made(suite)["tasks/a.yaml"]
    assert "prompt: Score 5 when right." in made(suite)["tasks/a.yaml"]


def test_both_names_of_an_option_become_one_list(suite: Path) -> None:
    grader = "graders:\n  - type: keyword\n    name: k\n    config:\n      keywords: [c]\n      must_contain: [a, b] # these\n"
    put(suite / "tasks" / "a.yaml", TASK % "a" + grader)
    done = newest(suite)
    assert made(suite)["tasks/a.yaml"].endswith(
        "  - type: text\n    name: k\n    config:\n      contains: [a, b, c] # these\n"
    )
    assert "left out" not in done.stderr


def test_assertions_without_a_type_are_code(suite: Path) -> None:
    put(suite / "tasks" / "a.yaml", TASK % "a" + "graders:\n  - name: c\n    assertions: ['True']\n")
    newest(suite)
    [grader] = load_suite(suite / "latest" / "eval.yaml", process_dir=suite.parent).tasks[0].graders
    assert (grader.type, grader.name, grader.config) == ("code", "c", {"assertions": ["True"]})


def test_a_rubric_that_may_be_a_file_is_left_to_its_author(suite: Path) -> None:
    put(
        suite / "tasks" / "a.yaml",
        TASK % "a" + "graders:\n  - type: llm\n    name: q\n    rubric: graders/r.md\n",
    )
    done = newest(suite)
    assert "type: llm" in made(suite)["tasks/a.yaml"]
    assert "'llm' is from older versions" in done.stderr


def test_what_is_moved_is_not_said_to_be_left_out(suite: Path) -> None:
    put(suite / "tasks" / "a.yaml", TASK % "a" + "config: {timeout_seconds: 3}\n")
    assert newest(suite).stderr == ""
    assert made(suite)["tasks/a.yaml"] == TASK % "a" + "timeout_seconds: 3\n"
