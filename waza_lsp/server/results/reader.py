"""Read an eval's last results from the run store, and the files that they refer to. Runs in a thread."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from lsprotocol import types

from waza_engine.lib.files.safe_read import MAX_SOURCE_BYTES, regular_bytes
from waza_engine.lib.paths import is_inside
from waza_engine.lib.queries.disk import Stamp
from waza_engine.project.store_location import (
    RECORDINGS_FOLDER,
    default_store_dir,
    file_state,
    recording_sources,
)
from waza_lsp.runnables.commands import Verdict
from waza_lsp.runnables.failed_checks import TaskChecks, task_checks
from waza_lsp.snapshot import Snapshot

if TYPE_CHECKING:
    from waza_engine.runs.history import TaskCost
    from waza_engine.runs.past.flakiness import GraderFlakiness

_FLAKY_RUNS = 30
"""How many runs tell what is flaky. 10,000 trials take 0.25 s, and the store may change every second."""


@dataclass(frozen=True, slots=True)
class LastResult:
    """The newest result of a task. `texts` are the files that have not changed since."""

    verdict: Verdict
    checks: TaskChecks
    texts: Mapping[Path, Snapshot]
    order: int
    """Greater for later runs."""
    cost: "TaskCost | None" = None
    """What the task will probably cost."""
    reviews: str = ""
    """Changes when people review the run again."""
    flaky_graders: "tuple[GraderFlakiness, ...]" = ()
    """Those that gave different verdicts on the same work."""
    seen: tuple[int, int] = (0, 0)
    """Passes and trials under the present conditions."""

    def is_later(self, order: int, at: float) -> bool:
        """Whether it is later than another run. The clock decides only if the store does not know the other one."""
        return self.order > order if order else self.verdict.at > at


@dataclass(frozen=True, slots=True)
class LastResults:
    """The last results of an eval. `stamps` identify this state of the files; without stamps, reading failed.

    `gone` are tasks that the suite no longer had when all of it was run last.
    """

    stamps: tuple[Stamp, ...]
    tasks: Mapping[str, LastResult]
    recorded: frozenset[str]
    problem: str = ""
    metrics: Mapping[str, float] = field(default_factory=dict)
    gone: frozenset[str] = frozenset()


def read_last_results(
    eval_path: Path,
    known: tuple[Stamp, ...] | None,
    documents: Iterable[Path],
    encoding: types.PositionEncodingKind,
) -> LastResults | None:
    """Return the last results of an eval; None if nothing has changed since `known`.

    `documents` are files that results are matched with if they have not changed since.
    """
    store_dir = default_store_dir(eval_path)
    stamps = tuple(file_state(it) for it in recording_sources(eval_path, store_dir))
    folder = eval_path.parent / RECORDINGS_FOLDER
    if not store_dir.is_dir():
        return None if known == stamps else LastResults(stamps, {}, _names(folder))
    # Imported late: they bring pydantic and SQLite, for 0.15 s.
    from waza_engine.reports.flakiness import short_text, task_text
    from waza_engine.runs.history import TaskHistory, read_arm_history, read_history, read_metrics
    from waza_engine.runs.past.read import read_flakiness
    from waza_engine.runs.reviews import review_file
    from waza_engine.runs.store.errors import StoreError

    stamps = (*stamps, file_state(review_file(store_dir)))
    if known == stamps:
        return None
    recorded = _names(folder)
    try:
        arms = read_arm_history(store_dir, eval_path)
        history = read_history(store_dir, eval_path) if arms is None else arms
        metrics = read_metrics(store_dir, eval_path)
        varying = read_flakiness(store_dir, eval_path, _FLAKY_RUNS) if arms is None else []
    except StoreError as error:
        return LastResults((), {}, recorded, str(error))
    files = _Files(encoding)
    flakiness = {it.task: it for it in varying}

    def last_result(found: TaskHistory) -> LastResult:
        paths = {
            outcome.path
            for trial in found.outcomes
            for outcome in trial
            # A store that came with a repository may name any file.
            if outcome.path and is_inside(outcome.path, store_dir.parent)
        }
        needed = (*paths, *documents, eval_path)
        texts = {path: files.text(path, found.files.get(str(path)), found.started_at) for path in needed}
        flaky = flakiness.get(found.task)
        return LastResult(
            Verdict(
                found.run_id,
                found.status,
                found.score,
                found.finished_at,
                found.tokens,
                found.scores,
                infrastructure=found.infrastructure,
                since_green=found.since_green.text if found.since_green is not None else "",
                flaky=short_text(flaky) if flaky else "",
                flaky_note=task_text(flaky) if flaky and flaky.is_flaky else "",
                quarantine=flaky.quarantine if flaky else "",
            ),
            task_checks(found.outcomes),
            {path: text for path, text in texts.items() if text is not None},
            found.order,
            found.cost,
            found.reviews,
            tuple(it for it in flaky.graders if it.is_flaky) if flaky else (),
            (flaky.passed, flaky.trials) if flaky else (0, 0),
        )

    tasks = {name: last_result(it) for name, it in history.items() if not it.is_gone}
    gone = frozenset(history.keys() - tasks.keys())
    return LastResults(stamps, tasks, recorded | tasks.keys(), metrics=metrics, gone=gone)


def read_changed_results(
    known: Mapping[Path, tuple[Stamp, ...] | None], encoding: types.PositionEncodingKind
) -> list[tuple[Path, LastResults]]:
    """Return the last results of those evals whose recordings have changed since. Runs in a thread."""
    results = ((it, read_last_results(it, before, (), encoding)) for it, before in known.items())
    return [(path, found) for path, found in results if found is not None]


class _Files:
    """Files on disk, each read once."""

    def __init__(self, encoding: types.PositionEncodingKind) -> None:
        self._encoding = encoding
        self._read: dict[Path, tuple[float, str, Snapshot] | None] = {}

    def text(self, path: Path, digest: str | None, moment: float) -> Snapshot | None:
        """Return the file if it still has this digest; without a digest, if it was not written since `moment`."""
        if path not in self._read:
            self._read[path] = self._from_disk(path)
        found = self._read[path]
        if found is None:
            return None
        written, now, text = found
        return text if (written <= moment if digest is None else now == digest) else None

    def _from_disk(self, path: Path) -> tuple[float, str, Snapshot] | None:
        from waza_engine.lib.files.digests import digest

        text = on_disk(path, self._encoding)
        try:
            return (
                None
                if text is None
                else (path.stat().st_mtime, digest(regular_bytes(path, MAX_SOURCE_BYTES)), text)
            )
        except OSError:
            return None


def on_disk(path: Path, encoding: types.PositionEncodingKind) -> Snapshot | None:
    """Return a file as it is on disk; None if it cannot be read."""
    try:
        # Line ends stay, because positions depend on them. Editors send the text without its byte-order mark.
        text = regular_bytes(path, MAX_SOURCE_BYTES).decode("utf-8-sig")
    except (OSError, ValueError):
        return None
    return Snapshot.of(path.as_uri(), text, None, encoding)


def _names(folder: Path) -> frozenset[str]:
    """The tasks with recordings in a folder, named `<task>.json` or `<task>.<trial>.json`."""
    try:
        stems = [it.stem for it in folder.iterdir() if it.suffix == ".json"]
    except OSError:
        return frozenset()
    return frozenset(stem for it in stems for stem in (it, it.rpartition(".")[0]) if stem)
