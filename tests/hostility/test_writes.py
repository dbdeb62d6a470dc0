"""Writing never follows a link of somebody else out of the workspace."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.hostility.bait import CANARY, COMMAND, Victim
from tests.hostility.test_foreign_files import bounded
from tests.slow import first_quick
from waza_engine.lib.files.safe_write import open_own, replace_inside, write_text_atomic
from waza_engine.model.suite import InputFile
from waza_engine.runs.trial.workspace import (
    WorkspaceError,
    delete_files,
    make_workspace,
    remove_workspace,
    write_files,
)
from waza_lsp.server.startup.main import _log_file

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs links")


@pytest.mark.parametrize(
    "option",
    first_quick(
        ["--html out", "--output out", "--junit out", "--output out.jsonl", "--github-summary out"], 1
    ),
)
def test_a_report_is_not_written_through_a_link_out_of_the_workspace(option: str, victim: Victim) -> None:
    """Class: links of a repository in the place of files that we write."""
    (victim.workspace / option.split()[1]).symlink_to(victim.outside)
    bounded(victim, "run", "eval.yaml", *option.split())
    assert victim.is_unharmed()


@pytest.mark.parametrize(
    "option", first_quick(["--record", "--transcript-dir", "--output-dir", "--store"], 1)
)
def test_a_folder_of_reports_is_no_link_out_of_the_workspace(option: str, victim: Victim) -> None:
    """Class: links of a repository in the place of folders that we write into."""
    (victim.workspace / "out").symlink_to(victim.outside.parent)
    bounded(victim, "run", "eval.yaml", option, "out")
    if option != "--store":  # The user may name any folder of their own as a store.
        assert victim.is_unharmed()


@pytest.mark.parametrize("name", first_quick([".gitignore", "logs", "reviews.jsonl"], 1))
def test_files_beside_the_store_are_no_links(name: str, victim: Victim) -> None:
    """Class: links of a repository in the place of files that we write."""
    folder = victim.workspace / ".waza-lsp"
    folder.mkdir()
    target = victim.outside.parent if name == "logs" else victim.outside
    (folder / name).symlink_to(target)
    bounded(victim, "run", "eval.yaml")
    assert victim.is_unharmed()


@pytest.mark.parametrize("command", first_quick(["check --fix", "convert eval.yaml --to vally --out out"], 1))
def test_nothing_is_mended_or_converted_through_a_link(command: str, victim: Victim) -> None:
    """Class: links of a repository in the place of files that we write."""
    (victim.workspace / "out").symlink_to(victim.outside.parent)
    text = victim.eval_file.read_text(encoding="utf-8").replace(
        "executor: mock", "executor: 'mock'\n  engine: mock"
    )
    target = victim.workspace.parent / "elsewhere.yaml"
    target.write_text(text, encoding="utf-8")
    victim.eval_file.unlink()
    victim.eval_file.symlink_to(target)
    bounded(victim, *command.split())
    assert victim.is_unharmed()
    assert target.read_text(encoding="utf-8") == text


def test_a_report_of_the_server_replaces_a_link(victim: Victim) -> None:
    """Class: `reports/<run>.html` as a link. The link goes, its target stays."""
    folder = victim.workspace / ".waza-lsp"
    (folder / "reports").mkdir(parents=True)
    link = folder / "reports" / "x.html"
    link.symlink_to(victim.outside)
    replace_inside(link, folder, ["report"])
    assert link.read_text(encoding="utf-8") == "report"
    assert not link.is_symlink()
    link.unlink()
    link.parent.rmdir()
    link.parent.symlink_to(victim.outside.parent)
    with pytest.raises(OSError, match="leads out"):
        replace_inside(link, folder, ["report"])
    assert victim.is_unharmed()


def test_inputs_are_not_written_through_links_in_the_workspace_of_an_agent(victim: Victim) -> None:
    """Class: links that a cloned repository or an agent left."""
    workspace = make_workspace([InputFile("a.txt", b"a")])
    try:
        (workspace / "file").symlink_to(victim.outside)
        (workspace / "folder").symlink_to(victim.outside.parent)
        for target in ("file", "folder/secret.txt", "folder/new.txt", "folder/new/new.txt"):
            with pytest.raises(WorkspaceError, match="link"):
                write_files(workspace, [(target, b"x")])
        delete_files(workspace, ["folder/secret.txt"])
    finally:
        remove_workspace(workspace)
    assert victim.is_unharmed()


def test_own_files_are_neither_links_nor_pipes(victim: Victim) -> None:
    """Class: links and pipes in the place of files that we append to."""
    link, pipe = victim.workspace / "link", victim.workspace / "pipe"
    link.symlink_to(victim.outside)
    os.mkfifo(pipe)
    for path in (link, pipe):
        for append in (False, True):
            with pytest.raises(OSError, match=r"link|regular|argument"):
                open_own(path, append=append)
    assert victim.is_unharmed()


def test_the_user_may_name_a_file_anywhere(victim: Victim, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(victim.workspace)
    report = victim.workspace.parent / "report.html"
    write_text_atomic(report, ["x"])
    (victim.workspace / "inner").symlink_to(victim.workspace / "target")
    write_text_atomic(Path("inner"), ["y"])
    assert (victim.workspace / "target").read_text(encoding="utf-8") == "y"


def test_the_log_is_the_users_own(victim: Victim, monkeypatch: pytest.MonkeyPatch) -> None:
    """Class: shared names in the temporary folder."""
    state = victim.workspace.parent / "state"
    monkeypatch.setenv("XDG_STATE_HOME", str(state))
    path = _log_file()
    assert path is not None
    assert path.parent.stat().st_mode & 0o077 == 0
    path.parent.rmdir()
    path.parent.symlink_to(victim.outside.parent)
    assert _log_file() is None


@pytest.mark.slow
def test_the_server_writes_nothing_into_the_temporary_folder(victim: Victim) -> None:
    """Class: shared names in the temporary folder."""
    shared = victim.workspace.parent / "shared"
    shared.mkdir()
    (shared / "waza-lsp.log").symlink_to(victim.outside)
    environment = {**os.environ, "TMPDIR": str(shared), "XDG_STATE_HOME": str(victim.workspace.parent / "s")}
    subprocess.run(
        [*COMMAND, "serve"], input=b"Content-Length: 1\r\n\r\nx", env=environment, timeout=30, check=False
    )
    assert victim.outside.read_text(encoding="utf-8") == CANARY
    assert [it.name for it in shared.iterdir()] == ["waza-lsp.log"]
