"""Use up the steps of a recovery sequence: a mocked response that differs from call to call.

Each step is claimed by creating a file, which only one process can do. So calls in parallel get different steps, and a
mocked server that is started again continues where the last one stopped (docs/reference/waza-newest.md, section 5).
"""

import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

EXHAUSTED = "the mocked sequence is exhausted: no step is left for this call"
_LONGEST_SECONDS = 86_400 * 365.0


def next_step(steps: Sequence[Mapping[str, Any]], used: Path) -> Mapping[str, Any] | None:
    """Return the first step that no call has used, and mark it in files that begin with `used`; None if all are used."""
    for number, step in enumerate(steps):
        try:
            used.with_name(f"{used.name}.{number}").touch(exist_ok=False)
        except FileExistsError:
            continue
        return step
    return None


def wait_for(step: Mapping[str, Any]) -> None:
    """Wait for the delay of a step."""
    if milliseconds := step.get("delay_ms"):
        # Go's longest delay is longer than Python can sleep on some platforms.
        time.sleep(min(milliseconds / 1000, _LONGEST_SECONDS))
