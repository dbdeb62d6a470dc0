"""Paths of `file:` URIs, on every system."""

from pathlib import Path, PureWindowsPath

import pytest

from waza_engine.lib.paths import PathError, clean_path, path_from_uri, uri_path, workspace_path


@pytest.mark.parametrize(
    ("host", "path", "expected"),
    [
        ("", "/c%3A/Users/a%20b/eval.yaml", "c:/Users/a b/eval.yaml"),
        ("", "/C:/eval.yaml", "C:/eval.yaml"),
        ("server", "/share/eval.yaml", "//server/share/eval.yaml"),
        ("localhost", "/c:/eval.yaml", "c:/eval.yaml"),
        ("", "/eval.yaml", "/eval.yaml"),
    ],
)
def test_windows(host: str, path: str, expected: str) -> None:
    assert uri_path(host, path, is_windows=True) == expected


def test_elsewhere_a_drive_is_an_ordinary_name() -> None:
    assert uri_path("server", "/c%3A/eval%20.yaml", is_windows=False) == "/c:/eval .yaml"


@pytest.mark.parametrize("name", ["a b", "100%", "ü", "a#b?c"])
def test_a_path_comes_back(name: str) -> None:
    path = Path("/evals", name).absolute()
    assert path_from_uri(path.as_uri()) == path


@pytest.mark.parametrize("uri", ["untitled:Untitled-1", "https://example.org/eval.yaml", ""])
def test_other_uris_have_no_path(uri: str) -> None:
    assert path_from_uri(uri) is None


class _Folder:
    """A folder of Windows, on every system."""

    def __init__(self, path: str) -> None:
        self._path = path

    def absolute(self) -> PureWindowsPath:
        return PureWindowsPath(self._path)


def _in_windows(folder: str, path: str) -> str:
    return workspace_path(_Folder(folder), path, is_windows=True)  # type: ignore[arg-type]  # it is as much of one as is needed


@pytest.mark.parametrize(
    ("folder", "path", "expected"),
    [
        (r"C:\work\ws", "a.txt", "C:/work/ws/a.txt"),
        (r"C:\work\ws", r"docs\a.txt", "C:/work/ws/docs/a.txt"),
        (r"C:\work\ws", r"docs\..\é b.txt", "C:/work/ws/é b.txt"),
        (r"C:\work\ws", "../ws/a.txt", "C:/work/ws/a.txt"),
        (r"\\server\share\ws", "a/b.txt", "//server/share/ws/a/b.txt"),
        ("C:/", "a.txt", "C:/a.txt"),
    ],
)
def test_a_path_in_a_workspace_of_windows(folder: str, path: str, expected: str) -> None:
    assert _in_windows(folder, path) == expected


@pytest.mark.parametrize(
    "path",
    [
        *("..", r"..\x", r"a\..\..\x", "a/../..", r"a\..\..\ws-other\x", "", "."),
        *(
            "/x",
            r"\x",
            r"\\server\share\x",
            "//server/share/x",
            "C:/x",
            r"C:\x",
            "C:x",
            "a.txt:stream",
            r"\\?\C:\x",
        ),
        *("a/.. /x", "... /x", ".. ", "a/. ./x", "..../x"),
    ],
)
@pytest.mark.parametrize("folder", [r"C:\work\ws", r"\\server\share\ws"])
def test_a_path_out_of_a_workspace_of_windows(folder: str, path: str) -> None:
    with pytest.raises(PathError):
        _in_windows(folder, path)


def test_elsewhere_a_backslash_is_a_letter() -> None:
    assert workspace_path(Path("/ws"), r"a\b:c", is_windows=False).endswith(r"ws/a\b:c")


def test_dots_do_not_leave_a_drive_or_a_share() -> None:
    assert clean_path(r"C:\a\..\..\..\b", is_windows=True) == "C:/b"
    assert clean_path(r"\\server\share\..\..\b", is_windows=True) == "//server/share/b"
    assert clean_path("/a/./../../b//c\0", is_windows=False) == "/b/c\0"
