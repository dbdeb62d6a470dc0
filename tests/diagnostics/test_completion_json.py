"""Completion items are written as the library writes them."""

import json

import pytest
from lsprotocol import types
from lsprotocol.converters import get_converter

from tests.slow import first_quick
from waza_lsp.diagnostics.json_writer import completion_json
from waza_lsp.features.completion import CompletionClient, completion
from waza_lsp.snapshot import Snapshot

SOURCE = """\
name: "é"
description: 2 😀
config:
  executor: mock
tasks:
  - tasks/*.yaml
graders:
  - type: text
    name: one
    config:
      contains: [a]
  - type: behavior
    config:

  -
"""


@pytest.mark.parametrize(
    "client",
    first_quick(
        [CompletionClient(), CompletionClient(False, False, False, False), CompletionClient(adjusts=True)]
    ),
)
def test_lists_are_what_the_library_makes_of_them(client: CompletionClient) -> None:
    snapshot = Snapshot.of("file:///eval.yaml", SOURCE, 1)
    lists = [
        completion(snapshot, types.Position(line, column), client)
        for line, text in enumerate(SOURCE.split("\n"))
        for column in {0, 4, 6, len(text)}
        if column <= len(text)
    ]
    assert sum(len(it.items) for it in lists) > 100
    for it in lists:
        assert json.loads(completion_json(it)) == get_converter().unstructure(it)


def test_no_list_is_null() -> None:
    assert completion_json(None) == "null"
