"""Only regular files are read: reading a named pipe would never end."""

import os
import sys
from pathlib import Path

import pytest

from waza_engine.judges.workspace_tools import workspace_answer
from waza_engine.lib.files.safe_read import regular_bytes
from waza_engine.lib.files.vfs import Files
from waza_engine.lib.paths import file_bytes
from waza_engine.model.suite import LoadError
from waza_engine.project.discovery import eval_files
from waza_engine.project.reading import read_text
from waza_engine.project.settings import Projects

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no named pipes in folders")


@pytest.fixture
def pipe(tmp_path: Path) -> Path:
    os.mkfifo(tmp_path / "pipe")
    return tmp_path / "pipe"


def test_a_named_pipe_has_no_content(pipe: Path) -> None:
    with pytest.raises(OSError, match="it is not a regular file"):
        regular_bytes(pipe)
    with pytest.raises(IsADirectoryError):
        regular_bytes(pipe.parent)
    assert file_bytes(pipe) is None


def test_checks_see_no_text_in_a_named_pipe(pipe: Path) -> None:
    files = Files()
    assert (files.text(pipe), files.data(pipe), files.has_byte_order_mark(pipe)) == (None, None, False)


def test_a_run_cannot_load_a_named_pipe(pipe: Path) -> None:
    with pytest.raises(LoadError, match="cannot be read: it is not a regular file"):
        read_text(pipe)


def test_a_judge_gets_an_error_for_a_named_pipe(pipe: Path) -> None:
    assert workspace_answer(pipe.parent, "read_file", {"path": "pipe"}) == (
        "pipe cannot be read: it is not a regular file"
    )
    assert "cannot be read" in (workspace_answer(pipe.parent, "read_file", {"path": "gone"}) or "")


def test_named_pipes_as_settings_and_ignore_files_are_skipped(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / ".gitignore")
    os.mkfifo(tmp_path / ".waza-lsp.toml")
    (tmp_path / "eval.yaml").write_text("")
    projects = Projects()
    assert [it.name for it in eval_files(tmp_path, projects)] == ["eval.yaml"]
    [settings] = projects.with_problems()
    [problem] = settings.problems
    assert problem.message.startswith("This file cannot be read: it is not a regular file.")
