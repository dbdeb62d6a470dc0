"""The report files of a run: what the user wants, written wherever they want it."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from waza_engine.reports.github import github_markdown
from waza_engine.reports.html import html_report
from waza_engine.reports.junit import junit_xml
from waza_engine.reports.results_json import results_json
from waza_engine.runs.recorder import RecordingError, write_recordings
from waza_engine.runs.records import RunRecord

FILE = click.Path(dir_okay=False, path_type=Path)


@dataclass(frozen=True, slots=True)
class Reports:
    """Where the user wants which report; None is not wanted."""

    results: Path | None = None
    junit: Path | None = None
    html: Path | None = None
    github: Path | None = None
    recordings: Path | None = None

    def write(self, record: RunRecord, trigger_skill: str = "") -> list[str]:
        """Write them; what could not be written."""
        problems = [*self._unwritten(record)]
        try:
            if self.recordings is not None:
                write_recordings(record, self.recordings, trigger_skill)
        except RecordingError as error:
            problems.append(str(error))
        return problems

    def _unwritten(self, record: RunRecord) -> Iterator[str]:
        wanted: list[tuple[Path | None, Callable[[RunRecord], str]]] = [
            (self.results, results_json),
            (self.junit, junit_xml),
            (self.html, html_report),
            (self.github, github_markdown),
        ]
        for path, report in wanted:
            try:
                if path is not None:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    path.write_bytes(report(record).encode("utf-8", "replace"))
            except OSError as error:
                yield f"{path}: cannot be written: {error.strerror}"
