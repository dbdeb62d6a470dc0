"""Features that are newer than the project's version of waza."""

from collections.abc import Iterator
from typing import Any

import pytest
from lsprotocol import types

from tests.behaviour.findings_harness import HEADER
from tests.behaviour.harness import snapshot_of
from waza_engine.analysis.pipeline import CheckContext
from waza_engine.analysis.versions import version_findings
from waza_engine.model.findings import Finding
from waza_engine.project.settings import read_target
from waza_engine.recognition.releases import is_newer
from waza_lsp.features.diagnostics import findings
from waza_lsp.syntax.text import Place, Span

SUITE = (
    HEADER
    + """\
graders:
  - type: tool_calls
    name: calls
    config:
      min_calls: 1
  - type: json_schema
    name: fits
    config:
      schema: {type: object}
      extract_json: true
"""
)


def _newer(target: str) -> list[tuple[str, str]]:
    snapshot = snapshot_of(SUITE)
    marks = findings(snapshot, CheckContext(snapshot.path, target=target))
    found = [it for it in marks if it.finding.code == "newer-than-target"]
    assert all(str(it.finding.severity) == "error" for it in found)  # waza 0.24 to 0.35 reads files strictly.
    return [(snapshot.text.slice(it.span), it.finding.message) for it in found]


def test_an_option_and_a_type() -> None:
    assert _newer("0.26") == [
        ("tool_calls", "'tool_calls' needs waza 0.27, but this project uses 0.26, which refuses it"),
        ("extract_json", "'extract_json' needs waza 0.36, but this project uses 0.26, which refuses it"),
    ]
    assert _newer("0.27.0") == [
        ("extract_json", "'extract_json' needs waza 0.36, but this project uses 0.27.0, which refuses it")
    ]
    assert _newer("0.36") == []
    assert _newer("") == []


@pytest.mark.parametrize(
    ("since", "target", "newer"),
    [
        ("0.36", "0.36", False),
        ("0.36", "0.36.1", False),
        ("0.36.1", "0.36", True),
        ("0.9", "0.10", False),
        ("1.0", "0.99", True),
    ],
)
def test_versions_are_compared_as_numbers(since: str, target: str, newer: bool) -> None:
    assert is_newer(since, target) is newer


@pytest.mark.parametrize(
    ("given", "read"), [("0.34", "0.34"), ("v0.34.1", "0.34.1"), (" 1.0 ", "1.0"), ("", "")]
)
def test_a_version(given: str, read: str) -> None:
    assert read_target(given, "target") == (read, [])


@pytest.mark.parametrize("given", [0.34, "latest", "34", ["0.34"], None])
def test_no_version(given: object) -> None:
    assert read_target(given, "target") == (
        "",
        ["target must be a version in quotes, such as '0.34'; the newest is meant"],
    )


def _seen(text: str, target: str, name: str = "eval.yaml") -> list[tuple[str, str]]:
    """Return codes and severities, without findings about newer features."""
    snapshot = snapshot_of(text, name)
    marks = findings(snapshot, CheckContext(snapshot.path, target=target))
    return [
        (it.finding.code, str(it.finding.severity)) for it in marks if it.finding.code != "newer-than-target"
    ]


TASK = "id: a\nname: a\ninputs: {prompt: Say hello.}\n"


def test_unknown_keys_are_errors_since_files_are_read_strictly() -> None:
    text = HEADER + "trails: 3\n"
    assert _seen(text, "") == [("unknown-key", "warning")]
    assert _seen(f"scenario: x\nschemaVersion: '2.0'\n{text}", "")[0] == ("unknown-key", "error")
    assert _seen(text, "0.35") == [("unknown-key", "error")]
    assert _seen(text, "0.24") == [("unknown-key", "error")]
    assert _seen(text, "0.23") == [("unknown-key", "warning")]


def test_messages_of_older_versions_are_shown() -> None:
    snapshot = snapshot_of(HEADER + "traisl: 3\n")
    [mark] = findings(snapshot, CheckContext(snapshot.path, target="0.23.1"))
    assert mark.finding.message.endswith("(waza 0.23.1 ignores it silently)")


def test_a_setting_is_no_old_one_before_it_was_renamed() -> None:
    text = HEADER + "  max_workers: 3\n"
    assert _seen(text, "") == [("legacy-shape", "information")]
    assert _seen(text, "0.23") == []


def test_older_versions_ignore_the_limit_of_a_task() -> None:
    text = TASK + "timeout_seconds: 0\nexpected: {output_contains: [hello]}\n"
    assert _seen(text, "0.35", "tasks/a.yaml") == [("out-of-range", "error")]
    assert _seen(text, "0.34", "tasks/a.yaml") == [("out-of-range", "warning")]


def test_expectations_had_no_effect_at_first() -> None:
    text = TASK + "expected: {output_contains: [hello], output_not_contains: []}\n"
    assert _seen(text, "0.26", "tasks/a.yaml") == [("never-applied", "warning")]
    assert _seen(text, "0.27", "tasks/a.yaml") == []


ALIASES = (
    HEADER
    + """\
graders:
  - &calls
    type: tool_calls
    name: calls
    config: &limits {min_calls: 1}
  - *calls
  - {type: json_schema, name: fits, config: {schema: {type: object}, extract_json: true}}
"""
)


def test_what_is_at_an_anchor_is_not_found_again_at_its_aliases() -> None:
    snapshot = snapshot_of(ALIASES)
    marks = findings(snapshot, CheckContext(snapshot.path, target="0.26"))
    lines = [it.span.start.line for it in marks if it.finding.code == "newer-than-target"]
    assert [snapshot.text.line(it).strip()[:10] for it in lines] == ["type: tool", "- {type: j"]


@pytest.mark.parametrize(
    "text", ["a: [", "- 1", "7", "{name: a, graders: [{type: tool_calls, name: b}]}", ""]
)
def test_texts_of_any_shape(text: str) -> None:
    snapshot = snapshot_of(text)
    newest = findings(snapshot, CheckContext(snapshot.path))
    older = findings(snapshot, CheckContext(snapshot.path, target="0.26"))
    assert {it.span for it in newest} <= {it.span for it in older}


def test_an_edit_costs_the_pieces_that_it_touches(monkeypatch: pytest.MonkeyPatch) -> None:
    checked: list[object] = []

    def watched(dialect: str, kind: str, data: Any, target: str, **more: Any) -> Iterator[Finding]:
        checked.append(data)
        return version_findings(dialect, kind, data, target, **more)

    for module in ("pieces", "rules"):
        monkeypatch.setattr(f"waza_lsp.diagnostics.{module}.version_findings", watched)
    many = "".join(
        f"  - {{type: tool_calls, name: calls{it}, config: {{min_calls: 1}}}}\n" for it in range(50)
    )
    snapshot = snapshot_of(SUITE + many)
    context = CheckContext(snapshot.path, target="0.26")
    before = findings(snapshot, context)
    assert len(checked) > 50
    checked.clear()
    line = next(it for it, text in enumerate(snapshot.text.lines) if "calls25" in text)
    span = types.Range(types.Position(line, 4), types.Position(line, 21))
    edited = snapshot.with_changes([types.TextDocumentContentChangePartial(span, "{type: text")], 2)
    after = findings(edited, context)
    assert len([it for it in checked if "type" in str(it)]) == 1
    newer_types = [
        [it.span for it in marks if it.finding.code == "newer-than-target"] for marks in (before, after)
    ]
    assert [it for it in newer_types[0] if it not in newer_types[1]] == [
        Span(Place(line, 11), Place(line, 21))
    ]
    fresh = findings(snapshot_of(str(edited.text)), context)
    assert [it.in_document for it in after] == [it.in_document for it in fresh]
