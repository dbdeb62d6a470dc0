"""Paths of `file:` URIs, on every system."""

from pathlib import Path

import pytest

from waza_engine.lib.paths import path_from_uri, uri_path


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
