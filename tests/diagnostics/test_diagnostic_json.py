"""Diagnostics written by us are what the library would send."""

import json
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import converters, types

from tests.behaviour.rules_harness import write
from tests.behaviour.test_rules_pages import WITH_EXAMPLE
from waza_engine.analysis.pipeline import CheckContext
from waza_engine.model.findings import Scope
from waza_lsp.diagnostics.json_writer import diagnostic_json
from waza_lsp.features.diagnostics import DiagnosticJsonCache, diagnostics, diagnostics_json
from waza_lsp.snapshot import Snapshot

CONVERTER = converters.get_converter()
RANGE = types.Range(types.Position(1, 2), types.Position(3, 4))


def as_sent(item: types.Diagnostic) -> Any:
    return json.loads(json.dumps(CONVERTER.unstructure(item)))


@pytest.mark.parametrize("code", WITH_EXAMPLE)
def test_findings_of_every_rule(code: str, tmp_path: Path) -> None:
    example = WITH_EXAMPLE[code]["Example"]
    write(tmp_path, example.files)
    path = tmp_path / example.name
    snapshot = Snapshot.of(path.as_uri(), path.read_text(encoding="utf-8"), 1)
    world = CheckContext(path, Scope(tmp_path, tmp_path))
    expected = diagnostics(snapshot, world)
    assert [json.loads(it) for it in diagnostics_json(snapshot, world)] == [as_sent(it) for it in expected]
    assert [json.loads(diagnostic_json(it)) for it in expected] == [as_sent(it) for it in expected]


@pytest.mark.parametrize(
    "item",
    [
        types.Diagnostic(RANGE, 'with "quotes", ünusual 😀 letters\nand \u2028 lines'),
        types.Diagnostic(RANGE, "all", types.DiagnosticSeverity.Hint, 7, source="x", data={"a": [1, None]}),
        types.Diagnostic(
            RANGE, "tags", tags=[types.DiagnosticTag.Unnecessary, types.DiagnosticTag.Deprecated]
        ),
        types.Diagnostic(
            RANGE,
            "related",
            related_information=[
                types.DiagnosticRelatedInformation(
                    types.Location("file:///a%20b.yaml", RANGE), 'the "other"'
                ),
                types.DiagnosticRelatedInformation(types.Location("untitled:ü", RANGE), "one more"),
            ],
        ),
    ],
)
def test_any_diagnostic(item: types.Diagnostic) -> None:
    assert json.loads(diagnostic_json(item)) == as_sent(item)
    assert diagnostic_json(item).isascii()


def test_an_edit_elsewhere_writes_no_diagnostic_again() -> None:
    """A finding about a part of a text (`invalid-regex`) stays the same object, so its JSON is reused."""
    text = "name: a\nskill: b\ntasks: [a.yaml]\ngraders:\n"
    text += "".join(f"- type: text\n  name: g{it}\n  config: {{regex_match: ['ok (a']}}\n" for it in range(3))
    snapshot = Snapshot.of("file:///nowhere/eval.yaml", text, 1)
    last: DiagnosticJsonCache = {}
    world = CheckContext(snapshot.path, Scope())
    written = diagnostics_json(snapshot, world, last)
    assert sum("invalid-regex" in it for it in written) == 3
    marks = {id(mark) for mark, _ in last.values() if mark.part is not None}
    assert len(marks) == 3
    place = types.Position(0, len("name: a"))
    after = snapshot.with_changes([types.TextDocumentContentChangePartial(types.Range(place, place), "x")], 2)
    assert diagnostics_json(after, world, last) == written
    assert marks == {id(mark) for mark, _ in last.values() if mark.part is not None}
