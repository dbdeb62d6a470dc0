"""Workspace symbols: every eval, task and grader by name."""

import json
from pathlib import Path

import pytest

from tests.behaviour.suite_harness import SUITE, at
from waza_lsp.features.workspace_symbol import workspace_symbol
from waza_lsp.workspace.workspace import WorkspaceFiles


def _found(query: str, workspace: WorkspaceFiles) -> list[str]:
    return [
        f"{it.name} {it.kind.name} {it.container_name or ''}".rstrip()
        for it in workspace_symbol(query, workspace.list_files(), workspace)
    ]


def test_all_of_them(tmp_path: Path) -> None:
    assert _found("", at(tmp_path, "evals/eval.yaml", "na¦me").workspace) == [
        "notes-eval Module",
        "greets Object notes-eval",
        "First Function first",
        "short Object First",
        "First Function second",
        "short Object First",
    ]


@pytest.mark.parametrize("query", ["greets", "GRE", "gts", " gr ee "])
def test_letters_in_their_order(tmp_path: Path, query: str) -> None:
    assert _found(query, at(tmp_path, "evals/eval.yaml", "na¦me").workspace) == ["greets Object notes-eval"]


def test_where_it_stands(tmp_path: Path) -> None:
    workspace = at(tmp_path, "evals/eval.yaml", "na¦me").workspace
    (symbol,) = workspace_symbol("greets", workspace.list_files(), workspace)
    place = json.loads(symbol.json())["location"]
    assert place["uri"] == (tmp_path / "evals/eval.yaml").as_uri()
    assert place["range"]["start"]["line"] == 9


def test_what_is_typed_but_not_saved_counts(tmp_path: Path) -> None:
    place = at(tmp_path, "evals/eval.yaml", "name: gre¦ets")
    (tmp_path / "evals/eval.yaml").write_text("a: 1\n", encoding="utf-8")
    assert _found("greets", place.workspace) == ["greets Object notes-eval"]


def test_other_yaml_files_have_none(tmp_path: Path) -> None:
    files = {**SUITE, "deploy.yaml": "name: greets\non: push\njobs: {}\n", "list.yaml": "- name: greets\n"}
    assert _found("greets", at(tmp_path, "evals/eval.yaml", "na¦me", files).workspace) == [
        "greets Object notes-eval"
    ]


def test_files_are_looked_at_one_by_one(tmp_path: Path) -> None:
    workspace = at(tmp_path, "evals/eval.yaml", "na¦me").workspace
    seen: list[Path] = []

    def listed() -> object:
        for it in workspace.list_files():
            seen.append(it)
            yield it

    next(workspace_symbol("", listed(), workspace))  # type: ignore[arg-type]
    assert len(seen) == 1


@pytest.mark.parametrize("query", ["second", "SECOND"])
def test_a_task_is_found_by_its_id(tmp_path: Path, query: str) -> None:
    found = _found(query, at(tmp_path, "evals/eval.yaml", "na¦me").workspace)
    assert found == ["second Function First"]
