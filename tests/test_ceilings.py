"""The ceilings of the benchmarks only ever go down."""

import json
import subprocess
from pathlib import Path

import pytest

from bench.ceilings import FILE, raised

ROOT = Path(__file__).parents[1]


def test_no_ceiling_is_higher_than_in_any_earlier_version() -> None:
    now = json.loads(FILE.read_text(encoding="utf-8"))
    name = FILE.relative_to(ROOT).as_posix()
    log = subprocess.run(
        ["git", "log", "--format=%H", "--diff-filter=AM", "--", name],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if log.returncode:
        pytest.skip("this is no checkout")
    for commit in log.stdout.split():
        shown = subprocess.run(
            ["git", "show", f"{commit}:{name}"], cwd=ROOT, capture_output=True, text=True, check=True
        )
        assert raised(json.loads(shown.stdout), now) == [], f"higher than in {commit[:10]}"


def test_a_higher_ceiling_and_a_missing_one_are_found() -> None:
    before = {"lsp": {"50 lines": {"edit, CPU": 0.8, "hover": 0.6}}}
    assert raised(before, {"lsp": {"50 lines": {"edit, CPU": 0.9}}}) == [
        "lsp, 50 lines, edit, CPU: 0.8, now 0.9",
        "lsp, 50 lines, hover: 0.6, now gone",
    ]
    assert raised(before, before) == []
