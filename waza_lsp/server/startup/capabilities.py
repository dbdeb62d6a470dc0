"""Answer `initialize` from a file, before the library that would compute the answer is imported.

`capabilities.json` is what pygls answers to an editor that can do everything; a test compares it, and what is left of
it for other editors. `python -m waza_lsp.server.startup.capabilities_export` writes it anew.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("capabilities.json")
ABLE: dict[str, Any] = {
    "textDocument": {"diagnostic": {}, "rename": {"prepareSupport": True}},
    "workspace": {"fileOperations": {"willRename": True}},
}
"""An editor with every capability that changes the answer, but without later registration of formatting."""
_ENCODINGS = ("utf-8", "utf-16", "utf-32")
_FORMATTING = (
    "documentFormattingProvider",
    "documentRangeFormattingProvider",
    "documentOnTypeFormattingProvider",
)


def answer(client: Mapping[str, Any]) -> dict[str, Any]:
    """Return the result of `initialize` for an editor with these capabilities."""
    result: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    offered = result["capabilities"]
    offered["positionEncoding"] = encoding(client)
    for name in ("willSave", "willSaveWaitUntil"):
        if _at(client, "textDocument", "synchronization", name) is not None:
            offered["textDocumentSync"][name] = False
    if _at(client, "textDocument", "diagnostic") is None:
        del offered["diagnosticProvider"]
    if not _at(client, "textDocument", "rename", "prepareSupport"):
        offered["renameProvider"] = True
    if not _at(client, "workspace", "fileOperations", "willRename"):
        offered["workspace"]["fileOperations"] = {}
    if _at(client, "textDocument", "formatting", "dynamicRegistration"):
        for name in _FORMATTING:
            del offered[name]
    return result


def encoding(client: Mapping[str, Any]) -> str:
    """Return the first encoding in the editor's list that the server supports."""
    encodings = _at(client, "general", "positionEncodings") or ()
    return next((it for it in encodings if it in _ENCODINGS), "utf-16")


def _at(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value
