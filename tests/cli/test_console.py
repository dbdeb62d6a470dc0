"""What all commands have in common: Ctrl-C, what they print, an address that cannot be listened on."""

import io
import json
import os
import socket
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import pytest
from click.testing import CliRunner, Result

from waza_engine.reports.inert import harmless, inert
from waza_lsp import __main__ as program
from waza_lsp.cli import main
from waza_lsp.cli.console import EXIT_ERROR, Counter, may_colour, may_link, show, show_chunks


def invoke(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments)


def test_ctrl_c_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("waza_lsp.cli.check.start.find_sources", interrupted)
    done = invoke("check")
    assert (done.exit_code, done.stderr) == (130, "Cancelled.\n")
    monkeypatch.setattr(sys, "argv", ["waza-lsp", "check"])
    monkeypatch.setattr("waza_lsp.cli.main", interrupted)
    with pytest.raises(SystemExit) as ended:
        program.main()
    assert ended.value.code == 130


def test_ctrl_c_before_the_command_is_there_is_no_verdict(monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted() -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("waza_lsp.cli.console.without_tracebacks", interrupted)
    done = invoke("check")
    assert (done.exit_code, done.output) == (130, "")


def test_the_installed_script_imports_next_to_nothing_before_it_is_guarded() -> None:
    code = (
        "import sys; before = set(sys.modules); import waza_lsp.__main__;"
        " print(sorted(set(sys.modules) - before))"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['waza_lsp', 'waza_lsp.__main__']"
    pyproject = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))
    assert pyproject["project"]["scripts"] == {"waza-lsp": "waza_lsp.__main__:main"}


@pytest.mark.parametrize("port", ["65536", "99999", "x", "\u00b2", "-1", "", "1" * 5000])
def test_a_port_that_there_is_not(port: str) -> None:
    done = invoke("serve", "--tcp", f"127.0.0.1:{port}")
    assert (done.exit_code, "--tcp needs HOST:PORT" in done.stderr) == (2, True)


@pytest.fixture
def taken_port() -> Iterator[int]:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        yield taken.getsockname()[1]


def test_an_address_that_cannot_be_listened_on(taken_port: int, tmp_path: Path) -> None:
    log = str(tmp_path / "log")
    for address in (f"127.0.0.1:{taken_port}", "a..b:1"):
        done = invoke("serve", "--tcp", address, "--log-file", log)
        assert done.exit_code == EXIT_ERROR
        assert done.stderr.startswith(f"error: Cannot listen on {address}: ")


def test_nothing_printed_is_obeyed() -> None:
    nasty = "a\x1b[2J\x9b\x7f\u202e\ud800\r\n \t::set-output name=a::b\n##[error]c ##VSO[task.x]d ## [e] C::D"
    told = (
        "a\\u001b[2J\\u009b\\u007f\\u202e\\ud800\\r\\n \\t::set-output name=a::b\\n"
        "\\u0023#[error]c \\u0023#VSO[task.x]d ## [e] C::D"
    )
    assert harmless(nasty) == told
    assert harmless(" ::error::x") == " \\u003a:error::x"
    assert inert("x\n ::error::x\n\ty") == "x\n \\u003a:error::x\n\ty"
    text = json.dumps([nasty, "\\\x9b", "##[a]"], ensure_ascii=False)
    assert json.loads(inert(text)) == json.loads(text)


def test_colours_are_for_terminals_whose_user_wants_them(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.StringIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.delenv("NO_COLOR", raising=False)
    assert (may_colour(Terminal()), may_colour(io.StringIO())) == (True, False)
    monkeypatch.setenv("NO_COLOR", "1")
    assert not may_colour(Terminal())
    for name in ("TERM", "TERM_PROGRAM", "VTE_VERSION", "FORCE_HYPERLINK", "WT_SESSION", "KONSOLE_VERSION"):
        monkeypatch.delenv(name, raising=False)
    assert not may_link(Terminal())
    monkeypatch.setenv("VTE_VERSION", "4999")
    assert not may_link(Terminal())
    monkeypatch.setenv("VTE_VERSION", "7600")
    assert (may_link(Terminal()), may_link(io.StringIO())) == (True, False)
    monkeypatch.setenv("TERM", "dumb")
    assert not may_link(Terminal())


@pytest.fixture
def circles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A suite with links among its files that lead nowhere."""
    (tmp_path / "eval.yaml").write_text(EVAL, encoding="utf-8")
    (tmp_path / "tasks").mkdir()
    (tmp_path / "tasks" / "a.yaml").write_text("id: a\ninputs: {prompt: hello}\n", encoding="utf-8")
    (tmp_path / "fixtures").mkdir()
    for name in ("circle", "circle.eval.yaml", "fixtures/circle", "tasks/circle"):
        (tmp_path / name).symlink_to(Path(name).name)
    (tmp_path / "through").symlink_to("eval.yaml/below")
    monkeypatch.chdir(tmp_path)
    return tmp_path


EVAL = """
name: demo
skill: demo-skill
config: {trials_per_task: 1, timeout_seconds: 30, executor: mock, model: m}
graders: [{type: text, name: answers, config: {contains: [mock response]}}]
tasks: [tasks/*.yaml]
"""


@pytest.mark.usefixtures("circles")
def test_commands_that_look_through_folders_pass_circles_over() -> None:
    checked = invoke("check", ".")
    assert checked.exit_code == 1
    assert "circle.eval.yaml:1:1: error[unreadable-file] Cannot be read: Too many levels" in checked.stdout
    assert "3 eval files checked: 1 error" in checked.stdout
    for arguments in (("check", "--diff"), ("run", "eval.yaml"), ("runs", "list"), ("report",)):
        done = invoke(*arguments)
        assert (done.exit_code, done.exception) == (0, None) or isinstance(done.exception, SystemExit)
        assert done.exit_code == 0, done.output


@pytest.mark.usefixtures("circles")
@pytest.mark.parametrize(
    "command", ["check", "run", "runs list", "runs history", "convert --to vally", "merge"]
)
def test_a_circle_that_is_named_is_told(command: str) -> None:
    for name in ("circle.eval.yaml", "circle"):
        done = invoke(*command.split(), name)
        assert isinstance(done.exception, SystemExit)
        assert done.exit_code == (1 if command == "check" else 2), done.output


def test_what_a_command_compiled_of_its_own_is_kept_and_nothing_of_the_user(tmp_path: Path) -> None:
    graders, context = tmp_path / "graders.yaml", tmp_path / "context.json"
    graders.write_text("- {type: regex, name: g, config: {must_match: [ab+marker]}}\n", encoding="utf-8")
    context.write_text('{"output": "abbmarker"}', encoding="utf-8")
    given = ("--graders", str(graders), "--context", str(context), "--gen", "PY")
    variables = {key: it for key, it in os.environ.items() if key != "PYTHONDONTWRITEBYTECODE"}
    variables |= {"XDG_CACHE_HOME": str(tmp_path), "LOCALAPPDATA": str(tmp_path)}
    written = []
    for _ in range(2):
        command = [sys.executable, "-m", "waza_lsp", "grade", *given]
        subprocess.run(command, env=variables, check=True, capture_output=True)
        [kept] = (tmp_path / "waza-lsp").iterdir()
        written.append((kept.name.partition("-")[0], kept.stat().st_mtime_ns))
        data = kept.read_bytes()
        assert b"__init__" in data
        assert b"marker" not in data
    assert written[0] == written[1], "it was worth writing only once"


@pytest.mark.parametrize("block", [1, 2, 7, 1 << 16])
@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "\n",
            "a",
            "a\n\n",
            "::x::\n",
            "a\n::x::\n  :: y",
            "b##[g]\n#\n#[",
            "a\x1b[0m\r\n::b",
            "\n\n\n::",
        ),
        "one\ntwo ##vso[x]\n\nthree\n",
    ],
)
def test_a_text_in_chunks_is_printed_as_one(
    text: str, block: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("waza_lsp.cli.console._BLOCK", block)
    show(text.rstrip("\n"))
    whole = capsys.readouterr().out
    for size in (1, 2, 3, 50):
        show_chunks(text[it : it + size] for it in range(0, len(text), size))
        assert capsys.readouterr().out == whole


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(("stream", "quiet"), [(io.StringIO(), False), (_Terminal(), True)])
def test_progress_is_only_for_people(
    stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, *, quiet: bool
) -> None:
    monkeypatch.setattr("waza_lsp.cli.console._PATIENCE_SECONDS", 0)
    with Counter(stream, "files checked", quiet=quiet) as counter:
        assert list(counter.each("ab")) == ["a", "b"]
    assert stream.getvalue() == ""


def test_progress_waits_a_second_and_leaves_no_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    clock = iter([0.0, 0.5, 1.0, 1.05, 1.2])
    monkeypatch.setattr("waza_lsp.cli.console.time", SimpleNamespace(monotonic=lambda: next(clock)))
    terminal = _Terminal()
    with Counter(terminal, "files checked") as counter:
        assert list(counter.each("abcd")) == [*"abcd"]
    assert terminal.getvalue().split("\r\x1b[K") == ["", "1 files checked", "3 files checked", ""]


@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        (["grade", "eval.yaml"], "(eval.yaml). Grade the last run with: waza-lsp grade --run last"),
        (["runs", "list", "--limt", "3"], "No such option '--limt'. Did you mean '--limit'?"),
        (["chek"], "No such command 'chek'. Did you mean 'check'?"),
        (["new", "evla", "notes"], "No such command 'evla'. Did you mean 'eval'?"),
        (["completion"], "Missing argument 'SHELL'. Choose from: bash, zsh, fish"),
        (["report", "--junit", "-"], "'-' is not a file name"),
        (["runs", "lst"], "No such command 'lst'. Did you mean 'list'?"),
        (["check", "--format", "jsn"], "Did you mean 'json'?"),
        (["schema", "show", "evl"], "Did you mean 'eval'? List all names with: waza-lsp schema list"),
    ],
)
def test_all_commands_report_errors_in_one_form(arguments: list[str], error: str) -> None:
    done = invoke(*arguments)
    first, second = done.stderr.splitlines()
    assert (done.exit_code, done.stdout, first.startswith("error: ")) == (2, "", True)
    assert error in first
    assert second.startswith("Try 'main ")
