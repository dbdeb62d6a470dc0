"""The documentation that an item gets when somebody looks at it."""

from lsprotocol import types

from tests.behaviour.completion_harness import completions_at
from waza_lsp.features.completion import CompletionClient
from waza_lsp.features.completion_resolve import completion_resolve

ITEM = """
    name: demo
    graders:
      - type: text
        config:
          ¦
"""


def _page(item: types.CompletionItem) -> str:
    found = completion_resolve(item).documentation
    assert isinstance(found, types.MarkupContent)
    return found.value


def test_a_key_gets_its_type_and_an_example() -> None:
    page = _page(completions_at(ITEM).item("contains"))
    assert page.startswith("Strings that must appear in the output")
    assert "list of strings" in page
    assert "Example: `contains: [" in page


def test_a_type_gets_its_options() -> None:
    page = _page(completions_at("name: demo\ngraders:\n  - type: ¦\n").item("program"))
    assert "- `command`: " in page


def test_a_key_says_default_limits_and_version() -> None:
    page = _page(completions_at("name: demo\nconfig:\n  ¦\n").item("first_event_timeout_seconds"))
    assert "whole number · At least 0 · default `0` · since 0.36" in page


def test_an_editor_without_markdown_gets_the_same_without_marks() -> None:
    item = completion_resolve(
        completions_at(ITEM, client=CompletionClient(markdown=False)).item("contains"), markdown=False
    )
    assert isinstance(item.documentation, str)
    assert "list of strings" in item.documentation
    assert "`" not in item.documentation


def test_an_item_of_somebody_else_stays_as_it_is() -> None:
    item = types.CompletionItem(label="x", data={"other": 1})
    assert completion_resolve(item) is item
    assert item.documentation is None


def test_a_file_that_is_no_eval_gets_nothing() -> None:
    assert completions_at("apiVersion: v1\nkind: Pod\n¦", "deploy.yaml").labels == []


def test_an_item_far_down_a_list_carries_no_more_than_one_at_its_top() -> None:
    others = "".join(f"  - type: program\n    name: n{it}\n" for it in range(500))
    far = completions_at(f"name: demo\ngraders:\n{others}  - type: text\n    config:\n      ¦\n").item(
        "contains"
    )
    assert far.data == completions_at(ITEM).item("contains").data
    assert _page(far).startswith("Strings that must appear in the output")
