"""What has changed in the tree of the test view since the client got it: `waza/tests {since}`.

The tree of 1,000 tasks is a megabyte, and an edit changes a few hundred bytes of it. `docs/protocol.md` fixes the shape.
"""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import Any, Generic, NamedTuple, Self, TypeVar

import attrs
from lsprotocol import types

from waza_lsp.features.tests import Item
from waza_lsp.syntax.text import lines_moved

_Key = tuple[str | None, str]
"""The keys of an item's parent (None for roots) and of the item."""
Changes = dict[str, Any]
_Group = TypeVar("_Group", bound=Hashable)


class ShownTree:
    """The tree that the client has."""

    def __init__(self) -> None:
        self.version = 0
        self._items: list[Item] = []

    def is_current(self, version: int) -> bool:
        """Whether the client has the tree of the last answer."""
        return version == self.version > 0

    def changes(self, since: int, items: list[Item]) -> Changes:
        """Return how a client with the version `since` gets these items; all of them if it has another version."""
        is_known = self.is_current(since)
        self.version += 1
        shown, self._items = self._items, items
        if not is_known:
            nothing: Changes = {it: [] for it in ("changed", "removed", "moved", "pointers", "places")}
            return {"version": self.version, "items": items, **nothing}
        before, after = _differing(shown, items)
        kept, shifts = {key for _, key in after}, _Shifts.between(before, after)
        return {
            "version": self.version,
            "items": None,
            "changed": list(_changed(before, after, shifts)),
            "removed": [
                {"parent": parent, "key": key}
                for parent, key in before
                # What is below a removed item goes with it.
                if (parent, key) not in after and (parent is None or parent in kept)
            ],
            "moved": [{"uri": uri, "line": it.first, "lines": it.by} for uri, it in shifts.lines.items()],
            "pointers": [
                {"uri": uri, "list": list(place), "index": it.first, "by": it.by}
                for (uri, place), it in sorted(shifts.pointers.items(), key=lambda it: len(it[0][1]))
            ],
            "places": [
                {"parent": parent, "index": it.first, "by": it.by} for parent, it in shifts.places.items()
            ],
        }


def _differing(before: list[Item], after: list[Item]) -> tuple[dict[_Key, Item], dict[_Key, Item]]:
    """Return the items of two trees by their keys, without the inside of roots that are the same object in both."""
    if [it["key"] for it in before] == [it["key"] for it in after]:
        pairs = enumerate(zip(before, after, strict=True))
        differing = [(index, old, new) for index, (old, new) in pairs if old is not new]
        return (
            {key: it for index, old, _ in differing for key, it in _flat([old], None, index)},
            {key: it for index, _, new in differing for key, it in _flat([new], None, index)},
        )
    # Of the others the places count.
    places = {id(it): index for index, it in enumerate(before)}
    same = {id(it): index for index, it in enumerate(after) if id(it) in places}
    kept = {it for it, index in same.items() if places[it] == index}

    def flat(items: list[Item]) -> dict[_Key, Item]:
        return {
            key: it
            for index, root in enumerate(items)
            if id(root) not in kept
            for key, it in _flat([{**root, "children": []} if id(root) in same else root], None, index)
        }

    return flat(before), flat(after)


def _flat(items: Iterable[Item], parent: str | None, first: int = 0) -> Iterator[tuple[_Key, Item]]:
    """Yield items with their index and without their children, parents first."""
    for index, it in enumerate(items, first):
        own = {**it, "index": index}
        del own["children"]
        yield (parent, it["key"]), own
        yield from _flat(it["children"], it["key"])


class _Shift(NamedTuple):
    """Numbers from `first` on are greater by `by`."""

    first: int
    by: int


class _Shifts(NamedTuple):
    """What one inserted or removed item or line changes of the items behind it: three numbers of each."""

    lines: dict[str, _Shift]
    """The first lines of the items, by file."""
    pointers: dict[tuple[str, tuple[str | int, ...]], _Shift]
    """The indexes in their pointers, by file and pointer of the list."""
    places: dict[str | None, _Shift]
    """Their places among their siblings, by the key of their parent."""

    @classmethod
    def between(cls, before: Mapping[_Key, Item], after: Mapping[_Key, Item]) -> Self:
        """Return those that most of the items have that have moved."""
        lines, pointers, places = (
            _Votes[str](),
            _Votes[tuple[str, tuple[str | int, ...]]](),
            _Votes[str | None](),
        )
        for (parent, key), new in after.items():
            old = before.get((parent, key))
            if old is None or old["uri"] != new["uri"]:
                continue
            if new["range"] is not old["range"] and (by := lines_moved(old["range"], new["range"])):
                lines.add(new["uri"], old["range"].start.line, by)
            if (index := _only_difference(old["pointer"], new["pointer"])) is not None:
                place = new["uri"], tuple(new["pointer"][:index])
                pointers.add(place, old["pointer"][index], new["pointer"][index] - old["pointer"][index])
            if by := new["index"] - old["index"]:
                places.add(parent, old["index"], by)
        return cls(lines.shifts(), pointers.shifts(), places.shifts())

    def applied(self, parent: str | None, item: Item) -> Item:
        """Return an item as the client has it after the shifts."""
        uri, place = item["uri"], item["range"]
        more: dict[str, Any] = {}
        if (it := self.lines.get(uri)) is not None and place.start.line >= it.first:
            more["range"] = types.Range(_moved(place.start, it.by), _moved(place.end, it.by))
        if (it := self.places.get(parent)) is not None and item["index"] >= it.first:
            more["index"] = item["index"] + it.by
        if self.pointers and (pointer := self._pointer(uri, item["pointer"])) is not None:
            more |= {"pointer": pointer, "command": _with_pointer(item["command"], pointer)}
        return {**item, **more} if more else item

    def _pointer(self, uri: str, pointer: list[str | int]) -> list[str | int] | None:
        for depth, part in enumerate(pointer):
            it = self.pointers.get((uri, tuple(pointer[:depth])))
            if it is not None and isinstance(part, int) and part >= it.first:
                return [*pointer[:depth], part + it.by, *pointer[depth + 1 :]]
        return None


class _Votes(Generic[_Group]):
    """Which shift most numbers of each group have."""

    def __init__(self) -> None:
        self._counts: dict[_Group, Counter[int]] = defaultdict(Counter)
        self._first: dict[tuple[_Group, int], int] = {}

    def add(self, group: _Group, old: int, by: int) -> None:
        self._counts[group][by] += 1
        self._first[group, by] = min(old, self._first.get((group, by), old))

    def shifts(self) -> dict[_Group, _Shift]:
        most = {group: counts.most_common(1)[0][0] for group, counts in self._counts.items()}
        return {group: _Shift(self._first[group, by], by) for group, by in most.items()}


def _only_difference(old: list[str | int], new: list[str | int]) -> int | None:
    """Return the only place where two pointers differ, if both have an index there."""
    if old == new or len(old) != len(new):
        return None
    found = [depth for depth, (one, other) in enumerate(zip(old, new, strict=True)) if one != other]
    return found[0] if len(found) == 1 and type(old[found[0]]) is type(new[found[0]]) is int else None


def _moved(place: types.Position, lines: int) -> types.Position:
    return attrs.evolve(place, line=place.line + lines)


def _with_pointer(command: dict[str, Any] | None, pointer: list[str | int]) -> dict[str, Any] | None:
    """Return the command of an item whose pointer has changed."""
    if command is None or not any("pointer" in it for it in command["arguments"]):
        return command
    arguments = [{**it, "pointer": pointer} if "pointer" in it else it for it in command["arguments"]]
    return {**command, "arguments": arguments}


def _changed(before: Mapping[_Key, Item], after: Mapping[_Key, Item], shifts: _Shifts) -> Iterator[Changes]:
    for (parent, key), new in after.items():
        old = before.get((parent, key))
        if old is None:
            yield {"parent": parent, **new}
            continue
        known = shifts.applied(parent, old)
        members = {
            name: it for name, it in new.items() if it is not known.get(name) and it != known.get(name)
        }
        if members:
            yield {"parent": parent, "key": key, **members}
