"""What was made of a list's items is what would be made of them anew, and no item is asked about twice."""

from pathlib import Path
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.slow import examples
from waza_engine.lib.files.read_tracking import note_keys, note_read, track_reads
from waza_engine.project.memo_list import MemoList, memo_list


class Maker:
    """Says what items hold, looks at what they name, and counts how often it is asked."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def __call__(self, item: dict[str, Any]) -> Any:
        self.asked.append(id(item))
        for it in item.get("files", ()):
            note_read(Path(it))
        note_keys(set(item.get("keys", ())))
        return item.get("value")


ITEMS = st.builds(
    lambda value, files, keys: {"value": value, "files": files, "keys": keys},
    st.sampled_from([None, "", 1, "x"]),
    st.lists(st.sampled_from("ab"), max_size=1),
    st.lists(st.sampled_from("km"), max_size=1),
)
SPLICES = st.tuples(st.integers(0, 12), st.integers(0, 3), st.lists(ITEMS, max_size=3))


def expected(items: list[dict[str, Any]]) -> list[tuple[int, Any]]:
    return [(index, it["value"]) for index, it in enumerate(items) if it["value"]]


@settings(max_examples=examples(300), deadline=None)
@given(st.lists(ITEMS, max_size=10), st.lists(SPLICES, max_size=6))
def test_as_if_asked_anew(items: list[dict[str, Any]], splices: list[Any]) -> None:
    make = Maker()
    now = MemoList(items)
    assert now.results("made", make) == expected(items)
    for start, count, new in splices:
        after = [*items[:start], *new, *items[start + count :]]
        now = memo_list(after, now)
        make.asked.clear()
        with track_reads() as seen:
            assert now.results("made", make) == expected(after)
        assert seen.paths == {Path(it) for item in after for it in item["files"]}
        assert seen.keys == {it for item in after for it in item["keys"]}
        assert len(make.asked) <= max(len(new), count)
        items = after


@settings(deadline=None)
@given(st.lists(ITEMS, max_size=10), st.sets(st.sampled_from("ab")), st.sets(st.sampled_from("km")))
def test_what_looked_at_something_that_changed_is_asked_again(
    items: list[dict[str, Any]], files: set[str], keys: set[str]
) -> None:
    make = Maker()
    before = MemoList(items)
    before.results("made", make)
    make.asked.clear()
    now = memo_list(list(items), before, {Path(it) for it in files}, keys)
    assert now.results("made", make) == expected(items)
    concerned = [it for it in items if files & {*it["files"]} or keys & {*it["keys"]}]
    assert make.asked == [id(it) for it in concerned]
    assert (now is before) == (not concerned)


def test_a_version_that_nobody_asked_about_forgets_nothing() -> None:
    make = Maker()
    items: list[dict[str, Any]] = [{"value": "x"}, {"value": None}]
    first = MemoList(items)
    first.results("made", make)
    second = memo_list([*items, {"value": "y"}], first)
    third = memo_list([*second, {"value": "z"}], second)
    make.asked.clear()
    assert third.results("made", make) == [(0, "x"), (2, "y"), (3, "z")]
    assert len(make.asked) == 2


def test_what_nobody_asks_for_any_more_is_forgotten() -> None:
    make = Maker()
    items: list[dict[str, Any]] = [{"value": "x"}]
    first = MemoList(items)
    first.results("once", make)
    first.results("always", make)
    for _ in range(2):
        first = memo_list([*first, {"value": "y"}], first)
        first.results("always", make)
    make.asked.clear()
    first.results("always", make)
    assert make.asked == []
    first.results("once", make)
    assert len(make.asked) == 3
