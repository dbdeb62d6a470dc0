"""The events of the ledger of results."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path

from waza_lsp.runnables.commands import LiveStatus
from waza_lsp.snapshot import Snapshot


@dataclass(frozen=True, slots=True)
class LedgerEvents:
    """What the ledger calls when something has changed. `build` connects it to the other parts."""

    results_changed: Callable[[], None]
    """Lenses show other results now."""
    live_changed: Callable[[], None]
    """Lenses show other live verdicts now."""
    live_graded: Callable[[Path, Mapping[str, LiveStatus]], None]
    """Graders of an eval were graded again, with these statuses of its tasks."""
    verdict_changed: Callable[[], None]
    """The verdict of an eval changed, and with it the test view."""
    recordings_known: Callable[[Snapshot], None]
    """The recordings of a document's eval were read, or are as they were."""
    rates_changed: Callable[[], None]
    """Recorded trials show other pass rates now."""
    store_read: Callable[[], None]
    """Reading the store left garbage behind."""
