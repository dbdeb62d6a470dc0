"""The report files of a run: what the user wants, written wherever they want it."""

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import Self

import click

from waza_engine.reports.github import github_markdown
from waza_engine.reports.html.report import html_chunks
from waza_engine.reports.junit import junit_xml
from waza_engine.reports.results_json import results_chunks
from waza_engine.reports.results_jsonl import results_lines
from waza_engine.reports.transcripts import write_transcripts
from waza_engine.runs.recorder import RecordingError, write_recordings
from waza_engine.runs.records import RunRecord
from waza_engine.runs.store import RunStore, StoreError
from waza_engine.whole_files import write_whole

FILE = click.Path(dir_okay=False, path_type=Path)
FILE_OR_FOLDER = click.Path(path_type=Path)
JUNIT = click.option("--junit", type=FILE, metavar="FILE", help="Write a JUnit report.")
HTML = click.option("--html", type=FILE, metavar="FILE", help="Write a report to look at.")
GITHUB = click.option(
    "--github", type=FILE, metavar="FILE", help="Write Markdown for a comment or a job summary."
)
_SHARED = frozenset(["directory", "transcripts"])
"""Folders that the files of several runs stand in side by side."""
_UNFIT = re.compile(r"[/\\:\s]")


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
    directory: Path | None = None
    """For the results as waza's JSON, in a file that is called as the model is."""
    transcripts: Path | None = None

    @property
    def is_folder(self) -> bool:
        """Whether the results are to be put into a folder, as an experiment's can be."""
        return self.results is not None and (self.results.is_dir() or not self.results.suffix)

    def of(self, name: str) -> Self:
        """The same files with the name of a model or an arm in them, for several runs (waza-formats.md, section 15.2)."""
        name = _UNFIT.sub("-", name)
        found = {
            it.name: path.with_name(f"{path.stem}_{name}{path.suffix}")
            for it in fields(self)
            if it.name not in _SHARED and (path := getattr(self, it.name)) is not None
        }
        return replace(self, **found)

    def write(self, record: RunRecord, trigger_skill: str = "", store: RunStore | None = None) -> list[str]:
        """Write them; what could not be written. With a store the HTML report shows earlier runs, too."""
        problems = [*self._unwritten(record, store)]
        try:
            if self.recordings is not None:
                write_recordings(record, self.recordings, trigger_skill)
        except RecordingError as error:
            problems.append(str(error))
        if self.transcripts is not None:
            try:
                write_transcripts(record, self.transcripts)
            except OSError as error:
                problems.append(f"{self.transcripts}: cannot be written: {error.strerror or error}")
            except StoreError as error:
                problems.append(f"{self.transcripts}: is not complete: {error}")
        return problems

    def _unwritten(self, record: RunRecord, store: RunStore | None) -> Iterator[str]:
        wanted: list[tuple[Path | None, Callable[[RunRecord], Iterable[str]]]] = [
            (self.results, _results_report(self.results)),
            (_file_of_model(self.directory, record), results_chunks),
            (self.junit, lambda it: [junit_xml(it)]),
            (self.html, lambda it: html_chunks(it, store.history(it.run_id) if store and self.html else ())),
            (self.github, lambda it: [github_markdown(it)]),
        ]
        for path, report in wanted:
            if path is not None and (problem := written(path, _later(report, record))):
                yield problem


def _file_of_model(directory: Path | None, record: RunRecord) -> Path | None:
    name = _UNFIT.sub("-", record.model or record.executor)
    return directory / f"{name}.json" if directory is not None else None


def _later(report: Callable[[RunRecord], Iterable[str]], record: RunRecord) -> Iterator[str]:
    """The report, made while it is written: what goes wrong with it does so there."""
    yield from report(record)


def written(path: Path, chunks: Iterable[str]) -> str:
    """Write a report; what went wrong, or "". Then the report that was there before still is."""
    try:
        write_whole(path, chunks)
    except OSError as error:
        return f"{path}: cannot be written: {error.strerror or error}"
    except StoreError as error:
        return f"{path}: is not complete: {error}"
    return ""
