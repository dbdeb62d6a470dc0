"""The lenses of a document, as the client reads them."""

import json
from collections.abc import Mapping, Set

from lsprotocol import types

from waza_lsp.features.code_lens import code_lens_json
from waza_lsp.runnables.commands import ActionKind, RunStatus
from waza_lsp.snapshot import Snapshot


def code_lens(
    snapshot: Snapshot,
    statuses: Mapping[tuple[str, str], RunStatus] | None = None,
    wanted: Set[ActionKind] = frozenset(ActionKind),
    now: float = 0.0,
) -> list[types.CodeLens]:
    """Return the lenses of a document."""
    found = (json.loads(it) for it in code_lens_json(snapshot, statuses, wanted, now))
    return [types.CodeLens(_range(**it["range"]), types.Command(**it["command"])) for it in found]


def _range(start: dict[str, int], end: dict[str, int]) -> types.Range:
    return types.Range(types.Position(**start), types.Position(**end))
