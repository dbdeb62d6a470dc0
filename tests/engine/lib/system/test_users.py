"""Whose a file is."""

import os
import sys
from pathlib import Path

import pytest

from waza_engine.lib.system import users

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no numeric owners")


def _status(mode: int, user: int) -> os.stat_result:
    return os.stat_result((mode, 1, 1, 1, user, 0, 0, 0, 0, 0))


def test_only_a_file_that_others_cannot_write_is_private(tmp_path: Path) -> None:
    own = tmp_path.stat().st_uid
    assert users.is_private(_status(0o100644, own))
    assert not users.is_private(_status(0o100664, own))
    assert not users.is_private(_status(0o100646, own))
    assert not users.is_private(_status(0o100600, own + 1))
    assert users.is_own(_status(0o100666, own))
    assert not users.is_own(_status(0o100666, own + 1))


def test_files_of_root_and_of_the_caller_of_sudo_are_trusted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "geteuid", lambda: 1000)
    monkeypatch.setenv("SUDO_UID", "2000")
    assert [it for it in (0, 1000, 2000, 3000) if users.is_trusted_owner(_status(0o100644, it))] == [0, 1000]
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    assert [it for it in (0, 1000, 2000) if users.is_trusted_owner(_status(0o100644, it))] == [0, 2000]
