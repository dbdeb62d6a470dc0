"""Checks read no file outside the workspace."""

from pathlib import Path

import pytest

from tests.behaviour.rules_harness import EVAL, TASK, findings_at, write


@pytest.mark.parametrize(
    "config",
    [
        "schema_file: {outside}",
        "schema_file: ../../outside.json",
        "schema: {{$ref: {uri}}}",
        "schema: {{$ref: ../outside.json}}",
    ],
)
def test_a_schema_outside_the_workspace_is_not_read(config: str, tmp_path: Path) -> None:
    outside = tmp_path / "outside.json"
    outside.write_text("this is no JSON, and a secret")
    root = tmp_path / "work"
    given = config.format(outside=outside, uri=outside.as_uri())
    grader = f"graders:\n  - type: json_schema\n    name: shape\n    config:\n      {given}\n"
    write(root / "evals", {"eval.yaml": EVAL + grader, "tasks/a.yaml": TASK})
    found = findings_at(root / "evals" / "eval.yaml", root)
    assert [it for it in found if it.code == "invalid-json-schema" or "no JSON" in it.message] == []
