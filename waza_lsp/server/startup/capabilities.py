"""What the server tells an editor that it can do: known before the library that would work it out is there.

`capabilities.json` is what pygls answers to an editor that can do everything; a test compares it, and what is left of
it for other editors. `python -m waza_lsp.server.startup.capabilities` writes it anew.
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
"""An editor that can do all that has a say in the answer, but cannot be told of formatting later."""
_ENCODINGS = ("utf-8", "utf-16", "utf-32")
_FORMATTING = (
    "documentFormattingProvider",
    "documentRangeFormattingProvider",
    "documentOnTypeFormattingProvider",
)


def answer(client: Mapping[str, Any]) -> dict[str, Any]:
    """The result of `initialize` for an editor with these capabilities."""
    result: dict[str, Any] = json.loads(FILE.read_text(encoding="utf-8"))
    told = result["capabilities"]
    told["positionEncoding"] = encoding(client)
    for name in ("willSave", "willSaveWaitUntil"):
        if _at(client, "textDocument", "synchronization", name) is not None:
            told["textDocumentSync"][name] = False
    if _at(client, "textDocument", "diagnostic") is None:
        del told["diagnosticProvider"]
    if not _at(client, "textDocument", "rename", "prepareSupport"):
        told["renameProvider"] = True
    if not _at(client, "workspace", "fileOperations", "willRename"):
        told["workspace"]["fileOperations"] = {}
    if _at(client, "textDocument", "formatting", "dynamicRegistration"):
        for name in _FORMATTING:
            del told[name]
    return result


def encoding(client: Mapping[str, Any]) -> str:
    """How columns are counted: the first way of the editor's that we know."""
    wanted = _at(client, "general", "positionEncodings") or ()
    return next((it for it in wanted if it in _ENCODINGS), "utf-16")


def _at(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, Mapping) else None
    return value


def as_pygls_says(client: Mapping[str, Any]) -> Any:
    """The same, worked out by the library."""
    from lsprotocol import types
    from lsprotocol.converters import get_converter

    from waza_lsp.server.build import create_server

    converter, server = get_converter(), create_server()
    given = {"processId": None, "rootUri": None, "capabilities": client}
    steps = server.protocol.lsp_initialize(converter.structure(given, types.InitializeParams))
    handler, arguments, _ = next(steps)
    handler(*arguments)
    try:
        next(steps)
    except StopIteration as end:
        return json.loads(json.dumps(converter.unstructure(end.value)))
    raise AssertionError("pygls asks for more than one handler now")


if __name__ == "__main__":
    FILE.write_text(json.dumps(as_pygls_says(ABLE), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
