"""Audit many evals in several processes. An eval goes to one of them, with all its tasks."""

import contextlib
from collections.abc import Callable, Generator, Sequence
from pathlib import Path

from waza_engine.lib.process.pool import WorkerError, spread
from waza_engine.lib.system.cores import cores
from waza_lsp.cli.audit.report import AuditReport
from waza_lsp.cli.console import give_up

_MOST = 8
"""How many evals a process audits before it hands over their reports."""
_CHUNKS_EACH = 4


def audit_spread(
    audit: Callable[[Sequence[Path]], AuditReport], left: list[Path], jobs: int | None
) -> Generator[AuditReport, None, None]:
    """Yield reports of the evals in `left`, in their order. Those of a report are removed from the list before it.

    `audit` runs in other processes.
    """
    jobs = min(jobs or cores(), len(left))
    size = min(_MOST, max(1, len(left) // (jobs * _CHUNKS_EACH)))
    chunks = [left[it : it + size] for it in range(0, len(left), size)]
    try:
        with contextlib.closing(spread(audit, chunks, jobs)) as reports:
            for chunk, report in zip(chunks, reports, strict=True):
                del left[: len(chunk)]
                yield report
    except WorkerError as error:
        give_up(f"{error}. It may have run out of memory; try --jobs 1")
