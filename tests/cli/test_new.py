"""`waza-lsp new`: evals to begin with, in each dialect."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from waza_engine import run_eval
from waza_engine.project.load_suite import load_suite
from waza_engine.project.reading import read_mapping
from waza_engine.recognition.starters import dialects_with_new_evals, starter
from waza_lsp.cli import main


def new(root: Path, *arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(main, ["new", "--out", str(root), *arguments])
    return done.exit_code, done.output


@pytest.mark.parametrize("dialect", dialects_with_new_evals())
def test_a_new_eval_has_no_findings_and_passes(tmp_path: Path, dialect: str) -> None:
    status, written = new(tmp_path, "greeter", "--dialect", dialect)
    assert (status, written.splitlines()[0]) == (0, str(tmp_path / "greeter" / "eval.yaml"))
    check = CliRunner().invoke(main, ["check", "--quiet", str(tmp_path)])
    assert (check.exit_code, check.output) == (0, "")
    text = (tmp_path / "greeter" / "eval.yaml").read_text(encoding="utf-8")
    assert "name: greeter-eval" in text
    assert "${" not in text
    assert run_eval(tmp_path / "greeter" / "eval.yaml").status == "passed"


def test_trigger_tests_to_begin_with_have_no_findings(tmp_path: Path) -> None:
    """They are only a snippet."""
    triggers = starter("waza", "triggers")
    assert triggers is not None
    (tmp_path / "trigger_tests.yaml").write_text(
        triggers.text.replace("${1:my-skill}", "s"), encoding="utf-8"
    )
    assert checked(tmp_path) == ""


def checked(folder: Path) -> str:
    return CliRunner().invoke(main, ["check", "--quiet", str(folder)]).output


SKILL = """\
---
name: notes
description: |
  Writes notes: for users.
  USE FOR: "write notes for 1.0", "summarise: what changed?", "yes", "what's new #2".
  DO NOT USE FOR: fixing bugs (at all), "tests".
---
Read the list.
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory with a skill."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "skills" / "notes").mkdir(parents=True)
    (tmp_path / "skills" / "notes" / "SKILL.md").write_text(SKILL, encoding="utf-8")
    return tmp_path


def ran(*arguments: str) -> list[str]:
    done = CliRunner().invoke(main, ["new", *arguments])
    assert done.exit_code == 0, done.output
    return done.stdout.splitlines()


def refused(*arguments: str) -> str:
    done = CliRunner().invoke(main, ["new", *arguments])
    assert (done.exit_code, done.stdout) == (2, "")
    return done.stderr.splitlines()[0]


@pytest.mark.parametrize("dialect", dialects_with_new_evals())
@pytest.mark.parametrize("given", ["skills/notes/SKILL.md", "skills/notes"])
def test_an_eval_of_a_skill_has_its_prompts(folder: Path, dialect: str, given: str) -> None:
    *written, after = ran("eval", "--dialect", dialect, "--from-skill", given)
    assert after == f"Next: waza-lsp run {written[0]}"
    assert checked(folder) == ""
    text = "\n".join(Path(it).read_text(encoding="utf-8") for it in written)
    for prompt in ("Write notes for 1.0", "Summarise: what changed?", "Yes", "Tests"):
        assert prompt in text
    assert "../../skills/notes" in text
    assert "Writes notes: for users." in text
    record = run_eval(folder / written[0])
    assert (record.status, len(record.tasks)) == ("passed", 3 if dialect == "waza" else 4)


def test_an_eval_of_a_skill_without_prompts_has_a_task_to_fill_in(folder: Path) -> None:
    Path("skills/notes/SKILL.md").write_text("---\nname: notes\n---\n", encoding="utf-8")
    done = CliRunner().invoke(main, ["new", "eval", "other", "--from-skill", "skills/notes"])
    assert done.stderr.startswith("note: the description in skills/notes has no list 'USE FOR:'")
    assert (folder / "evals/other/tasks/first-task.yaml").exists()
    assert not (folder / "evals/other/trigger_tests.yaml").exists()
    assert checked(folder) == ""


def test_a_new_skill_can_begin_an_eval(folder: Path) -> None:
    [path, after] = ran("skill", "fresh")
    assert after == f"Next: waza-lsp new eval --from-skill {path}"
    ran("eval", "--from-skill", path)
    assert "skill: fresh" in (folder / "evals/fresh/eval.yaml").read_text(encoding="utf-8")
    assert checked(folder) == ""


@pytest.mark.parametrize("dialect", dialects_with_new_evals())
def test_tasks_and_graders_are_added(folder: Path, dialect: str) -> None:
    [path, *_] = ran("eval", "--from-skill", "skills/notes", "--dialect", dialect)
    before = Path(path).read_text(encoding="utf-8")
    [_, after] = ran("task", "second-one", "--prompt", "Do it: now\n- really")
    assert after == f"Next: waza-lsp run {path} --task second-one"
    assert checked(folder) == ""
    grader = "text" if dialect == "waza" else "output-contains"
    assert ran("grader", grader, "--to", path) == [path, f"Next: waza-lsp check {path}"]
    ran("grader", grader, "--to", path)
    assert checked(folder) == ""
    text = Path(path).read_text(encoding="utf-8")
    assert text.count("#") == before.count("#")
    lines = iter(text.splitlines())
    assert all(it in lines for it in before.splitlines())  # In this order, too.
    names = [it.name for it in run_eval(folder / path).tasks]
    assert ("Second one" if dialect == "waza" else "second-one") in names


def test_a_task_outside_of_all_globs_is_listed(folder: Path) -> None:
    ran("eval", "e")
    path = folder / "evals/e/eval.yaml"
    path.write_text(path.read_text().replace("tasks/*.yaml", "cases/first*.yaml"), encoding="utf-8")
    (folder / "evals/e/tasks").rename(folder / "evals/e/cases")
    assert ran("task", "more")[:2] == [str(Path("evals/e", it)) for it in ("eval.yaml", "cases/more.yaml")]
    assert path.read_text(encoding="utf-8").endswith("  - cases/first*.yaml\n  - cases/more.yaml\n")
    assert checked(folder) == ""


def test_files_of_others_layouts_and_languages(folder: Path) -> None:
    """CRLF, a byte-order mark, a list in brackets, blanks in names, letters outside of ASCII."""
    skill = folder / "my skills" / "SKILL.md"
    skill.parent.mkdir()
    skill.write_bytes(
        '\ufeff---\r\nname: größe\r\ndescription: USE FOR: "größe ändern", "- yes".\r\n---\r\n'.replace(
            "description: USE", "description: |\r\n  USE"
        ).encode()
    )
    assert "The skill's name 'größe' cannot be a folder here" in refused("eval", "--from-skill", "my skills")
    ran("eval", "size", "--from-skill", "my skills", "--out", "my evals")
    assert sorted(it.name for it in (folder / "my evals/size/tasks").iterdir()) == [
        "grosse-andern.yaml",
        "task-yes.yaml",
    ]
    assert checked(folder) == ""
    path = folder / "my evals" / "size" / "eval.yaml"
    text = path.read_text(encoding="utf-8").replace(
        "tasks:\n  - tasks/*.yaml", "tasks: [tasks/g*.yaml]  # some"
    )
    path.write_bytes(text.replace("\n", "\r\n").encode())
    assert ran("task", "more")[-1] == f'Next: waza-lsp run "{path.relative_to(folder)}" --task more'
    ran("grader", "text", "--to", str(path))
    after = path.read_bytes().decode()
    assert "tasks: [tasks/g*.yaml, tasks/more.yaml]  # some\r\n" in after
    assert after.count("\n") == after.count("\r\n")
    assert checked(folder) == ""


@pytest.mark.parametrize("dialect", dialects_with_new_evals())
def test_words_of_a_skill_that_look_like_yaml_stay_words(folder: Path, dialect: str) -> None:
    about = 'Says "x\\\\y": # z\\u2028'
    wanted = ["- [a, b", "It is: {c}", "2020-01-02", "Yes"]
    listed = ", ".join(f'\\"{it}\\"' for it in wanted)
    about = about.replace('"', '\\"')
    text = f'---\nname: "a: #b\\n- c"\ndescription: "{about}.\\nUSE FOR: {listed}."\n---\n'
    Path("skills/notes/SKILL.md").write_text(text, encoding="utf-8")
    ran("eval", "e", "--from-skill", "skills/notes", "--dialect", dialect)
    assert checked(folder) == ""
    path = folder / "evals/e/eval.yaml"
    suite = load_suite(path, process_dir=folder)
    assert read_mapping(path)["description"] == 'Says "x\\y": # z .'
    assert {it.prompt.strip() for it in suite.tasks} == set(wanted[:3])
    assert suite.skill == ("a: #b\n- c" if dialect == "waza" else "")
    assert suite.triggers is None or [it.prompt for it in suite.triggers.prompts] == wanted


def test_a_comment_of_the_last_item_stays_with_it(folder: Path) -> None:
    ran("eval", "--dialect", "vally", "--from-skill", "skills/notes")
    ran("task", "last")
    text = (folder / "evals/notes/eval.yaml").read_text(encoding="utf-8")
    assert text.rindex("- name: last") > text.rindex("#")


def test_an_experiment_runs_the_evals_of_its_dialect(folder: Path) -> None:
    ran("eval", "one")
    assert refused("experiment", "models").endswith("Create one with: waza-lsp new eval NAME --dialect vally")
    assert refused("experiment", "models", "--dialect", "waza") == (
        "error: waza has no experiments. Use --dialect vally."
    )
    ran("eval", "two", "--dialect", "vally")
    ran("eval", "three", "--dialect", "vally")
    [path, after] = ran("experiment", "models")
    assert after == f"Next: waza-lsp run {path} --executor mock"
    text = (folder / path).read_text(encoding="utf-8")
    assert "evals:\n  - three/eval.yaml\n  - two/eval.yaml\n" in text
    assert text.startswith("name: models-models\n")
    # The new evals have one stimulus each.
    [hint] = checked(folder).splitlines()
    assert "hint[too-few-tasks] With 2 tasks" in hint


@pytest.mark.parametrize(
    ("paths", "expected"),
    [
        ("{evals: tests/evals/}", "tests/evals"),
        ("{evals: [a, b]}", "a"),
        ("{evals: ../elsewhere}", "evals"),
        ("{evals: /tmp}", "evals"),
        ("[broken", "evals"),
        ("{evals: {}}", "evals"),
    ],
)
def test_a_project_decides_dialect_and_folder(
    folder: Path, monkeypatch: pytest.MonkeyPatch, paths: str, expected: str
) -> None:
    (folder / ".vally.yaml").write_text(f"paths: {paths}\n", encoding="utf-8")
    assert ran("eval", "here")[0] == str(Path(expected, "here", "eval.yaml"))
    assert "stimuli:" in (folder / expected / "here/eval.yaml").read_text(encoding="utf-8")
    monkeypatch.chdir(folder / "skills")
    assert ran("skill", "below")[0] == str(Path("below", "SKILL.md"))
    assert ran("eval", "below")[0] == str(Path("..", expected, "below", "eval.yaml"))


@pytest.mark.usefixtures("folder")
def test_a_grader_is_printed_as_an_item() -> None:
    assert ran("grader", "text")[:2] == ["- type: text", "  name: says-where"]
    assert "Did you mean 'tool-calls'" in refused("grader", "tool-callz", "--dialect", "vally")


@pytest.mark.usefixtures("folder")
def test_mistakes_are_explained() -> None:
    assert refused("task", "a") == "error: No eval found. Create one with: waza-lsp new eval NAME"
    assert refused("eval") == "error: Give the NAME of the eval, or a skill with --from-skill."
    ran("a")
    ran("b")
    assert "2 evals found: evals/a/eval.yaml, evals/b/eval.yaml. Choose one with --eval" in refused(
        "task", "c"
    )
    assert refused("grader", "text", "--to", "skills/notes/SKILL.md").endswith(
        "not an eval file that can be read"
    )
    assert "already exists" in refused("a")
    Path("evals/a/eval.yaml").write_text("mine", encoding="utf-8")
    ran("a", "--force")
    assert "name: a-eval" in Path("evals/a/eval.yaml").read_text(encoding="utf-8")
    ran("task", "t", "--eval", "evals/a/eval.yaml")
    assert "already exists" in refused("task", "t", "--eval", "evals/a/eval.yaml")
    Path("evals/a/eval.yaml").write_text("name: a\ntasks: [", encoding="utf-8")
    for command in (("task", "u", "--eval"), ("grader", "text", "--to")):
        assert refused(*command, "evals/a/eval.yaml").endswith("See: waza-lsp check evals/a/eval.yaml")
    assert "is not a skill" in refused("eval", "x", "--from-skill", "evals/b/eval.yaml")


def test_existing_files_stay(tmp_path: Path) -> None:
    new(tmp_path, "greeter")
    task = tmp_path / "greeter" / "tasks" / "first-task.yaml"
    task.write_text("mine", encoding="utf-8")
    status, message = new(tmp_path, "greeter")
    assert status == 2
    assert "eval.yaml already exists; nothing was written" in message
    assert task.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("name", ["../up", "a/b", "no", "True", "1.5", "", "a b", "-x"])
def test_names_that_are_no_folders_or_no_text_in_yaml_are_refused(tmp_path: Path, name: str) -> None:
    status, message = new(tmp_path, "--", name)
    assert status == 2
    assert "is not a name" in message
    assert list(tmp_path.iterdir()) == []
