"""Every situation of completion over the wire: kinds of file x layouts x editors with and without snippets."""

import re
from collections.abc import Iterator
from typing import Any

import pytest

from tests.behaviour.completion_harness import expanded
from tests.behaviour.harness import CURSOR
from tests.behaviour.layouts import LAYOUTS, Written, laid_out
from tests.behaviour.situations import KINDS, REST, Kind, Offered, offered, taken
from tests.behaviour.wire import FULL, LEAST, Editor
from tests.slow import first_quick

Items = list[dict[str, Any]]


@pytest.fixture(scope="module")
def editors(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Editor]]:
    root = tmp_path_factory.mktemp("workspace")
    (root / "tasks").mkdir()
    (root / "eval.yaml").write_text("name: demo\nskill: notes\ntasks: [tasks/*.yaml]\n", encoding="utf-8")
    with Editor(root, FULL) as able, Editor(root, LEAST) as plain:
        yield {"snippets": able, "plain": plain}


@pytest.mark.parametrize(
    ("editor", "layout"),
    [
        *first_quick(("snippets", it) for it in LAYOUTS),
        *first_quick((("plain", it) for it in LAYOUTS[::3]), 0),
    ],
    ids=str,
)
@pytest.mark.parametrize("kind", KINDS, ids=lambda it: it.file)
def test_taking_an_item(kind: Kind, editor: str, layout: Written, editors: dict[str, Editor]) -> None:
    for case in taken(kind):
        if layout.flush and not case.any_layout:
            continue
        before, after = laid_out(case.before, layout), laid_out(case.after, layout)
        items = _asked(editors[editor], kind.file, before)
        shown = f"{case.id} {kind.file} {layout} {editor}\n{before}"
        assert not {it["label"] for it in items} & set(case.lacks), shown
        item = _item(items, case.label, shown)
        result = _applied(before, item)
        shape = "".join(".*" if it == REST else re.escape(it) for it in re.split(f"({REST})", after))
        assert re.fullmatch(shape, result.rstrip(" "), re.DOTALL), (
            f"{shown}\n--- after '{case.label}'\n{result}"
        )
        if layout.line_end == "\r\n":
            assert "\n" not in result.replace("\r\n", ""), shown
        if editor == "plain":
            assert item.get("insertTextFormat", 1) == 1, shown


@pytest.mark.parametrize("layout", LAYOUTS, ids=str)
@pytest.mark.parametrize("kind", KINDS, ids=lambda it: it.file)
def test_what_is_offered(kind: Kind, layout: Written, editors: dict[str, Editor]) -> None:
    for case in offered(kind):
        before = laid_out(case.before, layout)
        labels = [it["label"] for it in _asked(editors["snippets"], kind.file, before)]
        _check(case, labels, f"{case.id} {kind.file} {layout}\n{before}\n{labels}")


def _check(case: Offered, labels: list[str], shown: str) -> None:
    assert len(set(labels)) == len(labels), shown
    assert not set(labels) & set(case.lacks), shown
    assert set(case.has) <= set(labels), shown
    assert tuple(labels[: len(case.first)]) == case.first, shown
    if not (case.has or case.first or case.lacks):
        assert not labels, shown


def _asked(editor: Editor, name: str, document: str) -> Items:
    """Return the items at the mark in display order."""
    before, _, after = document.partition(CURSOR)
    uri = editor.open(name, before + after)
    last = before.rpartition("\n")[2]
    found = editor.at("completion", uri, before.count("\n"), len(last.encode("utf-16-le")) // 2)
    editor.close(uri)
    items: Items = found["items"]
    return sorted(items, key=lambda it: it["sortText"])


def _item(items: Items, label: str, shown: str) -> dict[str, Any]:
    found = [it for it in items if it["label"] == label]
    assert len(found) == 1, f"'{label}' among {[it['label'] for it in items]}\n{shown}"
    return found[0]


def _applied(document: str, item: dict[str, Any]) -> str:
    """Return the document after accepting an item, without the mark; tab stops have their default text."""
    before, _, after = document.partition(CURSOR)
    lines = (before + after).split("\n")
    start, end = item["textEdit"]["range"]["start"], item["textEdit"]["range"]["end"]
    assert start["line"] == end["line"] == before.count("\n"), "the edit leaves the line"
    cursor = len(before.rpartition("\n")[2].encode("utf-16-le")) // 2
    assert start["character"] <= cursor <= end["character"], "the edit does not hold the cursor"
    new = item["textEdit"]["newText"]
    if item.get("insertTextFormat") == 2:
        new = expanded(new)
    source = lines[start["line"]].encode("utf-16-le")
    lines[start["line"]] = (
        source[: start["character"] * 2].decode("utf-16-le")
        + new
        + source[end["character"] * 2 :].decode("utf-16-le")
    )
    return "\n".join(lines)


@pytest.mark.parametrize("kind", KINDS, ids=lambda it: it.file)
def test_items_have_more_to_say_when_asked(kind: Kind, editors: dict[str, Editor]) -> None:
    editor = editors["snippets"]
    assert editor.abilities["completionProvider"]["resolveProvider"] is True
    items = _asked(editor, kind.file, f"{kind.root}\n{CURSOR}")
    for item in [it for it in items if it["label"] == kind.missing]:
        resolved = editor.ask("completionItem/resolve", item)
        assert resolved["textEdit"] == item["textEdit"]
        said, more = item["documentation"]["value"], resolved["documentation"]["value"]
        assert more.startswith(said)
        assert len(more) > len(said)
        return
    raise AssertionError(kind.missing)
