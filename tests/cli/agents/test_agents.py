"""`waza-lsp agents` adds our entries to the files of agents, after showing them, and removes nothing but these."""

import json
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result

from waza_lsp.cli import main

LSP = ".github/lsp.json"
MCP = ".github/mcp.json"
PLUGIN = ".claude/skills/waza-lsp/.claude-plugin/plugin.json"
USERS = '{\n  // Ours: do not touch.\n  "lspServers": {\n    "go": {"command": "gopls"}, // fast\n  },\n}\n'


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "project"
    (folder / ".git").mkdir(parents=True)
    monkeypatch.chdir(folder)
    return folder


def agents(*arguments: str, answer: str = "") -> Result:
    return CliRunner().invoke(main, ["agents", *arguments], input=answer)


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())


def files(folder: Path) -> dict[str, bytes]:
    return {
        it.relative_to(folder).as_posix(): it.read_bytes()
        for it in folder.rglob("*")
        if it.is_file() and ".git/" not in it.as_posix()
    }


def test_the_changes_are_only_shown_without_a_terminal(project: Path) -> None:
    done = agents("install")
    assert done.exit_code == 0
    assert "--- /dev/null\n+++ .github/lsp.json\n" in done.output
    assert '+        ".yml": "yaml"\n' in done.output
    assert "Nothing was changed. Add --yes to change these 3 files.\n" in done.output
    assert files(project) == {}


@pytest.mark.parametrize(("answer", "count"), [("y\n", 3), ("n\n", 0), ("\n", 0)])
def test_a_person_is_asked(answer: str, count: int, project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("waza_lsp.cli.agents.command._is_terminal", lambda: True)
    done = agents("install", answer=answer)
    assert "Change these 3 files? [y/N]" in done.output
    assert len(files(project)) == count


def test_what_agents_read_is_written_and_removed_again(project: Path) -> None:
    agents("install", "--yes")
    lsp, mcp = (json.loads((project / it).read_text()) for it in (LSP, MCP))
    assert lsp["lspServers"]["waza-lsp"] == {
        "command": "waza-lsp",
        "args": ["serve"],
        "fileExtensions": {".yaml": "yaml", ".yml": "yaml"},
    }
    assert mcp["mcpServers"]["waza-lsp"] == {"command": "waza-lsp", "args": ["mcp"], "tools": ["*"]}
    plugin = json.loads((project / PLUGIN).read_text())
    assert plugin["lspServers"]["waza-lsp"]["extensionToLanguage"] == {".yaml": "yaml", ".yml": "yaml"}
    again = agents("install", "--yes")
    assert again.stdout.splitlines() == [f"{it}: already done." for it in (LSP, MCP, PLUGIN)]
    done = agents("remove", "--yes")
    assert done.output.endswith(f"Removed {LSP}.\nRemoved {MCP}.\nRemoved {PLUGIN}.\n")
    assert [it.name for it in project.iterdir()] == [".git"]
    assert agents("remove", "--yes").output.splitlines()[0] == f"{LSP}: nothing to remove."


def test_only_the_named_agent_is_configured(project: Path) -> None:
    agents("install", "--yes", "--for", "claude")
    assert list(files(project)) == [PLUGIN]
    agents("install", "--yes")
    agents("remove", "--yes", "--for", "claude")
    assert sorted(files(project)) == [LSP, MCP]


@pytest.mark.parametrize(
    "text", [USERS, USERS.replace("\n", "\r\n"), f"\ufeff{USERS}", '{"theme": "dark"}', "{}"]
)
def test_a_users_file_keeps_everything_else(text: str, project: Path) -> None:
    write(project / LSP, text)
    agents("install", "--yes")
    after = (project / LSP).read_bytes().decode()
    assert '"waza-lsp"' in after
    for line in text.strip("\ufeff{}\r\n").splitlines():
        assert line in after
    agents("remove", "--yes")
    assert (project / LSP).read_bytes().decode() == text


def test_what_the_user_changed_stays(project: Path) -> None:
    agents("install", "--yes")
    changed = (project / LSP).read_text().replace('"serve"', '"serve", "--verbose"')
    write(project / LSP, changed)
    again = agents("install", "--yes")
    assert f"{LSP}: 'lspServers.waza-lsp' exists and is different. It stays as it is.\n" in again.output
    done = agents("remove", "--yes")
    assert f"{LSP}: 'lspServers.waza-lsp' was changed since. Remove it yourself.\n" in done.output
    assert files(project) == {LSP: changed.encode()}


def test_files_beside_ours_stay(project: Path) -> None:
    agents("install", "--yes")
    write(project / ".claude/skills/waza-lsp/SKILL.md", "mine")
    write(project / ".github/workflows/ci.yml", "on: push")
    agents("remove", "--yes")
    assert sorted(files(project)) == [".claude/skills/waza-lsp/SKILL.md", ".github/workflows/ci.yml"]


def test_another_program_can_be_named(project: Path) -> None:
    agents("install", "--yes", "--command", "/opt/waza/bin/waza-lsp")
    assert json.loads((project / LSP).read_text())["lspServers"]["waza-lsp"]["command"].startswith("/opt")
    agents("remove", "--yes")
    assert files(project) == {}


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ('{\n  "lspServers": {\n}', "error: .github/lsp.json, line 3: ',' or '}' is missing."),
        ("[]", "an object is needed to hold 'lspServers'"),
        ('{"lspServers": 3}', "an object is needed to hold 'waza-lsp'"),
        ('{"lspServers": {"\x1b[31m": }}', "line 1"),
    ],
)
@pytest.mark.parametrize("command", ["install", "remove"])
def test_broken_files_are_reported_and_nothing_is_written(
    command: str, text: str, problem: str, project: Path
) -> None:
    write(project / LSP, text)
    done = agents(command, "--yes")
    assert done.exit_code == 2
    assert problem in done.output
    assert "Correct it first. Nothing was changed.\n" in done.output
    assert "\x1b" not in done.output
    assert files(project) == {LSP: text.encode()}


def test_a_file_that_is_not_text_stays(project: Path) -> None:
    (project / ".github").mkdir()
    (project / LSP).write_bytes(b"\xff\xfe{}")
    done = agents("install", "--yes")
    assert (done.exit_code, "is not UTF-8" in done.output) == (2, True)
    assert (project / LSP).read_bytes() == b"\xff\xfe{}"


@pytest.mark.parametrize("name", [".github", LSP, ".claude", ".claude/skills"])
@pytest.mark.parametrize("exists", [True, False])
def test_no_link_is_followed_out_of_the_project(
    name: str, exists: bool, project: Path, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    link = project / name
    link.parent.mkdir(parents=True, exist_ok=True)
    target = outside / link.name
    outside.mkdir()
    if exists and name == LSP:
        target.write_text("{}")
    elif exists:
        target.mkdir()
    link.symlink_to(target)
    before = files(outside)
    done = agents("install", "--yes")
    assert done.exit_code == 2
    assert "leads out of" in done.output
    assert files(outside) == before
    assert [it.name for it in project.rglob("*.json") if not it.is_symlink()] == []


def test_a_link_in_the_project_stays_a_link(project: Path) -> None:
    write(project / "config" / "lsp.json", "{}\n")
    (project / ".github").mkdir()
    (project / LSP).symlink_to("../config/lsp.json")
    agents("install", "--yes")
    assert (project / LSP).is_symlink()
    assert "waza-lsp" in (project / "config" / "lsp.json").read_text()
    agents("remove", "--yes")
    assert (project / LSP).is_symlink()
    assert (project / "config" / "lsp.json").read_text() == "{}\n"


def test_a_file_that_changed_after_the_question_is_not_overwritten(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def answer(_: str) -> bool:
        write(project / LSP, USERS)
        return True

    monkeypatch.setattr("waza_lsp.cli.agents.command._is_terminal", lambda: True)
    monkeypatch.setattr(click, "confirm", answer)
    done = agents("install")
    assert done.exit_code == 2
    assert f"error: {LSP} has changed in the meantime. Try again.\n" in done.output
    assert (project / LSP).read_text() == USERS


def test_agents_read_the_root_of_the_repository(project: Path) -> None:
    (project / "evals").mkdir()
    done = agents("install", "--folder", "evals")
    assert f"agents read these files in the root of a repository, which is {project}" in done.output


def test_a_program_that_agents_cannot_find_is_noted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    assert "'waza-lsp' is not on PATH" in agents("install").output
    assert "not on PATH" not in agents("install", "--command", "/x/waza-lsp").output
