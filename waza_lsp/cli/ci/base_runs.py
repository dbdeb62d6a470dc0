"""The runs of the base branch, in a folder of `ci run --of-base`: `summary.json`, and results in `results/`.

The folder may come from an artifact. What cannot be read counts as missing, because only the comparison lacks then.
"""

import hashlib
import re
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from waza_engine.lib.files.safe_read import MAX_RESULTS_BYTES, regular_bytes
from waza_engine.lib.files.safe_write import write_bytes_atomic
from waza_engine.model.results.records import RunRecord
from waza_engine.reports.pull_request.summary import SummaryError, read_summary
from waza_engine.reports.results.read import ResultsError, read_results

RESULTS = "results"
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9]+")


def file_name(path: PurePosixPath, *, is_replayed: bool) -> str:
    """Return the name of an eval's report, without a suffix: readable, and different for each path."""
    words = _NOT_IN_NAMES.sub("-", str(path.with_suffix(""))).strip("-")[-60:]
    number = hashlib.sha256(str(path).encode("utf-8", "surrogateescape")).hexdigest()[:8]
    return f"{words}-{number}{'.recordings' if is_replayed else ''}"


@dataclass(frozen=True, slots=True)
class BaseRuns:
    """The results in a folder. `commit` is that of the base branch that was run, "" without runs."""

    folder: Path | None = None
    commit: str = ""

    @classmethod
    def of(cls, folder: Path | None) -> "BaseRuns":
        """Return the runs in a folder; none if it has none of a base branch."""
        if folder is None:
            return cls()
        try:
            summary = read_summary(folder)
        except SummaryError:
            return cls()
        return cls(folder, summary.commit) if summary.is_base else cls()

    def record(self, path: PurePosixPath, *, is_replayed: bool) -> RunRecord | None:
        """Return the run of an eval, or None."""
        file = self._file(file_name(path, is_replayed=is_replayed))
        try:
            return read_results(file) if file is not None else None
        except ResultsError:
            return None

    def carry_over(self, path: PurePosixPath, output: Path) -> bool:
        """Copy the results of an eval that does not run again. Return whether there are any."""
        is_found = False
        for is_replayed in (False, True):
            if self.record(path, is_replayed=is_replayed) is None:
                continue
            name = file_name(path, is_replayed=is_replayed)
            if (file := self._file(name)) is not None:
                target = output / RESULTS / f"{name}.json"
                target.parent.mkdir(parents=True, exist_ok=True)
                write_bytes_atomic(target, [regular_bytes(file, MAX_RESULTS_BYTES)])
                is_found = True
        return is_found

    def _file(self, name: str) -> Path | None:
        return self.folder / RESULTS / f"{name}.json" if self.folder is not None else None
