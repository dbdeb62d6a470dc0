"""Every conformance vector through the door that other programs use (docs/reference/grade-batch.md).

The vector file's own `about` block says what its members mean and how its expectations are to be compared.
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.each import check_each
from waza_engine.grading.batch import answer_line

Vector = dict[str, Any]

_HERE = Path(__file__).parent
VECTORS: list[Vector] = json.loads((_HERE / "waza-grader-vectors.json").read_text())["vectors"]
_TOLERANCE = 1e-9
_MEMBERS = {"files": "workspace_files", "dirs": "workspace_dirs", "symlinks": "workspace_symlinks"}


def line_of(vector: Vector) -> str:
    """The input line that a vector stands for."""
    context = dict(vector["context"])
    line: dict[str, Any] = {"id": vector["id"], "gen": vector["gen"]}
    line["outside_files"] = {"outside.txt": "outside"}
    for member, name in _MEMBERS.items():
        line[name] = context.pop(member, None)
    line["cwd_files"] = context.pop("cwd_files", None)
    line["context"] = context
    if "grader" in vector:
        line["graders"] = [vector["grader"]]
    elif "grader_yaml" in vector:
        line["graders_yaml"] = "- " + vector["grader_yaml"].strip("\n").replace("\n", "\n  ")
    else:
        line["run"] = vector["run"]
    return json.dumps(line)


def differences(vector: Vector, answer: dict[str, Any]) -> list[str]:
    """What in the answer is not as the vector expects it."""
    expected = vector["expect"]
    if "run" in vector:
        return [*_verdict_differences(expected, answer), *_named_differences(expected, answer)]
    (result,) = answer["results"]
    # The door takes decoded values, but refuses what the loader refuses.
    kind = "load" if expected.get("loader_rejects") else expected.get("error")
    if kind:
        wanted = "grade" if kind == "grade" else "config"
        return [] if result.get("error", {}).get("kind") == wanted else [f"no {wanted} error: {result}"]
    if "error" in result:
        return [str(result["error"])]
    return [*_verdict_differences(expected, result), *_detail_differences(expected, result["details"])]


def _verdict_differences(expected: Vector, found: dict[str, Any]) -> list[str]:
    members = ("status", "score", "weighted_score", "passed", "type")
    return [
        f"{it}: {found[it]!r}, not {expected[it]!r}"
        for it in members
        if it in expected and not _same(found[it], expected[it])
    ]


def _named_differences(expected: Vector, answer: dict[str, Any]) -> list[str]:
    results = {it["name"]: it for it in answer["results"]}
    return [
        f"{name}: {text}"
        for name, wanted in expected.get("results", {}).items()
        for text in _verdict_differences(wanted, results[name])
    ]


def _detail_differences(expected: Vector, details: dict[str, Any]) -> list[str]:
    # The Python generation had another word for its list of failures.
    failures = details.get("failures") or details.get("failed_assertions") or []
    found = {**details, **details.get("pairwise", {}), "failure_count": len(failures)}
    return [
        f"{name}: {found.get(name)!r}, not {wanted!r}"
        for name, wanted in expected.get("details", {}).items()
        if not _same(found.get(name), wanted)
    ]


def _same(found: Any, wanted: Any) -> bool:
    if isinstance(wanted, int | float) and not isinstance(wanted, bool):
        return isinstance(found, int | float) and abs(found - wanted) <= _TOLERANCE
    return bool(found == wanted)


def check_vector(vector: Vector) -> None:
    answer = answer_line(line_of(vector))
    assert answer["id"] == vector["id"]
    assert differences(vector, answer) == []


def test_vectors() -> None:
    check_each(((it["id"], it) for it in VECTORS if not it.get("slow")), check_vector)


@pytest.mark.slow
@pytest.mark.parametrize("vector", [pytest.param(it, id=it["id"]) for it in VECTORS if it.get("slow")])
def test_slow_vector(vector: Vector) -> None:
    check_vector(vector)


@pytest.mark.slow
def test_the_whole_file_goes_through_the_command_line(tmp_path: Path) -> None:
    vectors = [it for it in VECTORS if not it.get("slow")]
    batch = tmp_path / "batch.jsonl"
    batch.write_text("\n".join(line_of(it) for it in vectors) + "\n")

    done = subprocess.run(
        [sys.executable, "-m", "waza_lsp", "grade", "--batch", batch],
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode == 0, done.stderr
    answers = {it["id"]: it for it in map(json.loads, done.stdout.splitlines())}
    assert answers.keys() == {it["id"] for it in vectors}
    assert {it["id"]: found for it in vectors if (found := differences(it, answers[it["id"]]))} == {}
