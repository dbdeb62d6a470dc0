"""What has changed in the tree of the test view since the client got it: `waza/tests {since}`.

The tree of 1,000 tasks is a megabyte, and an edit changes a few hundred bytes of it. `docs/protocol.md` fixes the shape.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from lsprotocol import types

from waza_lsp.features.tests import Item
from waza_lsp.syntax.text import lines_moved

_Key = tuple[str | None, str]
"""The keys of an item's parent (None for roots) and of the item."""
Changes = dict[str, Any]


class ShownTree:
    """The tree that the client has."""

    def __init__(self) -> None:
        self.version = 0
        self._items: dict[_Key, Item] = {}

    def changes(self, since: int, items: list[Item]) -> Changes:
        """Return how a client with the version `since` gets these items; all of them if it has another version."""
        before, after = self._items, dict(_flat(items, None))
        is_known = since == self.version and since > 0
        self.version += 1
        self._items = after
        if not is_known:
            return {"version": self.version, "items": items, "changed": [], "removed": [], "moved": []}
        moved, kept = _moves(before, after), {key for _, key in after}
        return {
            "version": self.version,
            "items": None,
            "changed": list(_changed(before, after, moved)),
            "removed": [
                {"parent": parent, "key": key}
                for parent, key in before
                # What is below a removed item goes with it.
                if (parent, key) not in after and (parent is None or parent in kept)
            ],
            "moved": [{"uri": uri, "line": line, "lines": by} for uri, (line, by) in moved.items()],
        }


def _flat(items: Iterable[Item], parent: str | None) -> Iterator[tuple[_Key, Item]]:
    """Yield items with their index and without their children, parents first."""
    for index, it in enumerate(items):
        own = {**it, "index": index}
        del own["children"]
        yield (parent, it["key"]), own
        yield from _flat(it["children"], it["key"])


def _moves(before: Mapping[_Key, Item], after: Mapping[_Key, Item]) -> dict[str, tuple[int, int]]:
    """Return for files whose lines have moved: from which line on, and by how many lines most items have."""
    counts: dict[str, Counter[int]] = {}
    first: dict[tuple[str, int], int] = {}
    for key, new in after.items():
        old = before.get(key)
        if old is not None and old["uri"] == new["uri"] and (by := _by(old, new)):
            uri, line = new["uri"], old["range"].start.line
            counts.setdefault(uri, Counter())[by] += 1
            first[uri, by] = min(line, first.get((uri, by), line))
    most = {uri: its.most_common(1)[0][0] for uri, its in counts.items()}
    return {uri: (first[uri, by], by) for uri, by in most.items()}


def _by(old: Item, new: Item) -> int:
    return 0 if old["range"] is new["range"] else lines_moved(old["range"], new["range"]) or 0


def _changed(
    before: Mapping[_Key, Item], after: Mapping[_Key, Item], moved: Mapping[str, tuple[int, int]]
) -> Iterator[Changes]:
    for (parent, key), new in after.items():
        old = before.get((parent, key))
        if old is None:
            yield {"parent": parent, **new}
            continue
        members = {name: it for name, it in new.items() if it is not old.get(name) and it != old.get(name)}
        line, by = moved.get(new["uri"], (0, 0))
        place: types.Range = old["range"]
        if by and place.start.line >= line:
            if _by(old, new) == by:
                members.pop("range", None)
            else:
                members["range"] = new["range"]
        if members:
            yield {"parent": parent, "key": key, **members}
