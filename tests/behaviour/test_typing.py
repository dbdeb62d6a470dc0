"""Whole files typed letter by letter over the wire, completion asked for after each: nothing fails, nothing silly is offered.

Taking any item at any moment leaves a text that can be read once its brackets and quotes are closed, in which no key
stands twice and none is strange that was not strange before. The edit stays on the line of the cursor.
"""

from collections import Counter
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import pytest
import yaml

from tests.behaviour.completion_harness import expanded
from tests.behaviour.test_completion_anywhere import EVERYTHING, EXAMPLES, PROJECT
from tests.behaviour.wire import FULL, Editor
from waza_engine.rules.unknown_key import UNKNOWN_KEY
from waza_lsp.snapshot import Snapshot

pytestmark = pytest.mark.slow
CLOSINGS = ["", "]", "}", "}}", "]}", "}]", "]}}", '"', "'", '"]', '"}', "']", "'}"]
TYPED = {
    "eval.yaml": EVERYTHING,
    ".waza.yaml": PROJECT,
    "suite/demo.vally.yaml": (EXAMPLES / "support-desk/eval.yaml").read_text(encoding="utf-8")[:600],
    "suite/trigger_tests.yaml": (EXAMPLES / "deploy-orchestrator/trigger_tests.yaml").read_text(
        encoding="utf-8"
    ),
    "suite/tasks/unrelated-question.yaml": (
        EXAMPLES / "deploy-orchestrator/tasks/unrelated-question.yaml"
    ).read_text(encoding="utf-8")[:400],
}


@pytest.fixture(scope="module")
def editor(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Editor]:
    root = tmp_path_factory.mktemp("workspace")
    (root / "suite" / "tasks").mkdir(parents=True)
    with Editor(root, FULL) as opened:
        yield opened


@pytest.mark.parametrize("name", TYPED)
def test_a_file_is_typed(name: str, editor: Editor) -> None:
    text = TYPED[name]
    uri = editor.open(name, "")
    typed = ""
    taken = 0
    for letter in text:
        line, before = typed.count("\n"), typed.rpartition("\n")[2]
        editor.type(uri, line, _units(before), letter)
        typed += letter
        line, before = typed.count("\n"), typed.rpartition("\n")[2]
        items = editor.at("completion", uri, line, _units(before))["items"]
        twice = [label for label, count in Counter(it["label"] for it in items).items() if count > 1]
        assert not twice, f"{typed}¦\n{twice}"
        for item in items:
            _check(name, typed, line, before, item)
            taken += 1
    editor.close(uri)
    assert taken > 20


def _check(name: str, typed: str, line: int, before: str, item: dict[str, Any]) -> None:
    edit = item["textEdit"]
    start, end = edit["range"]["start"], edit["range"]["end"]
    shown = f"{typed}¦\n--- '{item['label']}' {edit}"
    assert start["line"] == end["line"] == line, shown
    assert start["character"] <= end["character"] == _units(before), shown
    new = expanded(edit["newText"]) if item.get("insertTextFormat") == 2 else edit["newText"]
    kept = before.encode("utf-16-le")[: start["character"] * 2].decode("utf-16-le")
    above = typed[: len(typed) - len(before)]
    closed = _closed(above + kept + new)
    assert closed is not None, shown
    _check_keys(yaml.compose(closed, yaml.CSafeLoader), shown)
    strange = _strange(name, above, closed) - _strange(name, above, _closed(above))
    assert not strange, f"{shown}\n{strange}"


def _units(text: str) -> int:
    return len(text.encode("utf-16-le")) // 2


@lru_cache(maxsize=8)
def _closed(text: str) -> str | None:
    """Return the text with missing closing brackets and quotes added."""
    for closing in CLOSINGS:
        try:
            yaml.compose(text + closing, yaml.CSafeLoader)
        except yaml.YAMLError:
            continue
        return text + closing
    return None


def _check_keys(node: yaml.Node | None, shown: str) -> None:
    if isinstance(node, yaml.MappingNode):
        keys = [key.value for key, _ in node.value if key.value != "<<"]
        assert len(set(keys)) == len(keys), shown
        for _, value in node.value:
            _check_keys(value, shown)
    elif isinstance(node, yaml.SequenceNode):
        for value in node.value:
            _check_keys(value, shown)


@lru_cache(maxsize=64)
def _strange(name: str, above: str, text: str | None) -> frozenset[str]:
    """Return the findings about unknown keys in a text; `above` determines the kind of file."""
    form = Snapshot.of(f"file:///suite/{name}", above).form
    if form is None or text is None:
        return frozenset()
    data = yaml.load(text, yaml.CBaseLoader)  # noqa: S506  # BaseLoader makes texts only
    return frozenset(it.message for it in form.checker.check(data or {}) if it.rule is UNKNOWN_KEY)
