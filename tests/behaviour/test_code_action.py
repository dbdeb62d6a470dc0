"""Code actions: kinds, document versions, the action for all fixes, limits."""

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from tests.behaviour.fixes_harness import actions_at, apply_action, findings_of
from tests.behaviour.harness import marked, snapshot_of
from tests.behaviour.test_fixes import HEADER
from waza_engine.analysis.pipeline import CheckContext
from waza_engine.model.findings import AddBlanks, CreateFile, Fix, InsertKey, MakeList, MoveKey, Rule, Scope
from waza_lsp.diagnostics.ranges import RangedFinding
from waza_lsp.features.code_action import code_action
from waza_lsp.features.diagnostics import diagnostics
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Place, Span
from waza_lsp.workspace.client import Client

MISTAKES = HEADER + "graders:\n  - type: tx¦et\n    name: a\n    config:\n      contians: b\n      zzz: 1\n"
MENDED = HEADER + "graders:\n  - type: text\n    name: a\n    config:\n      contains: [b]\n      zzz: 1\n"


def _actions(document: str, only: list[str] | None = None) -> list[tuple[str, Any]]:
    return [(it.title, it.kind) for it in actions_at(document, only=only)[1]]


def test_fix_all_makes_every_safe_fix_and_leaves_the_rest() -> None:
    snapshot, found = actions_at(MISTAKES, only=["source.fixAll"])
    assert [it.kind for it in found] == ["source.fixAll.waza"]
    assert apply_action(snapshot, found[0]) == MENDED
    again = snapshot_of(MENDED)
    assert [it.finding.code for it in findings_of(again)] == ["unknown-key"]


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_fix_all_mends_broken_text_too(end: str) -> None:
    broken = (
        HEADER.replace("name: notes", "name:notes").replace("  executor", "\texecutor").replace("60", "'60'")
    )
    snapshot, found = actions_at(broken.replace("\n", end), only=["source.fixAll.waza"])
    assert apply_action(snapshot, found[0]) == HEADER.replace("\n", end)


def test_two_keys_for_one_name_do_not_become_the_same_key() -> None:
    document = (
        HEADER
        + "graders:\n  - type: text\n    name: a\n    config:\n      contians: [b]\n      contanis: [c]\n"
    )
    snapshot, found = actions_at(document, only=["source.fixAll"])
    text = apply_action(snapshot, found[0])
    assert "contains: [b]\n      contanis: [c]" in text


def test_a_good_document_has_nothing_to_fix() -> None:
    assert _actions(HEADER, ["source.fixAll"]) == []
    assert _actions(HEADER, ["source"]) == []


@pytest.mark.parametrize(
    ("only", "kinds"),
    [
        (["quickfix"], {types.CodeActionKind.QuickFix}),
        (["source"], {"source.fixAll.waza"}),
        (["source.fixAll.other"], set()),
        (["source.organizeImports"], set()),
        (["refactor"], set()),
        ([], {types.CodeActionKind.QuickFix, "source.fixAll.waza"}),
        ([""], {types.CodeActionKind.QuickFix, "source.fixAll.waza"}),
        (None, {types.CodeActionKind.QuickFix, "source.fixAll.waza"}),
    ],
)
def test_only_what_is_asked_for(only: list[str] | None, kinds: set[Any]) -> None:
    assert {kind for _, kind in _actions(MISTAKES, only)} == kinds


def test_what_nobody_asked_for_is_quick_fixes_only() -> None:
    found = marked(MISTAKES)
    snapshot = snapshot_of(found.source)
    assert found.cursor is not None
    automatic = types.CodeActionContext([], trigger_kind=types.CodeActionTriggerKind.Automatic)
    actions = code_action(snapshot, types.Range(found.cursor, found.cursor), automatic, findings_of)
    assert {it.kind for it in actions} == {types.CodeActionKind.QuickFix}


def test_a_fix_names_the_diagnostic_and_the_version() -> None:
    snapshot = snapshot_of(HEADER.replace("mock", "mokc"))
    [mark] = findings_of(snapshot)
    where = snapshot.range(mark.span)
    mine = types.Diagnostic(where, "old words", code="unknown-value")
    other = types.Diagnostic(where, mark.finding.message, code="other")
    context = types.CodeActionContext([other, mine])
    first = code_action(snapshot, where, context, findings_of)[0]
    assert first.diagnostics == [mine]
    assert first.edit is not None
    assert first.edit.document_changes is not None
    [change] = first.edit.document_changes
    assert isinstance(change, types.TextDocumentEdit)
    assert (change.text_document.uri, change.text_document.version) == (snapshot.uri, 1)


def test_a_fix_names_the_diagnostic_of_a_part_of_a_text() -> None:
    graders = "graders: [{type: text, name: a, config: {regex_match: ['ok(?=x)']}}]\n"
    snapshot = snapshot_of(HEADER + graders)
    world = CheckContext(snapshot.path, Scope(None, None))
    [published] = [it for it in diagnostics(snapshot, world) if it.code == "invalid-regex"]
    assert published.range.end.character - published.range.start.character < len("'ok(?=x)'")
    found = code_action(snapshot, published.range, types.CodeActionContext([published]), findings_of)
    assert found
    assert all(it.diagnostics == [published] for it in found if it.kind == types.CodeActionKind.QuickFix)


def test_an_editor_without_document_changes_gets_plain_ones() -> None:
    snapshot = snapshot_of(HEADER.replace("mock", "mokc"))
    [mark] = findings_of(snapshot)
    client = Client(document_changes=False, create_files=False)
    first = code_action(
        snapshot, snapshot.range(mark.span), types.CodeActionContext([]), findings_of, client
    )[0]
    assert first.edit is not None
    assert first.edit.document_changes is None
    assert [it.new_text for it in (first.edit.changes or {})[snapshot.uri]] == ["mock"]


def test_a_fix_may_create_a_file() -> None:
    path = Path("/nowhere/evals/prompt.md")
    fix = Fix("Create 'prompt.md'", (CreateFile(path, "Do it.\n"),))
    snapshot, actions = _offered(HEADER, fix)
    assert snapshot.version == 1
    [create, fill] = (actions[0].edit and actions[0].edit.document_changes) or []
    assert isinstance(create, types.CreateFile)
    assert create.uri == path.as_uri()
    assert isinstance(fill, types.TextDocumentEdit)
    assert fill.text_document.uri == path.as_uri()
    assert [it.new_text for it in fill.edits if isinstance(it, types.TextEdit)] == ["Do it.\n"]
    assert _offered(HEADER, fix, Client(create_files=False))[1] == []


def test_changes_count_in_the_data_before_the_first_one() -> None:
    fix = Fix(
        "All",
        (
            MoveKey(("config", "model"), ("config", "judge_model")),
            MakeList(("skill",)),
            InsertKey(("config",), "parallel", value=True),
        ),
    )
    snapshot, [action] = _offered(HEADER, fix)
    assert apply_action(snapshot, action) == (
        HEADER.replace("skill: notes", "skill: [notes]").replace(
            "  model: gpt-4o", "  parallel: true\n  judge_model: gpt-4o"
        )
    )


@pytest.mark.parametrize(
    "change", [MakeList(("nothing",)), AddBlanks(("name",)), MoveKey(("name",), ("skill",))]
)
def test_what_does_not_fit_the_text_is_not_offered(change: Any) -> None:
    assert _offered(HEADER, Fix("Try", (change,)))[1] == []


def _offered(
    document: str, fix: Fix, client: Client | None = None
) -> tuple[Snapshot, list[types.CodeAction]]:
    snapshot = snapshot_of(document)
    mark = RangedFinding(
        Span(Place(0, 0), Place(0, 4)), Rule("test", "test").at(("name",), "Test", fixes=[fix])
    )
    context = types.CodeActionContext([], only=[types.CodeActionKind.QuickFix])
    top = snapshot.range(Span(Place(0, 0), Place(0, 0)))
    found = code_action(snapshot, top, context, lambda _: [mark], client or Client())
    return snapshot, [it for it in found if it.title == fix.title]


def test_a_file_that_is_no_eval_has_no_actions() -> None:
    assert actions_at("on: pu¦sh\njobs: {}\n", "ci.yaml")[1] == []


def test_a_long_text_beside_two_mistakes_costs_none_of_them_its_fix() -> None:
    grader = "graders:\n  - type: text\n    nam: n\n    confg: {contains: [a]}\n    rubric: |\n"
    snapshot = snapshot_of(HEADER + grader + "      x\n" * 21_000)
    start = HEADER.count("\n")
    selected = types.Range(types.Position(start, 0), types.Position(start + 4, 0))
    found = code_action(snapshot, selected, types.CodeActionContext([]), findings_of)
    assert [it.title for it in found if it.title.startswith("Change")] == [
        "Change to 'name'",
        "Change to 'config'",
    ]
    assert sum(it.title.startswith("Ignore") for it in found) == 2


def test_all_findings_of_one_outdated_kind_are_fixed_together() -> None:
    entry = "    graders:\n      - type: prompt\n        config: {prompt: Good?, output_delivery: inlin¦e}  # mine\n"
    head = "name: n\nstimuli:\n  - name: a\n    prompt: p\n"
    other = entry.replace("¦", "")
    document = f"{head}{entry}  - name: b\n    prompt: p\n{other}"
    snapshot, found = actions_at(document, "v.eval.yaml", only=["quickfix"])
    [fix] = [it for it in found if it.title.startswith("Fix all")]
    assert fix.title == "Fix all 2 'removed-form' in this file"
    expected = f"{head}{other}  - name: b\n    prompt: p\n{other}".replace(", output_delivery: inline", "")
    assert apply_action(snapshot, fix) == expected


def test_one_finding_of_a_kind_needs_no_such_action() -> None:
    document = "name: n\nconf¦ig: {runs: 2}\nstimuli:\n  - {name: a, prompt: p}\n"
    _, found = actions_at(document, "v.eval.yaml", only=["quickfix"])
    assert [it.title for it in found if not it.title.startswith("Ignore")] == ["Change to 'defaults'"]
