"""Write `capabilities.json`: `python -m waza_lsp.server.startup.capabilities_export`.

A file of its own: it builds the whole server, which `capabilities` is there to be faster than.
"""

import json
from collections.abc import Mapping
from typing import Any

from lsprotocol import types
from lsprotocol.converters import get_converter

from waza_lsp.server.build import build_session
from waza_lsp.server.startup.capabilities import ABLE, FILE


def pygls_answer(client: Mapping[str, Any]) -> Any:
    """Return what pygls answers to `initialize` of an editor with these capabilities."""
    converter, session = get_converter(), build_session()
    params = {"processId": None, "rootUri": None, "capabilities": client}
    steps = session.client.protocol.lsp_initialize(converter.structure(params, types.InitializeParams))
    handler, arguments, _ = next(steps)
    handler(*arguments)
    try:
        next(steps)
    except StopIteration as end:
        return json.loads(json.dumps(converter.unstructure(end.value)))
    raise AssertionError("pygls calls more than one handler now")


if __name__ == "__main__":
    FILE.write_text(json.dumps(pygls_answer(ABLE), indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
