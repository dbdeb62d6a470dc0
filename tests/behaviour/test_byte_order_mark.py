"""Documents that an editor sends with a byte-order mark."""

from pathlib import Path

import pytest
from lsprotocol import types

from tests.behaviour.completion_harness import completions_at
from tests.behaviour.findings_harness import HEADER, findings_in, only_finding
from tests.behaviour.fixes_harness import check_fix
from tests.behaviour.harness import snapshot_of
from waza_engine.analysis.pipeline import CheckContext
from waza_engine.model.findings import Scope
from waza_lsp.features.diagnostics import findings
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Place, Span, Text

MARK = "\ufeff"


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        (f"{MARK}na¦\nskill: x\n", "name"),
        (f"{MARK}¦", "name"),
        (f"{MARK}na¦: b\nskill: x\ntasks: [a]\n", "name"),
    ],
)
def test_keys_are_offered_behind_it(text: str, wanted: str) -> None:
    found = completions_at(text, "eval.yaml")
    [item] = [it for it in found.items if it.label == wanted]
    assert found.applied(item).startswith("name")
    assert isinstance(item.text_edit, types.TextEdit)
    assert item.text_edit.range.start == types.Position(0, 1)


def test_a_finding_on_the_first_line_stands_on_its_word() -> None:
    found = only_finding(MARK + HEADER.replace("name:", "nmae:"))
    assert (found.line, found.underlined) == (1, "nmae")
    check_fix(MARK + "¦" + HEADER.replace("name:", "nmae:"), MARK + HEADER)


@pytest.mark.parametrize(("encoding", "units"), [("utf-16", 1), ("utf-8", 3), ("utf-32", 1)])
def test_clients_count_it(encoding: str, units: int) -> None:
    snapshot = Snapshot.of("file:///a/eval.yaml", MARK + HEADER.replace("name:", "nmae:"), 1, encoding)
    [mark] = findings(snapshot, CheckContext(Path("/a/eval.yaml"), Scope(None, None)))
    expected = types.Range(types.Position(0, units), types.Position(0, units + 4))
    assert snapshot.text.range(mark.span) == expected
    assert snapshot.text.start_and_length(mark.span) == (0, units, 4)
    assert f'"character":{units + 4}' in snapshot.text.range_json(mark.span)
    assert snapshot.text.place(expected.start) == Place(0, 0)
    assert snapshot.text.position(Place(1, 2)) == types.Position(1, 2)


@pytest.mark.parametrize("text", ["", "\n", "# about\n", "---\n"])
def test_with_nothing_else_the_file_is_empty(text: str) -> None:
    assert [it.code for it in findings_in(MARK + text)] == ["empty-file"]


@pytest.mark.parametrize("text", ["# about\n" + HEADER, "---\n" + HEADER, "%YAML 1.2\n---\n" + HEADER])
def test_what_may_stand_before_the_first_key_may_stand_behind_it(text: str) -> None:
    assert findings_in(MARK + text) == []


def _range(start: tuple[int, int], end: tuple[int, int]) -> types.Range:
    return types.Range(types.Position(*start), types.Position(*end))


@pytest.mark.parametrize(
    ("before", "start", "end", "new", "after"),
    [
        (f"{MARK}ab\nc", (0, 1), (0, 2), "x", f"{MARK}xb\nc"),
        (f"{MARK}ab\nc", (0, 0), (0, 1), "", "ab\nc"),
        (f"{MARK}ab\nc", (0, 0), (0, 2), "x", "xb\nc"),
        (f"{MARK}ab\nc", (0, 0), (1, 0), "", "c"),
        (f"{MARK}ab\nc", (0, 0), (0, 0), "x\n", f"x\n{MARK}ab\nc"),
        (f"{MARK}ab\nc", (0, 1), (0, 1), MARK, f"{MARK}{MARK}ab\nc"),
        ("ab\nc", (0, 0), (0, 0), MARK, f"{MARK}ab\nc"),
        ("ab\nc", (0, 0), (0, 1), f"{MARK}x", f"{MARK}xb\nc"),
        (f"{MARK}ab\nc", (1, 0), (1, 1), "x", f"{MARK}ab\nx"),
        (f"{MARK}ab\nc", (0, 3), (1, 0), "", f"{MARK}abc"),
        (f"{MARK}ab\nc", (0, 0), (1, 1), f"{MARK}x", f"{MARK}x"),
    ],
)
def test_edits_around_it(
    before: str, start: tuple[int, int], end: tuple[int, int], new: str, after: str
) -> None:
    changed = Text.of(before).replace_range(_range(start, end), new)
    assert str(changed) == after
    assert changed == Text.of(after)


def test_a_whole_new_text_brings_its_own() -> None:
    assert str(Text.of(f"{MARK}a").replace(None, "b")) == "b"
    assert str(Text.of("a").replace(None, f"{MARK}b")) == f"{MARK}b"
    assert str(Text.of(f"{MARK}a").replace(Span(Place(0, 0), Place(0, 1)), "b")) == f"{MARK}b"


def test_the_line_of_the_mark_is_read_as_any_other() -> None:
    assert snapshot_of(MARK + HEADER).data == snapshot_of(HEADER).data


def test_a_mark_that_comes_to_the_front_is_one() -> None:
    text = Text.of(f"{MARK}name: n\n")
    there = text.replace_range(_range((0, 0), (0, 0)), "y")
    assert (there.is_marked, there.lines[0]) == (False, f"y{MARK}name: n\n")
    assert there.replace_range(_range((0, 0), (0, 1)), "") == text
