"""Globs of vally's file graders, matched like picomatch with `dot`."""

from pathlib import Path

import pytest

from waza_engine.dialects.vally.globs import as_pattern, matching_files, refusal
from waza_engine.lib.js_regex import js_matches


@pytest.mark.parametrize(
    ("glob", "fitting", "others"),
    [
        ("*.ts", ["a.ts", ".ts"], ["src/a.ts", "a.tsx"]),
        ("**/*.ts", ["a.ts", "src/a.ts", "a/b/c.ts"], ["a.js"]),
        ("src/**", ["src/a", "src/a/b", "src"], ["srcs/a"]),
        ("**", ["a", "a/b", ".a/b"], []),
        ("a/**/b", ["a/b", "a/x/b", "a/x/y/b"], ["a", "ab"]),
        ("a?c", ["abc"], ["ac", "a/c"]),
        ("*.{md,txt}", ["a.md", "b.txt"], ["a.rst"]),
        ("{a,b/{c,d}}", ["a", "b/c", "b/d"], ["b", "b/e"]),
        ("[ab].x", ["a.x", "b.x"], ["c.x"]),
        ("[^ab].x", ["c.x"], ["a.x", "/.x"]),
        ("file{1..3}", ["file1", "file3"], ["file4"]),
        ("!(a)", ["b", "ab"], ["a"]),
        ("!(*.d).ts", ["a.ts"], ["a.d.ts"]),
        ("@(a|b).x", ["a.x", "b.x"], ["c.x"]),
        ("+(ab)c", ["abc", "ababc"], ["c"]),
        ("?(a)b", ["ab", "b"], ["aab"]),
        ("src/*/x", ["src/a/x"], ["src//x", "src/a/b/x"]),
        ("a+b.(x)", ["a+b.x"], ["aab.x"]),
        ("a{b", ["a{b"], ["ab"]),
        ("\\*", ["*"], ["a"]),
    ],
)
def test_matches(glob: str, fitting: list[str], others: list[str]) -> None:
    found = [it for it in (*fitting, *others) if js_matches(as_pattern(glob), it)]
    assert found == fitting


@pytest.mark.parametrize("path", ["/etc/passwd", "../a", "a/../../b", "C:\\x", "C:/x", "\\\\host\\share"])
def test_paths_that_leave_the_workspace_are_rejected(path: str) -> None:
    assert refusal(path)


def test_links_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.txt").write_text("x")
    root = tmp_path / "ws"
    root.mkdir()
    (root / "out").symlink_to(outside)
    (root / "link.txt").symlink_to(outside / "secret.txt")
    (root / "real.txt").write_text("x")
    assert list(matching_files(root, "**/*.txt")) == ["real.txt"]
    assert list(matching_files(root, "out/secret.txt")) == []
    assert list(matching_files(root, "link.txt")) == []


def test_a_leading_exclamation_mark_negates_any_glob(tmp_path: Path) -> None:
    for name in ("a.txt", "b.txt", "!a.txt"):
        (tmp_path / name).write_text("x")
    assert list(matching_files(tmp_path, "!a.txt")) == ["!a.txt", "b.txt"]
    assert list(matching_files(tmp_path, "!!a.txt")) == ["a.txt"]
    assert list(matching_files(tmp_path, "!(a|b).txt")) == ["!a.txt"]
    assert list(matching_files(tmp_path, "b.txt")) == ["b.txt"]


def test_an_escaped_character_is_literal_without_other_magic(tmp_path: Path) -> None:
    (tmp_path / "a!b.txt").write_text("x")
    assert list(matching_files(tmp_path, "a\\!b.txt")) == ["a!b.txt"]
