"""Very many findings: the most severe ones are shown, and every request stays fast."""

import time

import pytest
from lsprotocol import types

from tests.behaviour.fixes_harness import findings_of
from tests.behaviour.harness import snapshot_of
from waza_engine.analysis.pipeline import CheckContext
from waza_lsp.features.code_action import code_action
from waza_lsp.features.diagnostics import diagnostics
from waza_lsp.features.formatting import formatting

HEAD = "name: n\nskill: s\nconfig: {trials_per_task: 1, timeout_seconds: 9, executor: mock, model: m}\ntasks: [t.yaml]\n"


def test_an_error_below_thousands_of_warnings_is_shown() -> None:
    metrics = "".join(f"  - {{name: metric_{at}, weight: 1, threshold: 0.5}}\n" for at in range(5_200))
    snapshot = snapshot_of(f"{HEAD}metrics:\n{metrics}graders:\n  - type: txet\n    name: g\n")
    found = diagnostics(snapshot, CheckContext())
    assert len(found) == 5_000
    assert [it.range.start.line for it in found if it.severity is types.DiagnosticSeverity.Error] == [5_206]
    assert found == sorted(found, key=lambda it: it.range.start)
    assert "more findings appear once you fix some of these" in found[-1].message


SECONDS = 10
"""Seconds of processor time. Quadratic code would take minutes."""
CROWDS = {
    "unknown keys": "".join(f"foo{at}: 1\n" for at in range(2_000)),
    "equal keys": "name: x\n" * 2_000,
    "keys of one mapping": "x:\n"
    + "".join(f"  - {at}\n" for at in range(2_000))
    + "config:\n"
    + "  a: 1\n" * 2_000,
    "graders": "graders:\n" + "".join(f"  - {{name: g{at}, type: txet}}\n" for at in range(2_000)),
}


@pytest.mark.slow
@pytest.mark.parametrize("crowd", CROWDS)
def test_fixes_of_a_selected_file_come_soon(crowd: str) -> None:
    snapshot = snapshot_of(HEAD + CROWDS[crowd])
    marks = findings_of(snapshot)
    assert len(marks) >= 2_000
    everything = types.Range(types.Position(0, 0), types.Position(20_000, 0))
    reported = diagnostics(snapshot, CheckContext())
    context = types.CodeActionContext(reported, [types.CodeActionKind.QuickFix])
    began = time.process_time()
    found = code_action(snapshot, everything, context, lambda _: marks)
    assert time.process_time() - began < SECONDS
    assert 10 <= len(found) <= 200
    assert all(it.diagnostics for it in found)


@pytest.mark.slow
def test_a_long_file_is_formatted_soon() -> None:
    crooked = "foo:\n  a: 1\n" + "".join(f"foo{at}:\n     a: 1\n" for at in range(2_000))
    began = time.process_time()
    assert len(formatting(snapshot_of(HEAD + crooked))) == 2_000
    assert time.process_time() - began < SECONDS


@pytest.mark.slow
def test_thousands_of_suppressions_are_fast() -> None:
    silenced = "".join(f"foo{at}: 1 # waza-lsp: ignore[unknown-key]\n" for at in range(3_000))
    row = "# waza-lsp: ignore[unknown-key]\n" * 30_000
    began = time.process_time()
    assert [it.finding.code for it in findings_of(snapshot_of(f"{HEAD}{silenced}{row}bar: 1\n"))] == []
    assert time.process_time() - began < SECONDS
