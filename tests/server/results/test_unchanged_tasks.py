"""After an edit, only what it changed is computed and written again, and the rest is what a fresh open gives."""

from pathlib import Path

import pytest
from lsprotocol import types

from waza_lsp.features.code_lens import code_lens_json
from waza_lsp.runnables.commands import RunStatus, Verdict
from waza_lsp.runnables.failed_checks import CheckLocation, FailedCheck, TaskChecks
from waza_lsp.runnables.hidden import shown_runnables
from waza_lsp.server.documents import Documents
from waza_lsp.server.events import AnnotationsChanged, Bus
from waza_lsp.server.results.annotations.annotations import NO_LIVE_VERDICTS, Annotations
from waza_lsp.server.results.eval_results import EvalResults
from waza_lsp.snapshot import Snapshot

TASKS = 5
EVAL = "name: one\nskill: one\nconfig:\n  executor: mock\n  model: m\ntasks:\n" + "".join(
    f"  - id: t{it}\n    name: Task {it}\n    inputs:\n      prompt: hello\n    graders:\n"
    f"      - type: text\n        name: says\n        config:\n          contains: [word {it}]\n"
    for it in range(TASKS)
)
PATH = Path("/suite/eval.yaml").absolute()
GRADER_LINE = EVAL.split("\n").index("          contains: [word 2]")


def edited(snapshot: Snapshot, line: int, new: str) -> Snapshot:
    """Return the next version, with a text inserted before the last character of a line."""
    at = types.Position(line, len(snapshot.text.line(line)) - 1)
    change = types.TextDocumentContentChangePartial(types.Range(at, at), new)
    return snapshot.with_changes([change], (snapshot.version or 0) + 1)


def fresh(snapshot: Snapshot) -> Snapshot:
    """Return the same text as a document that was just opened."""
    return Snapshot.of(snapshot.uri, str(snapshot.text), snapshot.version)


@pytest.fixture
def opened() -> Snapshot:
    return Snapshot.of(PATH.as_uri(), EVAL, 1)


@pytest.fixture
def results(opened: Snapshot) -> EvalResults:
    """The results of a run of the whole eval."""
    made = EvalResults()
    for it in range(TASKS):
        made.add(f"t{it}", Verdict("run", "passed", 1.0, 100.0), {PATH: opened})
    return made


def statuses(results: EvalResults, snapshot: Snapshot) -> dict[tuple[str, str], RunStatus]:
    return results.standings(snapshot, shown_runnables(snapshot), NO_LIVE_VERDICTS)


def stale_tasks(found: dict[tuple[str, str], RunStatus]) -> set[str]:
    return {id_ for (kind, id_), it in found.items() if kind == "task" and it.verdict and it.verdict.stale}


def test_an_edit_of_a_task_keeps_the_statuses_of_the_others(opened: Snapshot, results: EvalResults) -> None:
    before, later = statuses(results, opened), edited(opened, GRADER_LINE - 2, "s")
    now = statuses(results, later)
    assert stale_tasks(before) == set()
    assert stale_tasks(now) == {"t2"}
    assert [it for it in range(TASKS) if now["task", f"t{it}"] is not before["task", f"t{it}"]] == [2]
    assert now == statuses(results, fresh(later))


@pytest.mark.parametrize("new", ["\n", "]\n          not_contains: [no", "é"])
def test_statuses_after_an_edit_are_those_of_a_fresh_open(
    opened: Snapshot, results: EvalResults, new: str
) -> None:
    statuses(results, opened)
    later = edited(opened, GRADER_LINE, new)
    assert statuses(results, later) == statuses(results, fresh(later))
    assert code_lens_json(later, statuses(results, later)) == code_lens_json(
        fresh(later), statuses(results, fresh(later))
    )


def test_an_undone_edit_is_no_edit(opened: Snapshot, results: EvalResults) -> None:
    before = statuses(results, opened)
    later = edited(opened, GRADER_LINE, "s")
    statuses(results, later)
    start = types.Position(GRADER_LINE, len(opened.text.line(GRADER_LINE)) - 1)
    span = types.Range(start, types.Position(GRADER_LINE, start.character + 1))
    undone = later.with_changes([types.TextDocumentContentChangePartial(span, "")], 3)
    assert statuses(results, undone) == before


def test_a_new_verdict_changes_the_status_of_its_task_only(opened: Snapshot, results: EvalResults) -> None:
    before = statuses(results, opened)
    results.add("t1", Verdict("later", "failed", 0.0, 200.0), {PATH: opened})
    now = statuses(results, opened)
    verdict = now["task", "t1"].verdict
    assert verdict is not None
    assert verdict.status == "failed"
    assert [it for it in range(TASKS) if now["task", f"t{it}"] is not before["task", f"t{it}"]] == [1]


def failed_checks(task: int) -> TaskChecks:
    entry = ("tasks", task, "graders", 0)
    place = CheckLocation(PATH, entry, (*entry, "config", "contains", 0))
    return TaskChecks([FailedCheck(place, f"not found: word {task}")], frozenset([(PATH, entry)]))


def annotations_of_open_file() -> tuple[Annotations, Documents, list[AnnotationsChanged]]:
    documents, bus, told = Documents(), Bus(), list[AnnotationsChanged]()
    item = types.TextDocumentItem(PATH.as_uri(), types.LanguageKind.Yaml, 1, EVAL)
    documents.open(item, types.PositionEncodingKind.Utf16)
    bus.listen(AnnotationsChanged, told.append)
    return Annotations(documents, bus), documents, told


def test_the_failed_checks_of_many_tasks_are_told_once(opened: Snapshot) -> None:
    together, documents, told = annotations_of_open_file()
    together.show_all(PATH, {f"t{it}": (failed_checks(it), {PATH: opened}) for it in range(TASKS)})
    assert len(told) == 1
    one_by_one, others, _ = annotations_of_open_file()
    for it in range(TASKS):
        one_by_one.show(PATH, f"t{it}", failed_checks(it), {PATH: opened})
    [snapshot], [other] = documents, others
    assert len(together.diagnostics_json(snapshot)) == TASKS
    assert together.diagnostics_json(snapshot) == one_by_one.diagnostics_json(other)


@pytest.mark.parametrize("new", ["s", "\n", "é", "😀"])
def test_annotations_after_an_edit_are_written_as_anew(opened: Snapshot, new: str) -> None:
    shown, documents, _ = annotations_of_open_file()
    shown.show_all(PATH, {f"t{it}": (failed_checks(it), {PATH: opened}) for it in range(TASKS)})
    [snapshot] = documents
    shown.diagnostics_json(snapshot)
    at = types.Position(GRADER_LINE - 2, 8)
    document = types.VersionedTextDocumentIdentifier(2, snapshot.uri)
    change = types.TextDocumentContentChangePartial(types.Range(at, at), new)
    documents.change(types.DidChangeTextDocumentParams(document, [change]))
    [later] = documents
    written = shown.diagnostics_json(later)
    anew, _, _ = annotations_of_open_file()
    anew.add(later, shown.at(later, later.place(types.Position(0, 0))))
    anew.add(later, [it for _, it in shown.failed_checks(PATH, "t0")])
    for it in range(1, TASKS):
        anew.add(later, [one for _, one in shown.failed_checks(PATH, f"t{it}")])
    assert written == anew.diagnostics_json(later)
