"""Which fixes are sure enough to be made without asking, and which types are likely."""

import pytest

from waza_engine.analysis.schema.fixes import (
    add_type_fixes,
    combined_fixes,
    keep_one_fixes,
    likely_types,
    rename_fixes,
    type_advice,
)
from waza_engine.lib.spelling import is_typo
from waza_engine.model.findings import AddBlanks, InsertKey, MakeList, QuoteValue, RemoveKey, SetValue


@pytest.mark.parametrize("word", ["contians", "contain", "containss", "contaims", "Contains", "ocntains"])
def test_one_slip(word: str) -> None:
    assert is_typo(word, "contains")


@pytest.mark.parametrize("word", ["contrains_x", "contians_cs", "ctnoains", "tains", "con"])
def test_more_than_a_slip(word: str) -> None:
    assert not is_typo(word, "contains")


def test_short_words_are_never_sure() -> None:
    assert not is_typo("ags", "tag")
    assert is_typo("Tag", "tag")


def test_a_slip_that_two_names_share_is_not_safe() -> None:
    one, two = rename_fixes((), "max_toks", ["max_tok", "max_tools"])
    assert (one.preferred, one.safe, two.preferred, two.safe) == (True, True, False, False)
    assert not any(it.safe for it in rename_fixes((), "model_a", ["model_b", "model_c"]))


@pytest.mark.parametrize(
    ("value", "wanted", "change"),
    [
        ("-a", ["array"], AddBlanks(("k",))),
        ({"-a": 1}, ["array"], AddBlanks(("k",))),
        ("a:1", ["object"], AddBlanks(("k",))),
        ("a", ["array"], MakeList(("k",))),
        (3, ["array"], MakeList(("k",))),
        ({"a": 1}, ["array"], MakeList(("k",))),
        ("3", ["integer"], SetValue(("k",), 3)),
        ("0.5", ["number"], SetValue(("k",), 0.5)),
        ("True", ["boolean"], SetValue(("k",), value=True)),
        ("flase", ["boolean"], SetValue(("k",), value=False)),
        (["a"], ["string"], SetValue(("k",), "a")),
        ("http://x", ["object"], None),
        ("[" * 5000, ["integer"], None),
        ("NaN", ["number"], None),
        ("-Infinity", ["number"], None),
        ("1e999", ["number"], None),
        ("9" * 400 + "%", ["number"], None),
        ("3.5", ["integer"], None),
        ("true", ["integer"], None),
        (["a", "b"], ["string"], None),
        ({"a": 1}, ["string"], QuoteValue(("k",))),
        ({"a": [1]}, ["string"], None),
        ({}, ["string"], None),
    ],
)
def test_values_of_another_type(value: object, wanted: list[str], change: object) -> None:
    _, fixes = type_advice(("k",), value, wanted)
    assert [it.changes[0] for it in fixes] == ([change] if change is not None else [])


def test_a_type_is_likely_if_it_has_all_the_options() -> None:
    options = {"text": ["contains", "regex_match"], "file": ["must_exist", "path"], "old": ["contains"]}
    assert likely_types(options, {"contains": 1}) == ["old", "text"]
    assert likely_types(options, {"contains": 1}, {"old"}) == ["text", "old"]
    assert likely_types(options, {"contains": 1, "must_exist": 2}) == []
    assert likely_types(options, {}) == likely_types(options, None) == []


def test_fixes_for_several_things_that_are_missing() -> None:
    name = add_type_fixes((), "name", ["n"])
    types = add_type_fixes((), "type", ["a", "b"])
    both = combined_fixes(types, name)
    assert [it.title for it in both] == ["Add 'type: a', 'name: n'", "Add 'type: b', 'name: n'"]
    assert both[0].changes == (InsertKey((), "type", "a"), InsertKey((), "name", "n"))
    assert [it.preferred for it in both] == [True, False]
    assert combined_fixes(types, []) == tuple(types)


def test_one_of_several_is_kept() -> None:
    fixes = keep_one_fixes(("x",), ["a", "b", "c"], {"a": 1, "c": 2})
    assert [(it.title, it.changes) for it in fixes] == [
        ("Keep only 'a'", (RemoveKey(("x", "c")),)),
        ("Keep only 'c'", (RemoveKey(("x", "a")),)),
    ]
