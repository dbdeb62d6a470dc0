"""What has changed in the tree of the test view since the client got it: `waza/tests {since}`.

The tree of 1,000 tasks is a megabyte, and an edit changes a few hundred bytes of it. `docs/protocol.md` fixes the shape.
"""

import json
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Generic, NamedTuple, Self, TypeVar

from waza_lsp.features.tests import Item, plain_json

_Key = tuple[str | None, str]
"""The keys of an item's parent (None for roots) and of the item."""
_Flat = dict[_Key, "_Placed"]
Changes = dict[str, Any]
"""As `docs/protocol.md` says; the items and the entries of `changed` are JSON already."""
_Group = TypeVar("_Group", bound=Hashable)
_Pointer = tuple[str | int, ...]


class _Placed(NamedTuple):
    """An item and its place among its siblings."""

    item: Item
    place: int


class ShownTree:
    """The tree that the client has."""

    def __init__(self) -> None:
        self.version = 0
        self._items: Sequence[Item] = ()

    def is_current(self, version: int) -> bool:
        """Whether the client has the tree of the last answer."""
        return version == self.version > 0

    def changes(self, since: int, items: Sequence[Item]) -> Changes:
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
                {"parent": _plain(parent), "key": _plain(key)}
                for parent, key in before
                # What is below a removed item goes with it.
                if (parent, key) not in after and (parent is None or parent in kept)
            ],
            "moved": [
                {"uri": _plain(uri), "line": it.first, "lines": it.by} for uri, it in shifts.lines.items()
            ],
            "pointers": [
                {"uri": _plain(uri), "list": list(place), "index": it.first, "by": it.by}
                for (uri, place), it in sorted(shifts.pointers.items(), key=lambda it: len(it[0][1]))
            ],
            "places": [
                {"parent": _plain(parent), "index": it.first, "by": it.by}
                for parent, it in shifts.places.items()
            ],
        }


def _differing(before: Sequence[Item], after: Sequence[Item]) -> tuple[_Flat, _Flat]:
    """Return the items of two trees by their keys, without the inside of roots that are the same object in both."""
    if [it.key for it in before] == [it.key for it in after]:
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

    def flat(items: Sequence[Item]) -> _Flat:
        return {
            key: it
            for index, root in enumerate(items)
            if id(root) not in kept
            for key, it in _flat([root._replace(children=()) if id(root) in same else root], None, index)
        }

    return flat(before), flat(after)


def _flat(items: Iterable[Item], parent: str | None, first: int = 0) -> Iterator[tuple[_Key, _Placed]]:
    """Yield items with their index and without their children, parents first."""
    for index, it in enumerate(items, first):
        yield (parent, it.key), _Placed(it, index)
        yield from _flat(it.children, it.key)


class _Shift(NamedTuple):
    """Numbers from `first` on are greater by `by`."""

    first: int
    by: int


class _Shifts(NamedTuple):
    """What one inserted or removed item or line changes of the items behind it: three numbers of each."""

    lines: dict[str, _Shift]
    """The first lines of the items, by file."""
    pointers: dict[tuple[str, _Pointer], _Shift]
    """The indexes in their pointers, by file and pointer of the list."""
    places: dict[str | None, _Shift]
    """Their places among their siblings, by the key of their parent."""

    @classmethod
    def between(cls, before: Mapping[_Key, _Placed], after: Mapping[_Key, _Placed]) -> Self:
        """Return those that most of the items have that have moved."""
        lines, pointers, places = _Votes[str](), _Votes[tuple[str, _Pointer]](), _Votes[str | None]()
        for (parent, key), (new, place) in after.items():
            known = before.get((parent, key))
            if known is None:
                continue
            old, index = known
            is_moved = new.range != old.range or new.pointer != old.pointer
            if (not is_moved and place == index) or new.uri != old.uri:
                continue
            if new.range != old.range and (by := _lines_moved(old.range, new.range)):
                lines.add(new.uri, _first_line(old), by)
            if new.pointer != old.pointer:
                one, other = json.loads(old.pointer), json.loads(new.pointer)
                if (depth := _only_difference(one, other)) is not None:
                    pointers.add((new.uri, tuple(other[:depth])), one[depth], other[depth] - one[depth])
            if place != index:
                places.add(parent, index, place - index)
        return cls(lines.shifts(), pointers.shifts(), places.shifts())

    def applied(self, parent: str | None, placed: _Placed) -> _Placed:
        """Return an item as the client has it after the shifts."""
        item, index = placed
        if (it := self.places.get(parent)) is not None and index >= it.first:
            index += it.by
        if self.lines or self.pointers:
            item = self._moved(item)
        return _Placed(item, index)

    def _moved(self, item: Item) -> Item:
        if (it := self.lines.get(item.uri)) is not None and _first_line(item) >= it.first:
            item = item._replace(range=_moved(item.range, it.by))
        if self.pointers and (pointer := self._pointer(item.uri, json.loads(item.pointer))) is not None:
            item = item._replace(pointer=plain_json(pointer), command=_with_pointer(item.command, pointer))
        return item

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


def _first_line(item: Item) -> int:
    line: int = json.loads(item.range)["start"]["line"]
    return line


def _lines_moved(before: str, after: str) -> int:
    """Return by how many lines a range has moved; 0 if it has changed in another way."""
    by = json.loads(after)["start"]["line"] - json.loads(before)["start"]["line"]
    return by if _moved(before, by) == after else 0


def _moved(span: str, lines: int) -> str:
    places = json.loads(span).items()
    return plain_json({end: {**place, "line": place["line"] + lines} for end, place in places})


def _with_pointer(command: str, pointer: list[str | int]) -> str:
    """Return the command of an item whose pointer has changed."""
    if '"pointer"' not in command:
        return command
    found = json.loads(command)
    arguments = [{**it, "pointer": pointer} if "pointer" in it else it for it in found["arguments"]]
    return plain_json({**found, "arguments": arguments})


def _changed(before: Mapping[_Key, _Placed], after: Mapping[_Key, _Placed], shifts: _Shifts) -> Iterator[str]:
    for (parent, key), new in after.items():
        old, above = before.get((parent, key)), parent or "null"
        if old is None:
            yield f'{{"parent":{above},{new.item.members},"index":{new.place}}}'
        elif members := ",".join(_news(shifts.applied(parent, old), new)):
            yield f'{{"parent":{above},"key":{key},{members}}}'


def _news(old: _Placed, new: _Placed) -> Iterator[str]:
    """Yield the members of an item that have changed."""
    if new.item.about != old.item.about:
        known = json.loads(f"{{{old.item.about}}}")
        for name, value in json.loads(f"{{{new.item.about}}}").items():
            if name not in known or known[name] != value:
                yield f"{plain_json(name)}:{plain_json(value)}"
    for name in ("uri", "pointer", "range", "command", "verdict"):
        if (text := getattr(new.item, name)) != getattr(old.item, name):
            yield f'"{name}":{text}'
    if new.place != old.place:
        yield f'"index":{new.place}'


def _plain(key: str | None) -> str | None:
    found: str | None = json.loads(key) if key is not None else None
    return found
