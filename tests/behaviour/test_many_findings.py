"""Of very many findings those that matter are shown, wherever they stand."""

from lsprotocol import types

from tests.behaviour.harness import snapshot_of
from waza_lsp.features.diagnostics import diagnostics
from waza_lsp.schema.world import World

HEAD = "name: n\nskill: s\nconfig: {trials_per_task: 1, timeout_seconds: 9, executor: mock, model: m}\ntasks: [t.yaml]\n"


def test_an_error_below_thousands_of_warnings_is_shown() -> None:
    metrics = "".join(f"  - {{name: metric_{at}, weight: 1, threshold: 0.5}}\n" for at in range(5_200))
    snapshot = snapshot_of(f"{HEAD}metrics:\n{metrics}graders:\n  - type: txet\n    name: g\n")
    found = diagnostics(snapshot, World())
    assert len(found) == 5_000
    assert [it.range.start.line for it in found if it.severity is types.DiagnosticSeverity.Error] == [5_206]
    assert found == sorted(found, key=lambda it: it.range.start)
    assert "more findings are shown once some of these are mended" in found[-1].message
