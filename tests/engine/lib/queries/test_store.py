"""Results are those of a computation from nothing, and no query runs whose inputs have the same values as before."""

import gc
import weakref
from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.slow import examples
from waza_engine.lib.queries import Database, derived, query
from waza_engine.lib.queries.disk import note_read
from waza_engine.lib.queries.store import derived_property, kept_fresh, made_of
from waza_engine.lib.queries.tracking import Dependency, clock, note

INPUTS = 4
Reads = tuple[tuple[int, Any], ...]


class _Input(Dependency):
    """A value that a test sets."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        super().__init__()
        self.value = value


class Inputs(Database):
    """A database with values that a test sets."""

    __slots__ = ("_inputs",)

    def __init__(self) -> None:
        super().__init__()
        self._inputs: dict[Hashable, _Input] = {}

    def set(self, name: Hashable, value: Any) -> None:
        """Change a value; an equal one changes nothing."""
        known = self._inputs.setdefault(name, _Input(None))
        if known.value != value:
            known.value, known.changed_at = value, clock.tick()

    def input(self, name: Hashable, default: Any = None) -> Any:
        """Return a value, and note that it was read."""
        known = self._inputs.setdefault(name, _Input(default))
        note(known)
        return known.value


@dataclass(frozen=True)
class Formula:
    """A query: the nodes that it may read, and after which value it stops reading. Lower numbers are inputs."""

    reads: tuple[int, ...]
    stops_at: int
    modulus: int


class Graph(Inputs):
    """A database with random formulas. It notes the values that each of them read the last time."""

    __slots__ = ("formulas", "last", "needless", "were_other")

    def __init__(self, formulas: Sequence[Formula]) -> None:
        super().__init__()
        self.formulas = formulas
        self.last: dict[int, Reads] = {}
        self.were_other: set[int] = set()
        """The queries of which an input had another value at some time since they ran."""
        self.needless: list[int] = []

    def change(self, inputs: list[int], number: int, value: int) -> None:
        """Set an input, and note which queries have read another value of something."""
        inputs[number] = value
        self.set(number, value)
        self.were_other |= {
            node
            for node, reads in self.last.items()
            if any(from_nothing(self.formulas, inputs, it) != seen for it, seen in reads)
        }

    def value(self, node: int) -> int:
        found: int = self.input(node, 0) if node < INPUTS else result(self, node)
        return found


@query(keep=100)
def result(graph: Graph, node: int) -> int:
    """Sum the values of a node's formula, up to the one where it stops."""
    formula, seen, total = graph.formulas[node - INPUTS], [], 0
    before = graph.last.pop(node, None)
    for it in formula.reads:
        value = graph.value(it)
        seen.append((it, value))
        total += value
        if value == formula.stops_at:
            break
    if before == tuple(seen) and node not in graph.were_other:
        graph.needless.append(node)
    graph.were_other.discard(node)
    graph.last[node] = tuple(seen)
    return total % formula.modulus


def from_nothing(formulas: Sequence[Formula], inputs: Sequence[int], node: int) -> int:
    if node < INPUTS:
        return inputs[node]
    formula, total = formulas[node - INPUTS], 0
    for it in formula.reads:
        value = from_nothing(formulas, inputs, it)
        total += value
        if value == formula.stops_at:
            break
    return total % formula.modulus


@st.composite
def graphs(draw: st.DrawFn) -> list[Formula]:
    formulas: list[Formula] = []
    for node in range(INPUTS, INPUTS + draw(st.integers(1, 7))):
        reads = draw(st.lists(st.integers(0, node - 1), min_size=1, max_size=4))
        formulas.append(Formula(tuple(reads), draw(st.integers(0, 4)), draw(st.integers(2, 4))))
    return formulas


STEPS = st.lists(
    st.tuples(st.sampled_from(["set", "ask"]), st.integers(0, 30), st.integers(0, 4)), max_size=25
)


@settings(max_examples=examples(400), deadline=None)
@given(graphs(), STEPS)
def test_random_graphs_and_changes(formulas: list[Formula], steps: list[tuple[str, int, int]]) -> None:
    graph, inputs = Graph(formulas), [0] * INPUTS
    for step, number, value in steps:
        if step == "set":
            graph.change(inputs, number % INPUTS, value)
        else:
            node = INPUTS + number % len(formulas)
            assert graph.value(node) == from_nothing(formulas, inputs, node)
    assert graph.needless == []


@settings(max_examples=examples(100), deadline=None)
@given(graphs(), STEPS)
def test_dropped_results_are_computed_again(
    formulas: list[Formula], steps: list[tuple[str, int, int]]
) -> None:
    """With room for one result only, everything is still right."""
    graph, inputs, kept_before = Graph(formulas), [0] * INPUTS, result.keep
    result.keep = 1
    try:
        for step, number, value in steps:
            if step == "set":
                inputs[number % INPUTS] = value
                graph.set(number % INPUTS, value)
            else:
                node = INPUTS + number % len(formulas)
                assert graph.value(node) == from_nothing(formulas, inputs, node)
            assert all(it.entries <= 1 for it in graph.statistics().values())
    finally:
        result.keep = kept_before


class Words(Inputs):
    """Counts what is computed."""

    __slots__ = ("computed",)

    def __init__(self) -> None:
        super().__init__()
        self.computed: list[str] = []


@query(keep=10)
def first_word(words: Words, name: str) -> str:
    words.computed.append(f"first {name}")
    text: str = words.input(name, "")
    return text.split(" ", 1)[0]


@query(keep=10)
def greeting(words: Words, name: str) -> str:
    words.computed.append(f"greet {name}")
    return f"Hello {first_word(words, name)}"


def test_an_equal_value_ends_the_effect_of_a_change() -> None:
    words = Words()
    words.set("a", "Ada L.")
    assert greeting(words, "a") == "Hello Ada"
    words.computed.clear()
    words.set("a", "Ada Lovelace")
    assert greeting(words, "a") == "Hello Ada"
    assert words.computed == ["first a"]
    words.set("b", "other")
    words.computed.clear()
    assert greeting(words, "a") == "Hello Ada"
    assert words.computed == []


def test_an_error_is_not_a_result() -> None:
    db = Inputs()

    @query(keep=10)
    def fragile(db: Inputs, name: str) -> str:
        text: str = db.input(name)
        return text.upper()

    with pytest.raises(AttributeError):
        fragile(db, "x")
    db.set("x", "text")
    assert fragile(db, "x") == "TEXT"


def test_the_least_recently_used_results_go_first() -> None:
    db, computed = Database(), list[int]()

    @query(keep=2)
    def double(_: Database, number: int) -> int:
        computed.append(number)
        return number * 2

    for it in (1, 2, 1, 3, 1, 2):
        assert double(db, it) == it * 2
    assert computed == [1, 2, 3, 2]
    [statistics] = db.statistics().values()
    assert (statistics.calls, statistics.computed, statistics.entries) == (6, 4, 2)


def test_a_file_is_an_input(tmp_path: Path) -> None:
    db, path, computed = Database(), tmp_path / "a", list[str]()

    @query(keep=2)
    def content(_: Database, file: Path) -> str:
        note_read(file)
        computed.append(file.name)
        return file.read_text() if file.is_file() else ""

    assert [content(db, path), content(db, path)] == ["", ""]
    path.write_text("x")
    assert content(db, path) == "x"
    path.write_text("xy")
    assert [content(db, path), content(db, path)] == ["xy", "xy"]
    assert computed == ["a"] * 3


def test_a_snapshot_sees_one_state(tmp_path: Path) -> None:
    path = tmp_path / "a"

    @query(keep=2)
    def content(_: Database, file: Path) -> str:
        note_read(file)
        return file.read_text()

    for db in (Database(is_snapshot=True), Database(is_final=True)):
        path.write_text("before")
        assert content(db, path) == "before"
        path.write_text("after it")
        assert content(db, path) == "before"


def test_a_database_that_nobody_needs_is_freed_at_once() -> None:
    words = Words()
    greeting(words, "a")
    freed = weakref.ref(words)
    gc.disable()
    try:
        del words
        assert freed() is None
    finally:
        gc.enable()


@dataclass
class Text:
    path: Path
    memory: dict[Any, Any] = field(default_factory=dict)
    read: int = 0

    @derived_property
    def content(self) -> str:
        note_read(self.path)
        self.read += 1
        return self.path.read_text()


@derived
def upper(text: Text) -> str:
    return text.content.upper()


def test_readers_inherit_what_an_object_has_read(tmp_path: Path) -> None:
    text, memory = Text(tmp_path / "a"), dict[Any, Any]()
    text.path.write_text("x")
    assert [upper(text), upper(text)] == ["X", "X"]
    assert text.read == 1
    found = kept_fresh(memory, "length", lambda: len(upper(text)))
    assert found.value == 1
    assert kept_fresh(memory, "length", lambda: len(upper(text))) is found
    text.path.write_text("xyz")
    text = Text(text.path)
    from waza_engine.lib.queries.disk import disk

    disk.look()
    assert kept_fresh(memory, "length", lambda: len(upper(text))).value == 3


def test_what_is_made_of_an_object_is_made_once_for_each() -> None:
    memory, made = dict[Any, Any](), list[int]()

    def make() -> list[int]:
        made.append(1)
        return made

    one, equal = [1], [1]
    made_of(memory, "key", one, make)
    made_of(memory, "key", one, make)
    made_of(memory, "key", equal, make)
    assert len(made) == 2


def test_results_of_a_query_with_weights_are_kept_up_to_their_weight() -> None:
    made = list[int]()

    @query(keep=10, weigh=len)
    def word(_: Database, size: int) -> str:
        made.append(size)
        return "x" * size

    db = Database()
    for size in (4, 5, 4, 3, 4):
        word(db, size)
    # The 5 was used less recently than the 4.
    assert made == [4, 5, 3]
    assert sorted(map(len, db.values_of(word))) == [3, 4]
    assert word(db, 20) == "x" * 20
    assert [*db.values_of(word)] == ["x" * 20], "the last one is kept, whatever it weighs"
    for size in range(1, 300):
        word(db, size % 7)
    assert sum(map(len, db.values_of(word))) <= 10
