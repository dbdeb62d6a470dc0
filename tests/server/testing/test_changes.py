"""`waza/tests {since}`: applying the changes to the earlier tree gives the tree that a fresh client gets."""

import json
from pathlib import Path
from typing import Any

import pytest

from waza_lsp.features.tests import Item
from waza_lsp.features.tests import tests as trees_of
from waza_lsp.server.testing.changes import ShownTree
from waza_lsp.server.testing.wire import changes_json, items_json
from waza_lsp.snapshot import Snapshot
from waza_lsp.workspace.workspace import WorkspaceFiles

TASK = "  - name: {0}\n    prompt: p\n    graders:\n      - {{type: output-contains, config: {{substring: {0}}}}}\n"
HEAD = "name: n\nstimuli:\n"


def text(*names: str, head: str = HEAD) -> str:
    return head + "".join(TASK.format(it) for it in names)


def items(folder: Path, source: str) -> list[Item]:
    snapshot = Snapshot.of((folder / "eval.yaml").as_uri(), source)
    return trees_of([snapshot], WorkspaceFiles(folder))


def plain(value: Any) -> Any:
    return json.loads(changes_json(value) if isinstance(value, dict) else items_json(value))


def flat(found: list[Any], parent: str | None = None) -> dict[Any, Any]:
    """The items of a whole tree, as a client keeps them."""
    result = {}
    for index, it in enumerate(found):
        own = {**it, "index": index}
        children = own.pop("children")
        result[parent, it["key"]] = own
        result |= flat(children, it["key"])
    return result


def removed(now: dict[Any, Any], parent: str | None, key: str) -> None:
    del now[parent, key]
    for _, child in [it for it in now if it[0] == key]:
        removed(now, key, child)


def applied(before: dict[Any, Any], answer: Any) -> dict[Any, Any]:
    """The tree of a client that applies an answer, as `docs/protocol.md` says."""
    now = {key: {**it} for key, it in before.items()}
    for gone in answer["removed"]:
        removed(now, gone["parent"], gone["key"])
    for move in answer["moved"]:
        for it in now.values():
            if it["uri"] == move["uri"] and it["range"]["start"]["line"] >= move["line"]:
                it["range"] = {
                    end: {**place, "line": place["line"] + move["lines"]}
                    for end, place in it["range"].items()
                }
    for (parent, _), it in now.items():
        for move in answer["pointers"]:
            _renumber(it, move)
        for move in answer["places"]:
            if parent == move["parent"] and it["index"] >= move["index"]:
                it["index"] += move["by"]
    for entry in answer["changed"]:
        key = entry["parent"], entry["key"]
        now[key] = {**now.get(key, {}), **{name: it for name, it in entry.items() if name != "parent"}}
    return now


def _renumber(item: dict[str, Any], move: dict[str, Any]) -> None:
    place, pointer = move["list"], item["pointer"]
    depth = len(place)
    if item["uri"] != move["uri"] or pointer[:depth] != place or len(pointer) <= depth:
        return
    if isinstance(pointer[depth], int) and pointer[depth] >= move["index"]:
        item["pointer"] = [*place, pointer[depth] + move["by"], *pointer[depth + 1 :]]
        for it in item["command"]["arguments"]:
            if "pointer" in it:
                it["pointer"] = item["pointer"]


@pytest.mark.parametrize(
    ("before", "after", "size"),
    [
        (text("a", "b", "c"), text("a", "b", "c"), 0),
        (text("a", "b", "c"), text("a", "renamed", "c"), 2),
        (text("a", "b", "c"), text("a", "b", "c", head="# one\n# two\n" + HEAD), 0),
        (text("a", "b", "c", head="# one\n# two\n" + HEAD), text("a", "b", "c"), 0),
        (text("a", "b", "c"), text("a", "c"), 1),
        (text("a", "c"), text("a", "b", "c"), 3),
        (text("a", "c", "d"), text("a", "b", "c", "e"), 5),
        (text("a", "b", "c", "d"), text("b", "new", "d", "c"), 8),
        (text("a", "b", "c"), text("c", "b", "a"), 6),
        (text("a", "b", "c"), text("a", "b", "c").replace("p\n", "longer\n", 1), 1),
        (text("a", "b", "c"), text("a", "b", "b"), 3),
        (text("a"), HEAD + "  []\n", 1),
        (text("a", "b"), "name: other\n" + text("a", "b").partition("\n")[2], 1),
        (text("a", "b"), "", 0),
        ("", text("a", "b"), 5),
    ],
)
def test_changes_lead_to_the_tree_of_a_fresh_client(
    tmp_path: Path, before: str, after: str, size: int
) -> None:
    tree = ShownTree()
    first = plain(tree.changes(0, items(tmp_path, before)))
    answer = plain(tree.changes(first["version"], items(tmp_path, after)))
    assert answer["items"] is None
    assert applied(flat(first["items"]), answer) == flat(plain(items(tmp_path, after)))
    assert len(answer["changed"]) <= size


def test_another_version_gets_the_whole_tree(tmp_path: Path) -> None:
    tree = ShownTree()
    found = items(tmp_path, text("a"))
    first = tree.changes(0, found)
    assert tree.changes(0, found)["items"] == found
    assert tree.changes(first["version"], found)["items"] == found, "it was not the last answer"
    last = tree.version
    assert tree.changes(last, found)["items"] is None


def test_an_edit_of_many_tasks_sends_little(tmp_path: Path) -> None:
    names = [f"task-{it}" for it in range(300)]
    all_of_them = items(tmp_path, text(*names))
    for edited in (
        text(*names, head="# c\n" + HEAD),
        text(*names[:150], "new", *names[150:]),
        text(*names[:150], *names[151:]),
    ):
        tree = ShownTree()
        assert len(changes_json(tree.changes(0, all_of_them))) > 100_000
        assert len(changes_json(tree.changes(tree.version, items(tmp_path, edited)))) < 2_500


def root(folder: Path, name: str, *tasks: str) -> Item:
    snapshot = Snapshot.of((folder / name / "eval.yaml").as_uri(), text(*tasks))
    [found] = trees_of([snapshot], WorkspaceFiles(folder))
    return found


def test_evals_that_stay_the_same_object_are_not_compared(tmp_path: Path) -> None:
    a, b, c, d = (root(tmp_path, it, "t1", "t2") for it in "abcd")
    edited, new = root(tmp_path, "b", "t1", "t3", "t2"), root(tmp_path, "ab", "t1")
    shown = ShownTree()
    now = flat(plain(shown.changes(0, [a, b, c, d])["items"]))
    for roots in ([a, edited, c, d], [a, new, edited, c, d], [c, a, d], [a, b, c, d]):
        answer = plain(shown.changes(shown.version, roots))
        now = applied(now, answer)
        assert now == flat(plain(roots))
    assert not plain(shown.changes(shown.version, [a, b, c, d]))["changed"]
