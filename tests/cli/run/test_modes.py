"""Modes of a run: quiet and JSON output, several models, the cache, HTML pages, a terminal."""

import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from textwrap import dedent

import pytest
from click.testing import CliRunner, Result

from waza_engine.lib.files.safe_read import regular_bytes
from waza_engine.lib.yaml.reader import YamlDocument, read_document
from waza_engine.runs.store.store import RunStore
from waza_lsp.cli import main

EVAL = """
name: demo
skill: demo-skill
config: {trials_per_task: 2, timeout_seconds: 30, executor: mock}
graders: [{type: text, name: answers, config: {contains: [mock response]}}]
tasks: [tasks/*.yaml]
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    write(tmp_path / "eval.yaml", EVAL)
    for name in ("a", "b"):
        add_task(tmp_path, name)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(dedent(text).lstrip(), encoding="utf-8")


def add_task(folder: Path, name: str, more: str = "") -> None:
    write(folder / "tasks" / f"{name}.yaml", f"id: {name}\nname: {name}\ninputs: {{prompt: hello}}\n{more}\n")


def invoke(*arguments: str) -> Result:
    result = CliRunner().invoke(main, list(arguments))
    assert "Traceback" not in result.output
    return result


def run(*arguments: str) -> Result:
    return invoke("run", "eval.yaml", *arguments)


def test_quiet_says_only_what_is_wrong_and_what_came_out(folder: Path) -> None:
    assert (run("--quiet").stderr, run("--quiet").stdout) == ("", "")
    add_task(folder, "a", "hooks_are_not_here: 1")
    write(folder / "tasks" / "a.yaml", "id: a\ninputs: {prompt: x, files: [{path: gone}]}\n")
    result = run("-q")
    assert [it.split(":")[0] for it in result.stderr.splitlines()] == ["warning"]
    assert result.stdout == ""
    add_task(folder, "poor", "graders: [{type: text, name: polite, config: {contains: [please]}}]")
    lines = run("-q").stdout.splitlines()
    assert (lines[0], lines[-1].partition(",")[0]) == (
        "FAIL  poor  score 0.50 [0.19, 0.81]  0/2 trials",
        "FAILED: 2 of 3 tasks passed",
    )
    assert invoke("report", "-q").stdout.splitlines() == lines
    assert invoke("grade", "--run", "last", "-q").stdout.splitlines()[:-1] == lines[:-1]


def test_json_is_all_there_is_on_stdout() -> None:
    result = run("--format", "json")
    assert [it["status"] for it in json.loads(result.stdout)["tasks"]] == ["passed", "passed"]
    assert "Running 2 tasks" in result.stderr
    assert run("--format", "github", "-q").stdout.startswith("## demo: ")


def test_several_models_are_run_and_compared(folder: Path) -> None:
    result = run("--model", "vendor/one", "--model", "two", "--output", "out.json", "--html", "page.html")
    assert result.exit_code == 0
    assert result.stdout.splitlines()[-1] == "PASSED: 2 of 2 models passed"
    assert sorted(it.name for it in folder.glob("out*")) == ["out_two.json", "out_vendor-one.json"]
    assert json.loads((folder / "out_two.json").read_text())["config"]["model_id"] == "two"
    assert (folder / "page_two.html").exists()
    assert [it.endswith("(vendor/one)") for it in result.stdout.splitlines() if it.startswith("1: ")] == [
        True
    ]
    assert "With 2 tasks no result can show a difference; it takes at least 6." in result.stdout
    assert result.stdout.count("2 of 2 tasks passed") == 2


def test_unchanged_tasks_are_taken_from_the_cache(folder: Path) -> None:
    run()
    add_task(folder, "b", "description: changed")
    result = run("--cache")
    assert "info: Reused the results of 1 unchanged task from earlier runs" in result.stderr
    assert (result.exit_code, "2 of 2 tasks passed" in result.stdout) == (0, True)
    with RunStore(folder / ".waza-lsp") as store:
        newest, oldest = store.runs()
        mine, theirs = (
            {(it.record.task, it.record.trial): it.record for it in store.trials(run_id)}
            for run_id in (newest.run_id, oldest.run_id)
        )
    assert list(mine) == [("a", 1), ("a", 2), ("b", 1), ("b", 2)]
    assert mine["a", 1].started_at == theirs["a", 1].started_at
    assert mine["a", 1].graders == theirs["a", 1].graders
    assert mine["b", 1].started_at > theirs["b", 1].started_at


@pytest.mark.parametrize(
    ("change", "used"),
    [
        (("model", "--model", "other"), False),
        (("more trials", "--trials", "3"), False),
        (("fewer trials", "--trials", "1"), True),
        (("switched off", "--no-cache"), False),
        (("baseline", "--baseline"), False),
    ],
)
def test_what_the_cache_depends_on(folder: Path, change: tuple[str, ...], *, used: bool) -> None:
    write(folder / ".waza.yaml", "cache: {enabled: true}\n")
    run()
    result = run(*change[1:])
    assert ("from earlier runs" in result.stderr) is used, change[0]


def test_the_cache_looks_at_skills_and_leaves_some_graders_alone(folder: Path) -> None:
    write(folder / "eval.yaml", EVAL.replace("executor: mock", "executor: mock, skill_directories: [s]"))
    write(folder / "s" / "SKILL.md", "---\nname: demo-skill\n---\nold\n")
    run("--cache")
    assert "2 unchanged" in run("--cache").stderr
    write(folder / "s" / "SKILL.md", "---\nname: demo-skill\n---\nnew\n")
    assert "unchanged" not in run("--cache").stderr
    write(
        folder / "eval.yaml",
        EVAL.replace(
            "type: text, name: answers, config: {contains: [mock response]}",
            "type: behavior, name: few, config: {max_tool_calls: 1}",
        ),
    )
    assert "The cache is off for this run" in run("--cache").stderr


def test_the_cache_has_nothing_of_another_agent(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, answer in (("good", "mock response"), ("bad", "no idea")):
        write(folder / name, f"#!/bin/sh\necho {answer}\n")
        (folder / name).chmod(0o755)
    monkeypatch.setenv("WAZA_LSP_AGENT_COMMAND", "./good")
    run("--executor", "command", "--cache")
    assert "2 unchanged" in run("--agent-command", "./good", "--cache").stderr
    other = run("--agent-command", "./bad", "--cache")
    assert ("unchanged" in other.stderr, other.exit_code) == (False, 1)
    write(folder / "good", "#!/bin/sh\necho no idea any more\n")
    edited = run("--executor", "command", "--cache")
    assert ("unchanged" in edited.stderr, edited.exit_code) == (False, 1)


def test_an_error_is_not_taken_from_the_cache(folder: Path) -> None:
    write(
        folder / "agent",
        "#!/bin/sh\n[ -e is-healthy ] || exit 1\necho mock response\n".replace("is-", f"{folder}/is-"),
    )
    (folder / "agent").chmod(0o755)
    agent = ("--executor", "command", "--agent-command", "./agent", "--cache")
    assert run(*agent).exit_code == 1
    write(folder / "is-healthy", "")
    mended = run(*agent)
    assert ("unchanged" in mended.stderr, mended.exit_code) == (False, 0)
    assert "2 unchanged" in run(*agent).stderr


def test_the_cache_looks_into_the_programs_of_graders(folder: Path) -> None:
    grader = "{type: program, name: own, config: {command: sh, args: [check.sh]}}"
    add_task(folder, "b", f"graders: [{grader}]")
    write(folder / "check.sh", "exit 0\n")
    run()
    assert "2 unchanged" in run("--cache").stderr
    write(folder / "check.sh", "exit 1\n")
    result = run("--cache")
    assert ("1 unchanged" in result.stderr, result.exit_code) == (True, 1)


def test_pages_to_look_at(folder: Path) -> None:
    run("--html", "one.html")
    add_task(folder, "b", "graders: [{type: text, name: polite, config: {contains: [please]}}]")
    run("--html", "two.html")
    assert "The last 2 runs" in (folder / "two.html").read_text()
    ids = [it["run_id"] for it in json.loads(invoke("runs", "list", "--format", "json").stdout)]
    assert invoke("compare", ids[1], "last", "--html", "deep/compared.html").exit_code == 0
    page = (folder / "deep" / "compared.html").read_text()
    assert "What differs" in page
    assert invoke("runs", "history", "--html", "history.html").exit_code == 0
    assert "The last 2 runs" in (folder / "history.html").read_text()
    assert invoke("compare", ids[1], "last", "--html", "tasks").exit_code == 2


def test_the_json_of_several_models_is_one_object() -> None:
    done = run("--model", "m1", "--model", "m2", "--format", "json", "--quiet")
    assert [it["config"]["model_id"] for it in json.loads(done.stdout)["runs"]] == ["m1", "m2"]
    assert (
        json.loads(run("--model", "m1", "--format", "json", "--quiet").stdout)["config"]["model_id"] == "m1"
    )


@pytest.mark.slow
def test_nobody_who_reads_the_json_of_several_models_changes_no_verdict(folder: Path) -> None:
    add_task(folder, "c", "expected: {output_contains: [never said]}")
    command = [sys.executable, "-P", "-m", "waza_lsp", "run", "eval.yaml", "--quiet", "--format", "json"]
    reader, writer = os.pipe()
    os.close(reader)
    try:
        done = subprocess.run([*command, "--model", "m1", "--model", "m2"], stdout=writer, check=False)
    finally:
        os.close(writer)
    assert done.returncode == 1


def test_runs_that_are_given_up_print_no_json(folder: Path) -> None:
    write(folder / "eval.yaml", EVAL.replace("skill:", "skills:"))
    done = run("--model", "m1", "--model", "m2", "--format", "json")
    assert (done.exit_code, done.stdout) == (2, "")


SLOW = "import time, sys; time.sleep(0.5); print('mock response')"


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_ctrl_c_on_a_terminal_keeps_what_is_finished_and_says_so(folder: Path) -> None:
    import pty

    write(folder / "agent.py", SLOW)
    command = f"{sys.executable} {folder / 'agent.py'}"
    arguments = ["run", "eval.yaml", "--trials", "50", "--executor", "command", "--agent-command", command]
    pid, terminal = pty.fork()
    if not pid:
        os.execv(sys.executable, [sys.executable, "-m", "waza_lsp", *arguments])  # noqa: S606  # our own program
    printed, deadline, is_interrupted = b"", time.monotonic() + 90, False
    while time.monotonic() < deadline:
        ready, _, _ = select.select([terminal], [], [], 0.2)
        try:
            chunk = os.read(terminal, 65536) if ready else None
        except OSError:
            break
        if chunk == b"":
            break
        printed += chunk or b""
        if b"1 passed" in printed and not is_interrupted:
            os.write(terminal, b"\x03")
            is_interrupted = True
    _, status = os.waitpid(pid, 0)
    os.close(terminal)
    told = printed.decode()
    assert os.waitstatus_to_exitcode(status) == 130, told
    assert re.search(
        r"Cancelled: \d+ finished trials? kept. Resume with: waza-lsp run eval.yaml --resume", told
    )
    assert "Traceback" not in told
    with RunStore(folder / ".waza-lsp") as store:
        [only] = store.runs()
        assert (only.status, len(store.trials(only.run_id)) >= 1) == ("cancelled", True)
        assert only.frame.overrides.agent_command == command


def test_an_interrupt_before_the_run_has_its_own_word(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("waza_lsp.cli.run.request.load_suite", interrupted)
    result = run()
    assert (result.exit_code, result.stderr) == (130, "Cancelled before the run began.\n")
    assert signal.getsignal(signal.SIGINT) is not None


def test_the_eval_is_read_and_parsed_once(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder / ".waza.yaml", "paths: {results: out}\n")
    read: list[Path] = []
    parsed: list[str] = []

    def read_bytes(path: Path, limit: int) -> bytes:
        read.append(path)
        return regular_bytes(path, limit)

    def parse(text: str) -> YamlDocument:
        parsed.append(text)
        return read_document(text)

    monkeypatch.setattr("waza_engine.project.reading.regular_bytes", read_bytes)
    monkeypatch.setattr("waza_engine.project.reading.read_document", parse)
    assert run("--model", "one", "--model", "two").exit_code == 0
    assert read.count(folder / "eval.yaml") == 1
    assert parsed.count((folder / "eval.yaml").read_text(encoding="utf-8")) == 1
    assert {it.name for it in (folder / "out").rglob("*.json")} == {"one.json", "two.json"}
