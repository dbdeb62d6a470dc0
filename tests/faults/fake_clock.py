"""A wall clock that tests can set while programs run (libfaketime). Monotonic clocks are unaffected."""

from collections.abc import Mapping
from pathlib import Path

import pytest

_PLACES = ("/usr/lib/*/faketime", "/usr/lib*/faketime", "/usr/local/lib/faketime")


def library() -> Path | None:
    """Where libfaketime is (Debian's package `faketime`); None where it is not installed."""
    found = [it for place in _PLACES for it in Path("/").glob(f"{place[1:]}/libfaketimeMT.so.1")]
    return found[0] if found else None


class FakeClock:
    """The clock of all programs that are started with its `variables`. `off` is what it shows, in seconds from the truth."""

    def __init__(self, folder: Path) -> None:
        found = library()
        if found is None:
            pytest.skip("libfaketime is not installed (package faketime)")
        self._file = folder / "clock"
        self.set(0)
        self.variables: Mapping[str, str] = {
            "LD_PRELOAD": str(found),
            "FAKETIME_TIMESTAMP_FILE": str(self._file),
            "FAKETIME_NO_CACHE": "1",
            # As when a real clock is set: neither what counts seconds changes, nor what is written at files.
            "FAKETIME_DONT_FAKE_MONOTONIC": "1",
            "DONT_FAKE_MONOTONIC": "1",
            "NO_FAKE_STAT": "1",
            # Else whoever waits for his turn, as threads of Python do, waits for no time at all, a thousand times over.
            "FAKETIME_FORCE_MONOTONIC_FIX": "0",
        }

    def set(self, off: float) -> None:
        """Have it jump."""
        new = self._file.with_suffix(".new")
        new.write_text(f"{off:+.0f}\n")
        # Whoever reads it now reads the old or the new one.
        new.replace(self._file)
