"""Keep what graders said when recorded trials were graded again: the same work with another verdict is a flaky grader.

The verdicts are lines in `regraded.jsonl` beside the run store. They change no run. Only graders that may vary are kept:
programs and judges.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from waza_engine.lib.files.safe_read import MAX_SOURCE_BYTES, regular_bytes
from waza_engine.lib.files.safe_write import open_own, write_bytes_atomic
from waza_engine.lib.redaction import REDACTED, REDACTED_NAME
from waza_engine.model.results.records import TrialRecord
from waza_engine.project.store_location import REGRADED
from waza_engine.runs.past.flakiness import GraderVerdict
from waza_engine.runs.store.rows import work_digest

_MOST_BYTES = MAX_SOURCE_BYTES // 2
"""Above, the older half of the verdicts goes."""


class Regraded(BaseModel):
    """The verdicts of varying graders on one recorded trial. `judging` is as in `PastTrial`."""

    model_config = ConfigDict(extra="ignore", frozen=True)

    run: str
    task: str
    work: str
    judging: str
    graders: tuple[tuple[str, str, bool], ...]

    @property
    def verdicts(self) -> tuple[GraderVerdict, ...]:
        return tuple(GraderVerdict(*it) for it in self.graders)


@dataclass(slots=True)
class Regrading:
    """Collects the verdicts of one regrading, whose suite has the header `frame`.

    `judging` returns what verdicts on a task depend on; `varies` tells of a grader's type whether it may vary.
    """

    judging: Callable[[str], str]
    varies: Callable[[str], bool]
    found: list[Regraded] = field(default_factory=list)

    def note(self, run: str, now: TrialRecord) -> None:
        """Note the verdicts on a trial of a run. A recording without its secrets may be judged differently for that."""
        text = now.trajectory.model_dump_json()
        work, judging = work_digest(now.trajectory), self.judging(now.task)
        graders = tuple(
            (it.name, it.type, it.status == "passed")
            for it in now.graders
            if it.status in {"passed", "failed"} and self.varies(it.type)
        )
        if work and judging and graders and REDACTED not in text and REDACTED_NAME not in text:
            self.found.append(Regraded(run=run, task=now.task, work=work, judging=judging, graders=graders))

    def write(self, store_dir: Path) -> None:
        """Append the verdicts to the file beside the store.

        Raises:
            OSError: the file cannot be written.

        """
        if not self.found:
            return
        file = store_dir / REGRADED
        before = _content(file)
        added = b"".join(it.model_dump_json().encode() + b"\n" for it in self.found)
        if before and not before.endswith(b"\n"):
            added = b"\n" + added  # A crash cut off the last line.
        if len(before) + len(added) > _MOST_BYTES:
            kept = (before + added)[-_MOST_BYTES // 2 :].partition(b"\n")[2]
            write_bytes_atomic(file, [kept])
            return
        with open_own(file, append=True) as lines:
            lines.write(added)


def read_regraded(store_dir: Path) -> Iterator[Regraded]:
    """Yield the verdicts, oldest first. Lines that are none are skipped; a file that cannot be read has none."""
    for line in _content(store_dir / REGRADED).splitlines():
        try:
            yield Regraded.model_validate_json(line)
        except ValidationError:
            continue


def _content(file: Path) -> bytes:
    try:
        return regular_bytes(file, MAX_SOURCE_BYTES)
    except (OSError, ValueError):
        return b""
