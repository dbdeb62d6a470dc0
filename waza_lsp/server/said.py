"""What runs say about texts, on its way to the reader: delivered as findings, and looked up for a hover."""

from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING

from waza_lsp.server.inline_results import FAILED_CHECK, Said
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Place

if TYPE_CHECKING:
    from waza_lsp.server.app import WazaServer


def said_at(server: "WazaServer", snapshot: Snapshot, place: Place) -> list[Said]:
    """The failed checks that a reader of the document sees at a place."""
    if not server.settings.results_inline:
        return []
    return [it for it in server.results.inline.at(snapshot, place) if it.code == FAILED_CHECK]


def tell(server: "WazaServer", paths: Collection[Path]) -> None:
    """Have what is said about these files delivered."""
    for snapshot in server.documents:
        if snapshot.path in paths:
            server.delivery.results_changed(server, snapshot)
