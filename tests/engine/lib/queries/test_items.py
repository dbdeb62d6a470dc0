"""What was made of a list's items is what would be made of them anew, and no item is asked about twice."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.slow import examples
from waza_engine.lib.queries.items import Items, items_after
from waza_engine.lib.queries.tracking import Dependency, clock, note, track_reads


class Maker:
    """Says what items hold, reads the inputs that they name, and counts how often it is asked."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.inputs = {it: Dependency() for it in "abkm"}

    def __call__(self, item: dict[str, Any]) -> Any:
        self.asked.append(id(item))
        for it in (*item.get("files", ()), *item.get("keys", ())):
            note(self.inputs[it])
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
    now = Items(items)
    assert now.results("made", make) == expected(items)
    for start, count, new in splices:
        after = [*items[:start], *new, *items[start + count :]]
        now = items_after(after, now)
        make.asked.clear()
        with track_reads() as seen:
            assert now.results("made", make) == expected(after)
        read = {it for item in after for it in (*item["files"], *item["keys"])}
        assert set(seen.dependencies) == {make.inputs[it] for it in read}
        assert len(make.asked) <= max(len(new), count)
        items = after


@settings(deadline=None)
@given(st.lists(ITEMS, max_size=10), st.sets(st.sampled_from("ab")), st.sets(st.sampled_from("km")))
def test_what_looked_at_something_that_changed_is_asked_again(
    items: list[dict[str, Any]], files: set[str], keys: set[str]
) -> None:
    make = Maker()
    before = Items(items)
    before.results("made", make)
    make.asked.clear()
    now = items_after(list(items), before)
    assert now is before
    for it in sorted(files | keys):
        make.inputs[it].changed_at = clock.tick()
    assert now.results("made", make) == expected(items)
    concerned = [it for it in items if files & {*it["files"]} or keys & {*it["keys"]}]
    assert make.asked == [id(it) for it in concerned]


def test_a_version_that_nobody_asked_about_forgets_nothing() -> None:
    make = Maker()
    items: list[dict[str, Any]] = [{"value": "x"}, {"value": None}]
    first = Items(items)
    first.results("made", make)
    second = items_after([*items, {"value": "y"}], first)
    third = items_after([*second, {"value": "z"}], second)
    make.asked.clear()
    assert third.results("made", make) == [(0, "x"), (2, "y"), (3, "z")]
    assert len(make.asked) == 2


def test_what_nobody_asks_for_any_more_is_forgotten() -> None:
    make = Maker()
    items: list[dict[str, Any]] = [{"value": "x"}]
    first = Items(items)
    first.results("once", make)
    first.results("always", make)
    for _ in range(2):
        first = items_after([*first, {"value": "y"}], first)
        first.results("always", make)
    make.asked.clear()
    first.results("always", make)
    assert make.asked == []
    first.results("once", make)
    assert len(make.asked) == 3
