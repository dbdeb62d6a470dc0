"""An open file knows where it is, and no link is followed to write."""

import errno
import os
import sys
from pathlib import Path

import pytest

from waza_engine.lib.files.safe_write import open_own
from waza_engine.lib.system import open_files


def _link(at: Path, target: Path) -> None:
    try:
        at.symlink_to(target)
    except OSError:
        pytest.skip("this user may not create links")
    if not at.is_symlink():
        pytest.skip("this system creates no links")


@pytest.mark.parametrize(
    ("given", "plain"),
    [
        (r"\\?\C:\Users\é\eval.yaml", r"C:\Users\é\eval.yaml"),
        (r"\\?\UNC\server\share\eval.yaml", r"\\server\share\eval.yaml"),
        (r"C:\Users\eval.yaml", r"C:\Users\eval.yaml"),
        (r"\\server\share", r"\\server\share"),
    ],
)
def test_paths_of_windows_lose_their_prefix(given: str, plain: str) -> None:
    assert open_files.plain_path(given) == plain


def test_an_open_file_knows_its_path_after_its_link_has_changed(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).write_text(name, encoding="utf-8")
    link = tmp_path / "link"
    _link(link, tmp_path / "one")
    with link.open("rb") as file:
        link.unlink()
        link.symlink_to(tmp_path / "two")
        real = open_files.real_path(file.fileno(), os.fspath(link))
    assert Path(real) == Path(os.path.realpath(tmp_path / "one"))
    assert Path(real).is_relative_to(open_files.real_folder(os.fspath(tmp_path)))


def test_a_file_whose_path_nobody_knows_is_resolved(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(open_files, "_known_path", lambda *_: "")
    file = tmp_path / "a"
    file.write_bytes(b"")
    assert open_files.real_path(99, os.fspath(file)) == os.path.realpath(file)


@pytest.mark.parametrize("has_flag", [True, False])
def test_no_link_is_followed_to_write(
    tmp_path: Path, has_flag: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not has_flag:
        # As on Windows.
        monkeypatch.delattr(os, "O_NOFOLLOW", raising=False)
        monkeypatch.setattr(open_files, "_NO_LINK", getattr(os, "O_BINARY", 0))
    elif not hasattr(os, "O_NOFOLLOW"):
        pytest.skip("Windows has no such flag")
    target, link, dangling = tmp_path / "target", tmp_path / "link", tmp_path / "dangling"
    target.write_bytes(b"old")
    _link(link, target)
    _link(dangling, tmp_path / "nothing")
    for it in (link, dangling):
        with pytest.raises(OSError, match="a link or not a regular file") as caught:
            open_own(it)
        assert caught.value.errno == errno.ELOOP
    assert target.read_bytes() == b"old"
    assert not (tmp_path / "nothing").exists()
    with open_own(target) as file:
        file.write(b"new")
    with open_own(target, append=True) as file:
        file.write(b"er")
    assert target.read_bytes() == b"newer"


def test_a_link_that_appears_while_a_file_is_opened_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if sys.platform == "win32":
        pytest.skip("needs links")
    monkeypatch.delattr(os, "O_NOFOLLOW")
    monkeypatch.setattr(open_files, "_NO_LINK", 0)
    monkeypatch.setattr(os.path, "islink", lambda _: False)
    target, link = tmp_path / "target", tmp_path / "link"
    target.write_bytes(b"old")
    link.symlink_to(target)
    with pytest.raises(OSError, match="a link or not a regular file"):
        open_own(link)
    assert target.read_bytes() == b"old"
