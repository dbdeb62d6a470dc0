"""The early response to `initialize` equals that of pygls."""

import json
from typing import Any

import pytest

from waza_lsp.server.startup.capabilities import ABLE, FILE, answer
from waza_lsp.server.startup.capabilities_export import pygls_answer


def test_the_file_is_what_pygls_says() -> None:
    assert json.loads(FILE.read_text(encoding="utf-8")) == pygls_answer(ABLE), (
        "run `python -m waza_lsp.server.startup.capabilities_export`"
    )


@pytest.mark.parametrize(
    "client",
    [
        {},
        ABLE,
        {"textDocument": {"diagnostic": {"dynamicRegistration": True}}},
        {"textDocument": {"rename": {"prepareSupport": True}}},
        {"textDocument": {"rename": {"dynamicRegistration": True}}},
        {"textDocument": {"formatting": {"dynamicRegistration": True}}},
        {"textDocument": {"formatting": {}}},
        {"workspace": {"fileOperations": {"willRename": True, "didRename": True}}},
        {"workspace": {"fileOperations": {"didRename": True}}},
        {"workspace": {"workspaceFolders": True, "symbol": {}, "executeCommand": {}}},
        {"general": {"positionEncodings": ["utf-8", "utf-16"]}},
        {"general": {"positionEncodings": ["utf-32"]}},
        {"general": {"positionEncodings": ["utf-7", "utf-16"]}},
        {"general": {"positionEncodings": []}},
        {"textDocument": {"synchronization": {"willSave": True, "willSaveWaitUntil": True, "didSave": True}}},
        {
            "textDocument": {
                "semanticTokens": {"requests": {}, "tokenTypes": [], "tokenModifiers": [], "formats": []}
            }
        },
        {"notebookDocument": {"synchronization": {}}},
    ],
)
def test_any_client(client: dict[str, Any]) -> None:
    assert answer(client) == pygls_answer(client)
