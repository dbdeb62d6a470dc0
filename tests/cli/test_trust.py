"""`waza-lsp trust`: what it adds is trusted by the server, and nothing else."""

import os
from pathlib import Path

import pytest

from tests.server.test_trust import Editor, trust_of
from waza_lsp.cli import main


def run(*arguments: str) -> int:
    with pytest.raises(SystemExit) as ended:
        main(["trust", *arguments])
    return int(ended.value.code or 0)


@pytest.fixture(autouse=True)
def _state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))


def test_folders_are_added_listed_and_removed(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one, other, below = (
        tmp_path / "one",
        tmp_path / "\N{GREEK SMALL LETTER ALPHA} b",
        tmp_path / "one" / "below",
    )
    for it in (one, other, below):
        it.mkdir()
    link = tmp_path / "link"
    link.symlink_to(other)
    assert run("list") == 0
    assert capsys.readouterr() == ("", "No folder is trusted\n")
    assert run("add", str(one)) == 0
    assert run("add", str(one)) == 0
    assert run("add", os.path.relpath(link)) == 0, "by its real path"
    assert capsys.readouterr().out.splitlines()[-1] == f"Trusted: {other}"
    assert run("list") == 0
    assert capsys.readouterr().out.splitlines() == [str(one), str(other)]

    assert trust_of(Editor([one], None)).is_granted(one / "eval.yaml")
    assert not trust_of(Editor([tmp_path], None)).is_granted(one / "eval.yaml")
    assert not trust_of(Editor([below], None)).is_granted(below / "eval.yaml")

    assert run("remove", str(one)) == 0
    assert not trust_of(Editor([one], None)).is_granted(one / "eval.yaml")
    assert run("list") == 0
    assert capsys.readouterr().out.splitlines() == [f"No longer trusted: {one}", str(other)]


def test_what_cannot_be_done_is_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run("add", str(tmp_path / "gone")) == 2
    assert run("remove", str(tmp_path)) == 2
    (tmp_path / "state").touch()
    assert run("add", str(tmp_path)) == 2
    said = capsys.readouterr().err.splitlines()
    assert "'/" in said[0]
    assert said[0].endswith("gone' is not a folder")
    assert said[1].endswith("is not trusted. List the trusted folders with: waza-lsp trust list")
    assert "cannot be added:" in said[2]


def test_a_folder_that_is_gone_can_be_removed(tmp_path: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    run("add", str(folder))
    folder.rmdir()
    assert run("remove", str(folder)) == 0
