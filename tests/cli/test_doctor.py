"""`waza-lsp doctor`: facts about this machine and project, without secrets, and nothing is written."""

import json
import sqlite3
import sys
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from waza_engine.executors.needs import NEEDS, readiness
from waza_engine.executors.registry import built_in_executors
from waza_engine.runs.store.store import RunStore
from waza_engine.version import __version__
from waza_lsp.cli import main
from waza_lsp.cli.doctor.queries import EDITS

KEY = "sk-abcdefghijklmnop1234567890"


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project in an environment without agents, judges and editors."""
    for name in (
        "OPENAI_BASE_URL",
        "AZURE_OPENAI_ENDPOINT",
        "COPILOT_CLI_PATH",
        "WAZA_LSP_SERVER",
        "WAZA_LSP_SANDBOX",
    ):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("OPENAI_API_KEY", KEY)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("USERPROFILE", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(tmp_path / "programs"))
    project = tmp_path / "project"
    (project / ".git").mkdir(parents=True)
    monkeypatch.chdir(project)
    return tmp_path


def told() -> dict[str, dict[str, Any]]:
    done = CliRunner().invoke(main, ["doctor", "--json"])
    found: dict[str, dict[str, Any]] = json.loads(done.stdout)
    is_broken = any(it["status"] == "problem" for rows in found.values() for it in rows.values())
    assert done.exit_code == (1 if is_broken else 0)
    return found


def test_each_executor_says_what_it_needs() -> None:
    assert sorted(NEEDS) == sorted(built_in_executors())


def test_a_new_machine(folder: Path) -> None:
    found = told()
    assert found["waza-lsp"]["version"]["value"] == __version__
    assert found["waza-lsp"]["Python"]["value"].startswith(sys.version.split()[0])
    assert {name: it["status"] for name, it in found["executors"].items()} == {
        "acp": "missing",
        "command": "missing",
        "copilot-sdk": "missing",
        "mock": "ok",
        "replay": "ok",
    }
    assert found["judges"]["endpoint"] == {"status": "ok", "value": "set: OPENAI_API_KEY"}
    assert found["run store"]["store"]["value"].startswith("none yet in ")
    assert found["project"]["settings"]["value"].startswith("none")
    assert found["editor"]["extension"]["value"].startswith("none")
    # Only the cache of every command.
    assert [it for it in folder.rglob("*") if it.is_file() and it.suffix != ".marshal"] == []


def test_what_is_found(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    programs = folder / "programs"
    programs.mkdir()
    for name in ("claude", "copilot"):
        (programs / name).write_text("#!/bin/sh\n")
        (programs / name).chmod(0o755)
    if sys.platform != "win32":
        monkeypatch.setitem(sys.modules, "copilot", sys)
        monkeypatch.setattr("waza_engine.executors.needs.find_spec", lambda name: name)
        assert readiness("command", {"PATH": str(programs)}).found == "agents on the PATH: claude, copilot"
        assert told()["executors"]["copilot-sdk"]["status"] == "ok"
    Path(".waza-lsp.toml").write_text('target = "0.34"\n[rules]\ncannot-fail = "off"\n', encoding="utf-8")
    Path("package.json").write_text('{"dependencies": {"@microsoft/vally": "0.17.0"}}', encoding="utf-8")
    Path(".vally.yaml").write_text("", encoding="utf-8")
    (folder / "home/.vscode/extensions/waza-lsp.waza-lsp-1.0.0").mkdir(parents=True)
    RunStore(Path(".waza-lsp")).close()
    found = told()
    assert found["project"]["waza version"]["value"].startswith("0.34, from ")
    assert found["project"]["vally"]["value"].startswith("project file ")
    assert ", 1 levels" in found["project"]["settings"]["value"]
    assert "0 runs" in found["run store"]["store"]["value"]
    assert found["editor"]["extension"]["value"] == "waza-lsp.waza-lsp-1.0.0 in ~/.vscode/extensions".replace(
        "/", "\\" if sys.platform == "win32" else "/"
    )


def test_what_is_broken() -> None:
    Path(".waza-lsp.toml").write_text("target = \n", encoding="utf-8")
    Path(".waza-lsp").mkdir()
    with sqlite3.connect(".waza-lsp/runs.sqlite3") as sql:
        sql.execute("CREATE TABLE other (x)")
    sql.close()
    found = told()
    assert found["run store"]["store"]["status"] == "problem"
    assert "cannot be read" in found["run store"]["store"]["value"]
    assert found["project"]["settings"]["status"] == "problem"


def test_no_key_and_no_home_is_shown(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAZA_LSP_SERVER", f"/opt/{KEY}/server")
    monkeypatch.chdir(folder / "project")
    (folder / "home").mkdir()
    monkeypatch.chdir(folder / "home")
    text = CliRunner().invoke(main, ["doctor"]).stdout
    assert KEY not in text
    assert str(folder / "home") not in text
    assert "~" in text
    assert all(len(it) <= 100 for it in text.splitlines() if " " in it.strip().partition("  ")[2].strip())


def test_a_terminal_gets_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("waza_lsp.cli.doctor.command.may_colour", lambda _: True)
    text = CliRunner().invoke(main, ["doctor"], color=True).output
    assert text.startswith("\x1b[1mwaza-lsp\x1b[0m\n")
    assert "\\u001b" not in text


EVAL = "name: n\nstimuli:\n  - name: a\n    prompt: p\n    graders:\n      - {type: completed}\n"


def test_queries_of_a_file_tell_what_edits_compute_again(folder: Path) -> None:
    path = folder / "project" / "eval.yaml"
    path.write_text(EVAL)
    done = CliRunner().invoke(main, ["doctor", "--queries", str(path), "--json"])
    rows = {it["name"].rpartition(".")[2]: it for it in json.loads(done.stdout)}
    assert rows["_nearest"]["opening"]["computed"] > 0
    assert (rows["_nearest"]["edits"]["calls"], rows["_nearest"]["edits"]["computed"]) == (EDITS, 0)
    assert rows["_nearest"]["kept"] > 0
    table = CliRunner().invoke(main, ["doctor", "--queries", str(path)]).stdout
    assert "settings._nearest" in table
    assert path.read_text() == EVAL


@pytest.mark.parametrize(
    ("name", "content", "says"),
    [
        ("missing.yaml", None, "No such file"),
        ("notes.yaml", b"a: b\n", "it is no file of evals"),
        ("eval.yaml", b"\xff", "can't decode"),
    ],
)
def test_queries_of_what_is_no_eval(folder: Path, name: str, content: bytes | None, says: str) -> None:
    if content is not None:
        (folder / name).write_bytes(content)
    done = CliRunner().invoke(main, ["doctor", "--queries", str(folder / name)])
    assert done.exit_code == 2
    assert says in done.stderr
