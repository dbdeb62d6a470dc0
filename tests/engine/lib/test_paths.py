"""Paths of `file:` addresses, on every system."""

from pathlib import Path

import pytest

from waza_engine.lib.paths import path_of_address, path_text


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
    assert path_text(host, path, is_windows=True) == expected


def test_elsewhere_a_colon_is_a_letter_like_any_other() -> None:
    assert path_text("server", "/c%3A/eval%20.yaml", is_windows=False) == "/c:/eval .yaml"


@pytest.mark.parametrize("name", ["a b", "100%", "ü", "a#b?c"])
def test_a_path_comes_back(name: str) -> None:
    path = Path("/evals", name).absolute()
    assert path_of_address(path.as_uri()) == path


@pytest.mark.parametrize("address", ["untitled:Untitled-1", "https://example.org/eval.yaml", ""])
def test_what_is_no_file(address: str) -> None:
    assert path_of_address(address) is None
