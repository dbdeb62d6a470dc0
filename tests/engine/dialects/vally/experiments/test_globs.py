"""Patterns for the specs of an experiment."""

from pathlib import Path

import pytest

from waza_engine.dialects.vally.experiments.globs import matching_specs
from waza_engine.lib.files.vfs import Files

FILES = ("a/eval.yaml", "b/eval.yaml", "b/deep/eval.yaml", "c/other.yaml", "x (1)/eval.yaml", "eval.yaml")


@pytest.fixture
def root(tmp_path: Path) -> Path:
    for it in FILES:
        path = tmp_path / "evals" / it
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    (tmp_path / "experiments").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("../evals/a/eval.yaml", ["a/eval.yaml"]),
        ("./../evals/a/./eval.yaml", ["a/eval.yaml"]),
        ("../evals/*/eval.yaml", ["a/eval.yaml", "b/eval.yaml", "x (1)/eval.yaml"]),
        ("../evals/!(b|x*)/eval.yaml", ["a/eval.yaml"]),
        ("../evals/@(a|c)/*.yaml", ["a/eval.yaml", "c/other.yaml"]),
        ("../evals/{a,b/deep}/eval.yaml", ["a/eval.yaml", "b/deep/eval.yaml"]),
        ("../evals/[ab]/eval.yaml", ["a/eval.yaml", "b/eval.yaml"]),
        ("../evals/b/**/eval.yaml", ["b/eval.yaml", "b/deep/eval.yaml"]),
        ("../evals/**/other.yaml", ["c/other.yaml"]),
        ("../evals/x (1)/eval.yaml", ["x (1)/eval.yaml"]),
        ("../evals/?/eval.yaml", ["a/eval.yaml", "b/eval.yaml"]),
        ("../evals", []),
        ("../evals/", []),
        ("nothing/*.yaml", []),
        ("", []),
        ("{", []),
    ],
)
def test_patterns(root: Path, pattern: str, expected: list[str]) -> None:
    found = matching_specs(pattern, root / "experiments", Files())
    assert sorted(it.resolve().relative_to(root / "evals").as_posix() for it in found) == sorted(expected)


def test_an_absolute_path(root: Path) -> None:
    path = root / "evals" / "a" / "eval.yaml"
    assert matching_specs(str(path), root / "experiments", Files()) == [path]
