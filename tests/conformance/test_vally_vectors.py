"""Verdicts of vally's grader types, worked out by hand from docs/reference/vally.md, through the door that other programs use.

The vector file's own `about` block says what its members mean.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.each import check_each
from waza_engine.graders.registry import graders
from waza_engine.grading.batch import answer_line

Vector = dict[str, Any]
VECTORS: list[Vector] = json.loads((Path(__file__).parent / "vally-grader-vectors.json").read_text("utf-8"))[
    "vectors"
]
_MEMBERS = {"files": "workspace_files", "dirs": "workspace_dirs", "symlinks": "workspace_symlinks"}


def line_of(vector: Vector) -> str:
    """The input line that a vector stands for."""
    line = {name: vector[member] for member, name in _MEMBERS.items() if member in vector}
    line |= {"id": vector["id"], "gen": "VALLY", "graders": [vector["grader"]]}
    line |= {"context": vector.get("context", {}), "outside_files": vector.get("outside_files", {})}
    return json.dumps(line)


def check_vector(vector: Vector) -> None:
    answer = answer_line(line_of(vector))
    assert "error" not in answer, answer
    (result,) = answer["results"]
    expected = vector["expect"]
    if "error" in expected:
        assert result.get("error", {}).get("kind") == expected["error"], result
        return
    assert "error" not in result, result
    assert (result["passed"], result.get("status", "")) == (expected["passed"], expected.get("status", "")), (
        result
    )
    assert result["score"] == pytest.approx(expected["score"], abs=1e-9), result


def test_the_verdicts_are_those_of_the_sheet() -> None:
    check_each(((it["id"], it) for it in VECTORS), check_vector)


def test_every_type_has_vectors() -> None:
    assert {it["grader"]["type"] for it in VECTORS} >= set(graders("vally"))


def test_the_identifiers_are_unique() -> None:
    assert len({it["id"] for it in VECTORS}) == len(VECTORS)
