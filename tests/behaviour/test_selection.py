"""Selection ranges."""

from tests.behaviour.reading_harness import selections


def test_from_a_quoted_text_to_the_top() -> None:
    document = 'skill: x\ngraders:\n  - type: text\n    config:\n      contains: ["he¦llo", b]\ntasks: [a]\n'
    config = 'config:\n      contains: ["hello", b]'
    item = f"type: text\n    {config}"
    assert selections(document) == [
        "hello",
        '"hello"',
        '["hello", b]',
        'contains: ["hello", b]',
        config,
        item,
        f"- {item}",
        f"graders:\n  - {item}",
    ]


def test_a_key_grows_to_its_pair() -> None:
    document = "skill: x\ngraders: []\nconfig:\n  exe¦cutor: mock\n  model: y\n"
    assert selections(document) == [
        "executor",
        "executor: mock",
        "executor: mock\n  model: y",
        "config:\n  executor: mock\n  model: y",
    ]


def test_behind_characters_outside_the_basic_plane() -> None:
    document = "skill: x\ngraders: [{name: 🎉, type: te¦xt}]\n"
    assert selections(document)[:2] == ["text", "type: text"]


def test_on_a_blank_line_only_the_document() -> None:
    assert selections("skill: x\n\n¦\n\ngraders: []\n") == []


def test_items_in_column_zero() -> None:
    document = "skill: x\ngraders:\n- name: o¦ne\n- name: two\n"
    assert selections(document) == [
        "one",
        "name: one",
        "- name: one",
        "- name: one\n- name: two",
        "graders:\n- name: one\n- name: two",
    ]
