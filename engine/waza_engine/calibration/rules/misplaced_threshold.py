"""A threshold with which the judge agrees less with people than with another.

## Why
People have decided some of the judge's cases (`waza-lsp review start`). The scores that the judge gave them agree better
with the people if another score is enough to pass. So the judge sees the difference, and the threshold is at the wrong
place.

## What to do
Set the threshold to the value in the message, and check it: `waza-lsp judge check EVAL`. See
[Is my judge right?](../judges.md).
"""

from collections.abc import Iterator

from waza_engine.calibration.codes import MISPLACED_THRESHOLD
from waza_engine.calibration.standing import JudgeStanding
from waza_engine.model.findings import Finding


def check(standing: JudgeStanding) -> Iterator[Finding]:
    """Report a threshold that should be another."""
    better = standing.threshold
    if better is not None:
        message = (
            f"A threshold of {better.threshold:g} would agree with people on {better.agreed} of {better.items} recordings, "
            f"the present one agrees on {better.agreed_now}"
        )
        yield MISPLACED_THRESHOLD.at(standing.grader.entry.pointer, message)
