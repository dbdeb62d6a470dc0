"""Each promise of the threat model names a test that exists."""

import ast
import re
from pathlib import Path

_TESTS = Path(__file__).parent
_ROW = re.compile(r"^\| (?P<promise>[^|]+) \| `(?P<file>[\w/]+\.py)::(?P<test>\w+)` \|$", re.MULTILINE)


def test_each_promise_has_a_test() -> None:
    text = (_TESTS.parent / "docs" / "threat-model.md").read_text(encoding="utf-8")
    section = text.partition("## Promises and their tests")[2]
    rows = list(_ROW.finditer(section))
    assert len(rows) == section.count("\n| ") - 2, (
        "a row has another form than: | promise | `file.py::test` |"
    )
    assert len(rows) > 30
    missing = [it[0] for it in rows if it["test"] not in _functions(_TESTS / it["file"])]
    assert not missing


def test_each_file_of_attacks_keeps_a_promise() -> None:
    text = (_TESTS.parent / "docs" / "threat-model.md").read_text(encoding="utf-8")
    unnamed = [
        it.name for it in (_TESTS / "hostility").glob("test_*.py") if f"hostility/{it.name}" not in text
    ]
    assert not unnamed


def _functions(path: Path) -> set[str]:
    if not path.is_file():
        return set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    return {it.name for it in ast.walk(tree) if isinstance(it, ast.FunctionDef | ast.AsyncFunctionDef)}
