"""Links that lead out of a repository, in the place of every file that a command reads.

What the link shows stays outside: no finding, prompt, report or store holds it, and nothing is written there.
"""

import shutil
import sys
from pathlib import Path

import pytest

from tests.hostility.bait import CANARY, Victim
from tests.hostility.test_foreign_files import CHECK, GRADERS, REPLAY, RUN, TASK, bounded
from tests.slow import first_quick
from waza_engine.lib.files.safe_read import regular_bytes

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs links")
VALLY = ("run", "vally/eval.yaml")
CONVERT = ("convert", "eval.yaml", "--to", "vally", "--out", "converted")
GRADE = ("grade", "--graders", "graders.yaml", "--context", "context.json")
PLACES: dict[tuple[str, tuple[str, ...]], str] = {
    ("tasks/one.yaml", RUN): "",
    ("tasks/one.yaml", CHECK): "",
    ("tasks/one.yaml", CONVERT): "",
    ("eval.yaml", CHECK): "",
    ("eval.yaml", ("check", "--fix")): "",
    ("eval.yaml", ("check", "--upgrade", "waza@0.41")): "",
    ("eval.yaml", RUN): "",
    ("eval.yaml", CONVERT): "",
    ("fixtures/data.txt", RUN): "",
    ("prompt.md", RUN): "inputs: {prompt_file: prompt.md}\n",
    ("prompt.md", CHECK): "inputs: {prompt_file: prompt.md}\n",
    ("fixtures/note.md", RUN): "inputs: {prompt: x}\ninstruction_files: [note.md]\n",
    ("data.csv", RUN): "",
    ("data.csv", CHECK): "",
    ("rubric.md", RUN): "",
    ("schema.json", RUN): "",
    ("schema.json", CHECK): "",
    ("snapshot.txt", RUN): "",
    ("trigger_tests.yaml", RUN): "",
    ("trigger_tests.yaml", CHECK): "",
    (".waza.yaml", RUN): "",
    (".waza.yaml", CHECK): "",
    (".vally.yaml", VALLY): "",
    (".vally.yaml", CHECK): "",
    (".waza-lsp.toml", CHECK): "",
    ("pyproject.toml", CHECK): "",
    ("package.json", CHECK): "",
    (".gitignore", CHECK): "",
    ("vally/eval.yaml", CHECK): "",
    ("vally/staged.txt", VALLY): "",
    ("vally/kit/SKILL.md", VALLY): "",
    ("recordings/one-1.json", REPLAY): "",
    ("results.json", ("report", "results.json")): "",
    ("results.jsonl", ("report", "results.jsonl")): "",
    ("results.json", ("compare", "results.json", "results.json")): "",
    ("graders.yaml", GRADE): "",
    ("graders.yaml", ("check", "graders.yaml")): "",
    ("context.json", GRADE): "",
    (".waza-lsp/runs.sqlite3", ("runs", "list")): "",
    (".waza-lsp/reviews.jsonl", ("report",)): "",
    (".waza-lsp/judgements.jsonl", ("judge", "show", "eval.yaml")): "",
    ("recordings/judged/verdicts.jsonl", ("judge", "check", "eval.yaml", "--no-ask")): "",
}
"""The files, with a command that reads each, and the task that names it."""
_VALLY = (
    "name: v\nstimuli:\n- name: a\n  prompt: x\n"
    "  environment: {files: [{src: staged.txt, dest: s.txt}], skills: [kit/SKILL.md]}\n"
    "  graders:\n  - {type: output-contains, config: {value: x}}\n"
)
_SNAPSHOT = "- {type: diff, name: d, config: {expected_files: [{path: a.txt, snapshot: snapshot.txt}]}}\n"
_SECRETS = {
    ".yaml": f"id: {CANARY}\nname: {CANARY}\n{CANARY}: 1\ninputs: {{prompt: {CANARY}}}\nstimuli: [{{name: {CANARY}}}]\n",
    ".csv": f"prompt,id\n{CANARY},{CANARY}\n",
    ".json": f'{{"name": "{CANARY}", "output": "{CANARY}", "type": "{CANARY}", "required": ["{CANARY}"]}}\n',
    ".toml": f'{CANARY} = "{CANARY}"\n',
    ".md": f"---\nname: {CANARY}\ndescription: {CANARY}\n---\n{CANARY}\n",
}


def _write_all(victim: Victim, name: str, task: str) -> None:
    victim.write_suite(graders=GRADERS + _SNAPSHOT, task=task or TASK)
    if name == "data.csv":
        text = victim.eval_file.read_text(encoding="utf-8")
        victim.eval_file.write_text(
            text.replace("tasks: ['tasks/*.yaml']", "tasks_from: data.csv"), encoding="utf-8"
        )
    (victim.workspace / "vally").mkdir()
    files = {
        "vally/eval.yaml": _VALLY,
        "graders.yaml": "- {type: text, name: t, config: {contains: [a]}}\n",
        "context.json": '{"output": "a"}',
    }
    for path, text in files.items():
        (victim.workspace / path).write_text(text, encoding="utf-8")


@pytest.mark.parametrize("marked", first_quick([True, False], 1))
@pytest.mark.parametrize(
    ("place", "command", "whole_folder"),
    first_quick([(*it, whole) for it in PLACES for whole in (False, True) if not whole or "/" in it[0]], 3),
)
def test_what_a_link_shows_stays_outside(
    place: str, command: tuple[str, ...], whole_folder: bool, marked: bool, victim: Victim
) -> None:
    """Class: links out of a repository, to a file or to the folder of a file, with `.git` and without."""
    _write_all(victim, place, PLACES[place, command])
    if marked:
        (victim.workspace / ".git").mkdir()
    path = victim.workspace / place
    hidden = victim.workspace.parent / "hidden"
    hidden.mkdir()
    (hidden / path.name).write_text(_SECRETS.get(path.suffix, CANARY), encoding="utf-8")
    if whole_folder:
        shutil.rmtree(path.parent, ignore_errors=True)
        path.parent.parent.mkdir(exist_ok=True)
        path.parent.symlink_to(hidden)
    else:
        path.parent.mkdir(exist_ok=True, parents=True)
        path.unlink(missing_ok=True)
        path.symlink_to(hidden / path.name)
    done = bounded(victim, *command)
    assert CANARY not in done.stdout + done.stderr
    written = [it for it in victim.workspace.rglob("*") if it.is_file() and not it.is_symlink()]
    assert not any(CANARY.encode() in it.read_bytes() for it in written)
    assert [it.name for it in hidden.iterdir()] == [path.name]
    assert (hidden / path.name).read_text(encoding="utf-8") == _SECRETS.get(path.suffix, CANARY)


def test_links_inside_of_a_repository_are_followed(victim: Victim) -> None:
    """Class: refusals that go too far. A repository may be behind a link, and may hold others."""
    root = victim.workspace
    (root / "inner" / ".git").mkdir(parents=True)
    (root / "shared").mkdir()
    (root / "shared" / "a.txt").write_text("a", encoding="utf-8")
    (root / "inner" / "b.txt").symlink_to(root / "shared" / "a.txt")
    (root / "c.txt").symlink_to("shared/a.txt")
    (root / "folder").symlink_to("shared")
    (root / ".git").mkdir()
    entrance = root.parent / "entrance"
    entrance.symlink_to(root)
    for path in ("c.txt", "folder/a.txt", "shared/a.txt"):
        assert regular_bytes(root / path) == b"a"
        assert regular_bytes(entrance / path) == b"a"
    with pytest.raises(OSError, match="a link leads out of"):
        regular_bytes(root / "inner" / "b.txt")
    assert regular_bytes(root / "inner" / "b.txt", anywhere=True) == b"a"


@pytest.mark.parametrize("has_git", [False, True])
def test_a_link_to_another_repository_leads_out(has_git: bool, victim: Victim) -> None:
    """Class: links whose target has the marks of a repository itself."""
    (victim.workspace / ".git").mkdir()
    other = victim.workspace.parent / "other"
    (other / "deep").mkdir(parents=True)
    (other / "deep" / "a.txt").write_text(CANARY, encoding="utf-8")
    if has_git:
        (other / ".git").mkdir()
        (other / "deep" / ".git").mkdir()
    (victim.workspace / "folder").symlink_to(other)
    with pytest.raises(OSError, match="a link leads out of"):
        regular_bytes(victim.workspace / "folder" / "deep" / "a.txt")


@pytest.mark.parametrize("name", ["one.txt", "../workspace/one.txt", "./tasks/../one.txt"])
def test_a_path_is_no_way_around(name: str, victim: Victim, monkeypatch: pytest.MonkeyPatch) -> None:
    """Class: spellings of a path that hide where it begins."""
    (victim.workspace / "one.txt").symlink_to(victim.outside)
    monkeypatch.chdir(victim.workspace)
    with pytest.raises(OSError, match="a link leads out of"):
        regular_bytes(Path(name))
