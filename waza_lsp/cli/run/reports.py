"""The report files of a run: what the user wants, written wherever they want it."""

import logging
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, Self

import click

from waza_engine.executors.base import UnavailableError
from waza_engine.reports.github import github_markdown
from waza_engine.reports.html import html_chunks
from waza_engine.reports.junit import junit_xml
from waza_engine.reports.results_json import results_chunks, results_json
from waza_engine.reports.results_jsonl import results_lines
from waza_engine.reports.text import text_report
from waza_engine.reports.transcripts import write_transcripts
from waza_engine.runs.recorder import RecordingError, write_recordings
from waza_engine.runs.records import RunRecord
from waza_engine.runs.store import RunStore, StoreError
from waza_engine.version import __version__
from waza_engine.whole_files import write_whole
from waza_lsp.cli.console import show, stop_printing

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


PRINTED = {"text": text_report, "json": results_json, "github": github_markdown}
"""The reports that can be printed, by the words of `--format`."""


@dataclass(frozen=True, slots=True)
class Shown:
    """How the run is shown: `events` are told as JSON lines and nothing else, `quiet` shows only what is wrong."""

    events: bool = False
    quiet: bool = False
    printed: str = "text"
    traces: bool = False


@dataclass(slots=True)
class Printed:
    """Each run's report as it ends; `together` in the end, where programs read several as one object."""

    form: str
    together: bool = False
    _waiting: list[str] = field(default_factory=list)

    @classmethod
    def of_one(cls, shown: Shown) -> Self:
        """What a single run prints."""
        return cls("" if shown.events else shown.printed)

    @classmethod
    def of_several(cls, shown: Shown) -> Self:
        """What runs print that are started together."""
        one = cls.of_one(shown)
        return cls(one.form, together=one.form == "json")

    def add(self, record: RunRecord) -> None:
        """Print a run's report, or keep it for the end.

        Raises:
            StoreError: a trial of the run cannot be read.
            OSError: nobody listens, or the output has no room left.

        """
        if not self.form:
            return
        text = PRINTED[self.form](record).rstrip("\n")
        if self.together:
            self._waiting.append(text)
        else:
            show(text)

    def end(self, *, may_be_none: bool = False) -> None:
        """Print what was kept, if anybody listens; nothing when no run came to its end."""
        if self.together and (self._waiting or may_be_none):
            try:
                show('{"runs": [\n' + ",\n".join(self._waiting) + "\n]}")
            except BrokenPipeError:
                stop_printing()


_INSTALL = "Sending traces needs OpenTelemetry; install it with: pip install 'waza-lsp[otel]'"
_BATCH = 500


def refuse_without_otel() -> None:
    """See that traces can be sent, before an agent is paid for.

    Raises:
        UnavailableError: the extra is not installed.

    """
    _exporter()


def send_traces(record: RunRecord, exporter: Any = None) -> str:
    """Send the spans of a run; what went wrong, or ""."""
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider

    from waza_engine.reports.traces import trace_run

    # It would tell of every attempt; we tell of what came of them.
    logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)
    sender = _Sender(exporter or _exporter())
    provider = TracerProvider(
        resource=Resource.create({"service.name": "waza-lsp", "service.version": __version__}),
        shutdown_on_exit=False,
    )
    processor: Any = sender  # it has what a processor needs, and its base class is in the extra
    provider.add_span_processor(processor)
    try:
        trace_run(record, provider.get_tracer("waza-lsp", __version__))
    except StoreError as error:
        return f"The traces are not complete: {error}"
    finally:
        provider.shutdown()
    return f"{sender.lost} spans could not be sent; is a collector listening?" if sender.lost else ""


def _exporter() -> Any:
    try:
        from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
        from opentelemetry.sdk import trace  # noqa: F401  # it must be there, too
    except ImportError as error:
        raise UnavailableError(_INSTALL) from error
    return OTLPSpanExporter()


class _Sender:
    """A span processor that sends in batches and knows what was lost: the SDK's own would only log that."""

    def __init__(self, exporter: Any) -> None:
        self._exporter = exporter
        self._waiting: list[Any] = []
        self.lost = 0

    def on_start(self, span: Any, parent_context: Any = None) -> None:
        """Nothing to do before the end."""

    def _on_ending(self, span: Any) -> None:
        """Nothing to do before the end."""

    def on_end(self, span: Any) -> None:
        self._waiting.append(span)
        if len(self._waiting) >= _BATCH:
            self.force_flush()

    def force_flush(self, timeout_millis: int = 0) -> bool:
        from opentelemetry.sdk.trace.export import SpanExportResult

        batch, self._waiting = self._waiting, []
        if batch and self._exporter.export(batch) is not SpanExportResult.SUCCESS:
            self.lost += len(batch)
        return True

    def shutdown(self) -> None:
        self.force_flush()
        self._exporter.shutdown()
