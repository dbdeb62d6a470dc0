"""Globs against answers measured with Go's own library."""

import json
from pathlib import Path
from typing import Any

import pytest

from waza_engine.lib.go.glob import BadPattern, glob, match

_MEASURED: dict[str, Any] = json.loads(
    Path(__file__).with_name("go-glob-cases.json").read_text(encoding="utf-8")
)


@pytest.fixture(scope="module")
def tree(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("glob")
    for name in _MEASURED["files"]:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).touch()
    for name, target in _MEASURED["links"].items():
        (root / name).symlink_to(root / target)
    return root


@pytest.mark.parametrize("case", _MEASURED["cases"], ids=[it["pattern"] for it in _MEASURED["cases"]])
def test_a_glob_finds_what_go_finds(case: dict[str, Any], tree: Path) -> None:
    if "error" in case:
        with pytest.raises(BadPattern):
            glob(case["pattern"], tree)
    else:
        assert glob(case["pattern"], tree) == (case["matches"] or [])


# Rows of Go's own match_test.go.
@pytest.mark.parametrize(
    ("pattern", "name", "expected"),
    [
        ("abc", "abc", True),
        ("*", "abc", True),
        ("*c", "abc", True),
        ("a*", "ab/c", False),
        ("a*/b", "abc/b", True),
        ("a*/b", "a/c/b", False),
        ("a*b*c*d*e*/f", "axbxcxdxe/f", True),
        ("a*b*c*d*e*/f", "axbxcxdxe/xxx/f", False),
        ("a*b?c*x", "abxbbxdbxebxczzx", True),
        ("a*b?c*x", "abxbbxdbxebxczzy", False),
        ("ab[^c]", "abc", False),
        ("ab[^b-d]", "abe", True),
        ("a\\*b", "a*b", True),
        ("a\\*b", "ab", False),
        ("a???b", "a☺b", False),
        ("a[^a]b", "a☺b", True),
        ("[a-ζ]*", "β", True),
        ("*[a-ζ]", "A", False),
        ("a?b", "a/b", False),
        ("[\\]a]", "]", True),
        ("[x\\-]", "-", True),
        ("*x", "xxx", True),
        ("", "", True),
        ("", "a", False),
    ],
)
def test_a_pattern_fits_what_go_says(pattern: str, name: str, expected: bool) -> None:
    assert match(pattern, name) is expected


@pytest.mark.parametrize("pattern", ["[]a]", "[-]", "[x-]", "[-x]", "[", "[^", "[^bc", "a[", "\\", "[a-b-c]"])
def test_a_pattern_that_go_refuses_is_refused_whatever_the_name(pattern: str) -> None:
    for name in ("", "a", "zzz"):
        with pytest.raises(BadPattern):
            match(pattern, name)


def test_many_stars_do_not_take_exponential_time() -> None:
    assert match("a*" * 40 + "b", "a" * 2000) is False
