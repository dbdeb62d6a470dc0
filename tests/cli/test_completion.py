"""What shells complete: commands, options, their values, tasks, runs, executors, codes, grader types."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from click.shell_completion import ShellComplete
from click.testing import CliRunner

from tests.cli.test_new import ran
from waza_engine import run_eval
from waza_engine.executors.registry import executor_names
from waza_engine.runs.store.store import RunStore
from waza_lsp.cli import _COMMANDS, main
from waza_lsp.cli.completion.command import VARIABLE


def completed(line: str) -> list[str]:
    """The values for the last word of a line, which may be empty."""
    *words, last = line.split(" ")
    return [
        str(it.value) for it in ShellComplete(main, {}, "waza-lsp", VARIABLE).get_completions(words, last)
    ]


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with two evals and a run of the first one."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / ".git").mkdir()
    ran("eval", "one")
    ran("task", "another")
    ran("eval", "two", "--dialect", "vally")
    with RunStore(tmp_path / ".waza-lsp") as store:
        run_eval(tmp_path / "evals/one/eval.yaml", store=store)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_values() -> None:
    assert completed("") == list(_COMMANDS)
    assert completed("re") == ["report", "review"]
    assert completed("new ") == ["eval", "task", "grader", "skill", "experiment"]
    assert "--from-skill" in completed("new eval --")
    assert completed("check --format ") == ["text", "json", "sarif", "github", "junit"]
    assert completed("run --executor ") == executor_names()
    assert completed("check --ignore cannot") == ["cannot-fail"]
    assert completed("rule unknown-k") == ["unknown-key"]
    assert completed("grader tool_c") == ["tool_calls", "tool_constraint"]
    assert completed("grader --dialect vally tool") == ["tool-call-count", "tool-calls"]
    assert completed("new grader turn") == ["turn-count"]
    assert completed("schema show ev") == ["eval"]
    # The glob of the eval finds the files of its tasks.
    assert completed("run evals/one/eval.yaml --task ") == ["another", "first-task"]
    assert completed("run --executor mock evals/two/eval.yaml --task f") == ["first-task"]


@pytest.mark.usefixtures("folder")
def test_runs_and_their_tasks() -> None:
    last, run = completed("runs show ")
    assert (last, run[:2]) == ("last", "20")
    for line in ("report ", "grade --run ", "run --replay-from ", "run --resume ", "compare last "):
        assert completed(line) == [last, run]
    assert completed(f"runs show {run[:9]}") == [run]
    assert sorted(completed("grade --run last --task ")) == ["another", "first-task"]
    assert sorted(completed(f"grade --run {run} --task a")) == ["another"]


def test_without_a_store_and_with_broken_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert completed("runs show ") == ["last"]
    assert completed("grade --run last --task ") == []
    Path("eval.yaml").write_bytes(b"\xff")
    assert completed("run eval.yaml --task ") == []
    Path("eval.yaml").write_text("tasks: [/*, 3, {}]\nskill: x\nconfig: {}\n", encoding="utf-8")
    assert completed("run eval.yaml --task ") == []
    Path(".waza-lsp").mkdir()
    Path(".waza-lsp/runs.sqlite3").write_text("no database", encoding="utf-8")
    assert completed("runs show ") == []
    assert completed("report results.js") == ["results.js"]


def test_words_of_the_program_complete_without_its_work() -> None:
    code = (
        "import sys; from click.shell_completion import ShellComplete as S; from waza_lsp.cli import main;"
        "S(main, {}, 'waza-lsp', 'X').get_completions(['run', '--executor'], '');"
        "print(sorted(it for it in sys.modules if it in ('pydantic', 'jsonschema', 'waza_engine.runs.run')))"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_scripts(shell: str) -> None:
    script = CliRunner().invoke(main, ["completion", shell]).stdout
    assert f"{VARIABLE}={shell}_complete" in script
    program = shutil.which(shell)
    if program is None:
        pytest.skip(f"{shell} is not installed")
    subprocess.run([program, "-n"], input=script, text=True, check=True)
