"""A settings file whose sandbox cannot be read: no run starts without one."""

import os
from pathlib import Path

import pytest
from click.testing import CliRunner

from waza_engine.project.settings import read_project
from waza_lsp.cli import main

EVAL = """\
name: n
skill: s
config: {trials_per_task: 1, timeout_seconds: 5, executor: command, model: m}
tasks: [t.yaml]
"""


@pytest.fixture(autouse=True)
def suite(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "eval.yaml").write_text(EVAL, encoding="utf-8")
    (tmp_path / "t.yaml").write_text(
        "id: t\nname: t\ninputs: {prompt: hello}\ngraders: [{type: text, name: g, config: {contains: [a]}}]\n",
        encoding="utf-8",
    )
    return tmp_path


REFUSED = [
    (".waza-lsp.toml", "[sandbox\nkind = 'bwrap'\n"),
    (".waza-lsp.toml", "[sandbox]\nkind = 'bwarp'\n"),
    (".waza-lsp.toml", "[sandbox]\nknd = 'bwrap'\n"),
    (".waza-lsp.toml", "[sandbox]\nkind = 'bwrap'\nnetwrk = false\n"),
    (".waza-lsp.toml", "[sandbx]\nkind = 'bwrap'\n"),
    (".waza-lsp.toml", "sandbox = 'bwarp'\n"),
    (".waza-lsp.toml", "sandbox = 3\n"),
    (".waza-lsp.toml", b"\xff\xfe[\0s\0"),
    (".waza-lsp.toml", "# caf\u00e9\n[sandbox]\nkind = 'bwrap'\n".encode("latin-1")),
    ("pyproject.toml", "[tool.waza-lsp.sandbox]\nkind = 'bwrap'\nx\n"),
    ("pyproject.toml", "[tool.waza-lsp.sandbx]\nkind = 'bwrap'\n"),
]


@pytest.mark.parametrize(("name", "text"), REFUSED)
def test_a_run_refuses(suite: Path, name: str, text: str | bytes) -> None:
    (suite / name).write_bytes(text if isinstance(text, bytes) else text.encode())
    started = suite / "started"
    result = CliRunner().invoke(main, ["run", "eval.yaml", "--agent-command", f"touch {started}"])
    assert result.exit_code == 2, result.output
    assert "sandbox" in result.output
    assert not started.exists()
    found = read_project(suite / name)
    assert found is not None
    assert any(it.is_refused for it in found.problems)


def test_a_sandbox_of_the_command_line_is_enough(suite: Path) -> None:
    (suite / ".waza-lsp.toml").write_text("rules = {\n", encoding="utf-8")
    started = suite / "started"
    command = ["run", "eval.yaml", "--agent-command", f"touch {started}", "--sandbox", "none"]
    assert CliRunner().invoke(main, command).exit_code == 1
    assert started.exists()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("pyproject.toml", "[project\n"),
        (".waza-lsp.toml", "\ufeff[rules]\r\n"),
        (".waza-lsp.toml", "rule = 1\n"),
        (".waza-lsp.toml", "[sandbox]\nkind = 'none'\n"),
    ],
)
def test_other_files_and_mistakes_refuse_nothing(suite: Path, name: str, text: str) -> None:
    (suite / name).write_text(text, encoding="utf-8", newline="")
    found = read_project(suite / name)
    assert found is None or not (found.sandbox and found.sandbox.confines)


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
def test_a_file_that_may_not_be_read_refuses(suite: Path) -> None:
    (suite / ".waza-lsp.toml").touch(0o000)
    result = CliRunner().invoke(main, ["run", "eval.yaml", "--agent-command", "true"])
    assert result.exit_code == 2
