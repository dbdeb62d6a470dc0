"""The last result of a task, as lenses and the test view show it."""

from dataclasses import dataclass

from waza_lsp.runnables.commands import Verdict
from waza_lsp.server.results.coverage import NO_COVERAGE, Coverage, coverage_of_task
from waza_lsp.server.results.flaky import with_news
from waza_lsp.server.results.reader import LastResult


@dataclass(frozen=True, slots=True)
class TaskResult:
    """A task's verdict with the text that it covers."""

    verdict: Verdict
    covered: Coverage = NO_COVERAGE
    order: int = 0
    """Greater for later runs in the store; 0 if the run was not read from the store yet."""
    reviews: str = ""
    """As `LastResult.reviews`, as far as they were read."""


@dataclass(frozen=True, slots=True)
class News:
    """A task's result after the store was read, and whether its checks are to be shown again."""

    result: TaskResult
    has_checks: bool


def merged(known: TaskResult | None, found: LastResult, task: str) -> News | None:
    """Return a task's result from what was known and what was read in the store; None: it stays as it is."""
    is_same = known is not None and known.verdict.run_id == found.verdict.run_id
    if known is not None and not is_same and not found.is_later(known.order, known.verdict.at):
        return None
    covered = coverage_of_task(found.texts, task)
    if known is not None and is_same:
        covered = known.covered if known.covered.whole else covered
        if known.reviews == found.reviews:
            # Our result came with the events. The store adds what events do not have. Later gradings stay.
            verdict = with_news(known.verdict, found.verdict)
            return News(TaskResult(verdict, covered, found.order, found.reviews), has_checks=False)
    return News(TaskResult(found.verdict, covered, found.order, found.reviews), has_checks=True)
