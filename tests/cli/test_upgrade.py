"""`waza-lsp convert --to latest`: every file of the suite goes along, nothing is lost without a word."""

import errno
import os
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from waza_engine.project.load_suite import load_suite
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
        (TASK % "b" + "tags: {a: b}\n", "line 4: Expected a list of strings"),
        ("id: b\nname: [\n", "line 2"),
        (TASK % "b" + "graders: 3\n", "line 4: Expected a mapping"),
    ],
)
def test_a_task_that_does_not_load_goes_along_as_do_its_siblings(suite: Path, broken: str, said: str) -> None:
    put(suite / "tasks" / "b.yaml", broken)
    done = newest(suite)
    assert set(made(suite)) == {"eval.yaml", "tasks/a.yaml", "tasks/b.yaml"}
    assert any("latest/tasks/b.yaml" in it and said in it for it in done.stderr.splitlines())


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
    assert "'config.verbose: True' was removed" in done.stderr
    assert "'graders.0.config.threshold: 0.5' was removed" in done.stderr
    assert "threshold" not in made(suite)["tasks/a.yaml"]
    assert "prompt: Score 5 when right." in made(suite)["tasks/a.yaml"]


def test_both_names_of_an_option_become_one_list(suite: Path) -> None:
    grader = "graders:\n  - type: keyword\n    name: k\n    config:\n      keywords: [c]\n      must_contain: [a, b] # these\n"
    put(suite / "tasks" / "a.yaml", TASK % "a" + grader)
    done = newest(suite)
    assert made(suite)["tasks/a.yaml"].endswith(
        "  - type: text\n    name: k\n    config:\n      contains: [a, b, c] # these\n"
    )
    assert "was removed" not in done.stderr


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


def test_a_fixture_that_holds_tasks_does_not_replace_them(suite: Path) -> None:
    old = "inputs: {prompt: hi, context: {fixture: tasks}}\ngraders: [{type: regex, name: r, config: {must_match: [a]}}]\n"
    put(suite / "tasks" / "a.yaml", "id: a\nname: A\n" + old)
    put(suite / "tasks" / "more.txt", "more")
    done = newest(suite)
    assert done.stdout.count("a.yaml") == 1
    assert "type: text" in made(suite)["tasks/a.yaml"]
    assert made(suite)["tasks/more.txt"] == "more"


def test_what_an_earlier_conversion_wrote_is_not_taken_along(suite: Path) -> None:
    put(suite / "tasks" / "a.yaml", TASK % "a" + "context_dir: ..\n")
    put(suite / "eval.yaml", EVAL.replace("model: m", "model: m, instruction_files: [..]"))
    newest(suite)
    before = made(suite)
    newest(suite, "--force")
    assert made(suite) == before


def test_tasks_from_outside_keep_names_of_their_own(suite: Path) -> None:
    put(
        suite / "eval.yaml",
        EVAL + "  - outside/more/*.yaml\n  - ../more/*.yaml\n  - ../outside/more/*.yaml\n",
    )
    folders = (suite / "outside", suite.parent, suite.parent / "outside")
    for id_, folder in zip("bcd", folders, strict=True):
        put(folder / "more" / "x.yaml", TASK % id_)
    done = newest(suite)
    assert done.stderr == ""
    tasks = load_suite(suite / "latest" / "eval.yaml", process_dir=suite.parent).tasks
    assert [it.id for it in tasks] == ["a", "b", "c", "d"]


@pytest.mark.parametrize("out", ["e/latest", "new"])
def test_globs_that_go_out_and_come_back(suite: Path, out: str) -> None:
    put(suite / "eval.yaml", EVAL.replace("tasks/*", "../e/tasks/*"))
    newest(suite, "--out", out)
    there = suite.parent / out
    assert '- "tasks/*.yaml"' in (there / "eval.yaml").read_text(encoding="utf-8")
    assert [it.id for it in load_suite(there / "eval.yaml", process_dir=suite.parent).tasks] == ["a"]


def test_files_that_are_programs_stay_so(suite: Path) -> None:
    put(suite / "tasks" / "a.yaml", "id: a\nname: A\ninputs: {prompt: hi, context: {fixture: repo}}\n")
    put(suite / "repo" / "build.sh", "true")
    put(suite / "repo" / "data", "")
    (suite / "repo" / "build.sh").chmod(0o755)
    newest(suite)
    repo = suite / "latest" / "repo"
    assert (repo / "build.sh").stat().st_mode & 0o111
    assert not (repo / "data").stat().st_mode & 0o111


def test_notes_name_the_line_of_the_new_file(suite: Path) -> None:
    put(suite / "tasks" / "a.yaml", "prompt: hi\nid: a\nname: T\ntags: {a: b}\n")
    done = newest(suite)
    path = suite / "latest" / "tasks" / "a.yaml"
    line = path.read_text(encoding="utf-8").splitlines().index("tags: {a: b}") + 1
    assert f"latest/tasks/a.yaml: note: line {line}: " in done.stderr


def test_lists_that_get_another_name_are_not_left_out(suite: Path) -> None:
    grader = "graders:\n  - type: tool_calls\n    name: t\n    config: {required: [a], forbidden: [b]}\n"
    put(suite / "tasks" / "a.yaml", TASK % "a" + grader)
    done = newest(suite)
    assert "required_tools: [a]" in made(suite)["tasks/a.yaml"]
    assert "was removed" not in done.stderr


def test_links_do_not_lead_to_the_source(suite: Path) -> None:
    (suite / "latest").mkdir()
    (suite / "latest" / "tasks").symlink_to(suite / "tasks")
    done = CliRunner().invoke(main, ["convert", str(suite / "eval.yaml"), "--to", "latest", "--force"])
    assert done.exit_code == 2
    assert "a link that leads out" in done.output
    assert (suite / "tasks" / "a.yaml").read_text(encoding="utf-8") == TASK % "a"
    assert not (suite / "latest" / "eval.yaml").exists()


def test_a_file_that_cannot_be_written_stays_as_it_was(suite: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(suite / "eval.yaml", EVAL.replace("model: m", "model: m, verbose: true"))
    before = (suite / "eval.yaml").read_text(encoding="utf-8")

    def full(_file: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    command = ["convert", str(suite / "eval.yaml"), "--to", "latest", "--out", str(suite), "--force"]
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 2
    assert f"{suite / 'eval.yaml'} cannot be written: No space left" in done.output
    assert (suite / "eval.yaml").read_text(encoding="utf-8") == before
    assert sorted(it.name for it in suite.iterdir()) == ["eval.yaml", "tasks"]
