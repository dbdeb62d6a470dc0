"""The report files of a run: what the user wants, written wherever they want it."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import click

from waza_engine.reports.github import github_markdown
from waza_engine.reports.html import html_chunks
from waza_engine.reports.junit import junit_xml
from waza_engine.reports.results_json import results_chunks
from waza_engine.reports.results_jsonl import results_lines
from waza_engine.runs.recorder import RecordingError, write_recordings
from waza_engine.runs.records import RunRecord
from waza_engine.runs.store import StoreError

FILE = click.Path(dir_okay=False, path_type=Path)


def _results_report(path: Path | None) -> Callable[[RunRecord], Iterable[str]]:
    """Results as one JSON object, or as lines where the file's name asks for them."""
    return results_lines if path is not None and path.suffix.lower() == ".jsonl" else results_chunks


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
        wanted: list[tuple[Path | None, Callable[[RunRecord], Iterable[str]]]] = [
            (self.results, _results_report(self.results)),
            (self.junit, lambda it: [junit_xml(it)]),
            (self.html, html_chunks),
            (self.github, lambda it: [github_markdown(it)]),
        ]
        for path, report in wanted:
            try:
                if path is not None:
                    path.parent.mkdir(parents=True, exist_ok=True)
                    with path.open("w", encoding="utf-8", errors="replace", newline="") as file:
                        file.writelines(report(record))
            except OSError as error:
                yield f"{path}: cannot be written: {error.strerror}"
            except StoreError as error:
                yield f"{path}: is not complete: {error}"
