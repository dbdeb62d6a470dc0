"""What a result covers: the text of the thing that was run, and how one text of it is told from another."""

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

from waza_lsp.schema.runnables import PARTS, WHOLES, Runnable
from waza_lsp.schema.standing import Verdict
from waza_lsp.snapshot import Snapshot
from waza_lsp.suite.in_document import runnables_in


def covered_text(snapshot: Snapshot, runnable: Runnable) -> str:
    """What tells one text of a runnable from another."""
    text = snapshot.text.slice(runnable.range)
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def digest_of_task(texts: Mapping[Path, Snapshot], task: str) -> str:
    """The digest of a task's text, in whichever of the files it stands."""
    for snapshot in texts.values():
        for it in runnables_in(snapshot):
            if it.kind in PARTS and it.id == task:
                return covered_text(snapshot, it)
    return ""


def digest_of_eval(texts: Mapping[Path, Snapshot], eval_path: Path) -> str:
    """The digest of an eval's text; empty when that is not known."""
    snapshot = texts.get(eval_path)
    found = [it for it in runnables_in(snapshot) if it.kind in WHOLES] if snapshot is not None else []
    return covered_text(snapshot, found[0]) if found and snapshot is not None else ""


def together(verdicts: Sequence[Verdict], *, stale: bool) -> Verdict | None:
    """The verdict of an eval: that of its tasks taken together."""
    if not verdicts:
        return None
    newest = max(verdicts, key=lambda it: it.at)
    statuses = {it.status for it in verdicts}
    status = next((it for it in ("error", "failed", "passed") if it in statuses), newest.status)
    counted = [it.tokens for it in verdicts]
    return Verdict(
        run_id=newest.run_id,
        status=status,
        score=sum(it.score for it in verdicts) / len(verdicts),
        at=newest.at,
        tokens=None if None in counted else sum(it or 0 for it in counted),
        stale=stale,
        passed=sum(it.status == "passed" for it in verdicts),
        total=len(verdicts),
    )
