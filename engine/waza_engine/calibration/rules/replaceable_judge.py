"""A judge that a check without a model could replace.

## Why
On all recordings of the task, the judge decided as a simple check decides: what passes has a text, a tool or a file in
common, which everything that fails lacks. The check costs nothing, is there while you type, and never changes its mind.

## What to do
Add the check of the message beside the judge, or instead of it. Keep the judge if it is there for what no recording
shows yet. See [Is my judge right?](../judges.md).
"""

import json
from collections.abc import Iterator

from waza_engine.calibration.codes import REPLACEABLE_JUDGE
from waza_engine.calibration.standing import JudgeStanding
from waza_engine.model.findings import Finding


def check(standing: JudgeStanding) -> Iterator[Finding]:
    """Report a check that decides as the judge does."""
    found = standing.replacement
    if found is not None:
        count = found.passed + found.failed
        # JSON is YAML: the draft can be pasted into the list of graders.
        draft = json.dumps(found.draft.entry, ensure_ascii=False)
        message = (
            f"A check decides as the judge on all {count} recordings: {found.draft.about}. The check: {draft}"
        )
        yield REPLACEABLE_JUDGE.at(standing.grader.entry.pointer, message)
