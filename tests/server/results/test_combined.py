"""The verdict of an eval follows the tasks that decide it."""

from waza_lsp.runnables.commands import Verdict
from waza_lsp.server.results.live_status import combined_verdict


def test_a_task_in_quarantine_does_not_decide() -> None:
    good, bad = Verdict("r", "passed", 1.0, 1.0), Verdict("r", "failed", 0.0, 2.0)
    shelved = Verdict("r", "failed", 0.0, 2.0, quarantine="sleeps")
    for its, status in (((good, bad), "failed"), ((good, shelved), "passed"), ((shelved,), "failed")):
        found = combined_verdict(its, stale=False)
        assert found is not None
        assert (found.status, found.passed, found.total) == (status, sum(it is good for it in its), len(its))
