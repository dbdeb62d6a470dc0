"""The hover over a failed check: what was recorded comes before what the option means."""

from lsprotocol import types

from waza_lsp.features.recorded_hover import Recorded, recorded_hover

WHERE = types.Range(types.Position(1, 2), types.Position(1, 5))
MEANING = types.Hover(types.MarkupContent(types.MarkupKind.Markdown, "**contains** · texts"), WHERE)


def text_of(hover: types.Hover | None) -> str:
    assert hover is not None
    assert isinstance(hover.contents, types.MarkupContent)
    return hover.contents.value


def test_what_was_recorded_comes_first() -> None:
    hover = recorded_hover(MEANING, [Recorded("", "missing: a_b", "1  one\n2  two")], WHERE)
    assert text_of(hover) == (
        "**Not passed**: missing: a\\_b\n\n```text\n1  one\n2  two\n```\n\n---\n\n**contains** · texts"
    )


def test_each_task_is_named_where_several_are_meant() -> None:
    hover = recorded_hover(None, [Recorded("t1", "x", ""), Recorded("t2", "y", "")], WHERE)
    assert text_of(hover) == "**Not passed by t1**: x\n\n**Not passed by t2**: y"
    assert hover is not None
    assert hover.range == WHERE


def test_recorded_text_cannot_end_its_block() -> None:
    hover = recorded_hover(None, [Recorded("", "x", "1  ```\n2  **loud**")], WHERE)
    assert text_of(hover).endswith("````text\n1  ```\n2  **loud**\n````")


def test_without_a_failure_nothing_changes() -> None:
    assert recorded_hover(MEANING, [], WHERE) is MEANING
    assert recorded_hover(None, [], WHERE) is None
