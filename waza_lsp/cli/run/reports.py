"""Write, print and send the reports of a run, as the user's options say."""

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Any, Self

import click

from waza_engine.executors.base import UnavailableError
from waza_engine.lib.extras import install_command
from waza_engine.lib.files.safe_write import write_text_atomic
from waza_engine.model.records import RunRecord
from waza_engine.reports.github import github_markdown
from waza_engine.reports.html.report import html_chunks
from waza_engine.reports.junit import junit_xml
from waza_engine.reports.results.write import results_chunks
from waza_engine.reports.results_jsonl import results_lines
from waza_engine.reports.text import text_report
from waza_engine.reports.transcripts import write_transcripts
from waza_engine.runs.recordings.write import RecordingError, write_recordings
from waza_engine.runs.store.store import RunStore, StoreError
from waza_engine.version import __version__
from waza_lsp.cli.console import show_chunks, stop_printing

FILE = click.Path(dir_okay=False, path_type=Path)
FILE_OR_FOLDER = click.Path(path_type=Path)
JUNIT = click.option("--junit", type=FILE, metavar="FILE", help="Write a JUnit report.")
HTML = click.option("--html", type=FILE, metavar="FILE", help="Write an HTML report.")
GITHUB = click.option(
    "--github", type=FILE, metavar="FILE", help="Write Markdown for a comment or a job summary."
)
PRINTED_FORMATS: Mapping[str, Callable[[RunRecord], Iterable[str]]] = {
    "text": lambda record: [text_report(record)],
    "json": results_chunks,
    "github": lambda record: [github_markdown(record)],
}
"""The reports that can be printed, by their name in `--format`: each yields its text piece by piece."""
_SHARED_FOLDERS = frozenset(["directory", "transcripts"])
"""Folders that the files of several runs share."""
_NOT_IN_NAMES = re.compile(r"[/\\:\s]")
_OTEL_BATCH = 500
_BLOCK = 1 << 16


@dataclass(frozen=True, slots=True)
class Reports:
    """The report files that the user wants; None means not wanted."""

    results: Path | None = None
    junit: Path | None = None
    html: Path | None = None
    github: Path | None = None
    recordings: Path | None = None
    directory: Path | None = None
    """Folder for the results as waza's JSON, in a file named after the model."""
    transcripts: Path | None = None

    @property
    def is_folder(self) -> bool:
        """Whether the results go into a folder, as those of an experiment can."""
        return self.results is not None and (self.results.is_dir() or not self.results.suffix)

    def of(self, name: str) -> Self:
        """Return the same files with the name of a model or an arm in them, for one of several runs."""
        name = _NOT_IN_NAMES.sub("-", name)
        renamed = {
            option.name: path.with_name(f"{path.stem}_{name}{path.suffix}")
            for option in fields(self)
            if option.name not in _SHARED_FOLDERS and (path := getattr(self, option.name)) is not None
        }
        return replace(self, **renamed)

    def write(self, record: RunRecord, trigger_skill: str = "", store: RunStore | None = None) -> list[str]:
        """Write the files and return the errors. With a store, the HTML report shows earlier runs, too."""
        problems = [*self._write_reports(record, store)]
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

    def _write_reports(self, record: RunRecord, store: RunStore | None) -> Iterator[str]:
        is_lines = self.results is not None and self.results.suffix.lower() == ".jsonl"
        reports: list[tuple[Path | None, Callable[[RunRecord], Iterable[str]]]] = [
            (self.results, results_lines if is_lines else results_chunks),
            (self._file_of_model(record), results_chunks),
            (self.junit, lambda it: [junit_xml(it)]),
            (self.html, lambda it: html_chunks(it, store.history(it.run_id) if store and self.html else ())),
            (self.github, lambda it: [github_markdown(it)]),
        ]
        for path, report in reports:
            if path is not None and (problem := write_report(path, _generate(report, record))):
                yield problem

    def _file_of_model(self, record: RunRecord) -> Path | None:
        name = _NOT_IN_NAMES.sub("-", record.model or record.executor)
        return self.directory / f"{name}.json" if self.directory is not None else None


def _generate(report: Callable[[RunRecord], Iterable[str]], record: RunRecord) -> Iterator[str]:
    """Generate a report while it is written, so that `write_report` handles its errors."""
    yield from report(record)


def write_report(path: Path, chunks: Iterable[str]) -> str:
    """Write a report atomically and return the error, or ""."""
    try:
        write_text_atomic(path, chunks)
    except OSError as error:
        return f"{path}: cannot be written: {error.strerror or error}"
    except StoreError as error:
        return f"{path}: is not complete: {error}"
    return ""


@dataclass(frozen=True, slots=True)
class Display:
    """How to show the run. `events` prints JSON lines and nothing else; `quiet` hides progress."""

    events: bool = False
    quiet: bool = False
    printed: str = "text"
    traces: bool = False

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Self:
        """Read the options of the command line."""
        return cls(options["events"] is not None, options["quiet"], options["printed"], options["otel"])


@dataclass(slots=True)
class ReportPrinter:
    """Prints the report of each run when it ends, or with `as_one` all reports as one JSON object."""

    form: str
    as_one: bool = False
    _waiting: IO[str] | None = None
    """A file without a name: the reports of long runs do not fit into memory."""

    @classmethod
    def of_one(cls, display: Display) -> Self:
        """Return the printer for a single run."""
        return cls("" if display.events else display.printed)

    @classmethod
    def of_several(cls, display: Display) -> Self:
        """Return the printer for several runs of one command."""
        one = cls.of_one(display)
        return cls(one.form, as_one=one.form == "json")

    def add(self, record: RunRecord) -> None:
        """Print a run's report, or keep it for the end.

        Raises:
            StoreError: a trial of the run cannot be read.
            OSError: the reader is gone, or the output has no space left.

        """
        if not self.form:
            return
        chunks = PRINTED_FORMATS[self.form](record)
        if not self.as_one:
            show_chunks(chunks)
            return
        if self._waiting is None:
            self._waiting = TemporaryFile(  # noqa: SIM115  # lives until the program ends
                "w+", encoding="utf-8", errors="surrogatepass", newline=""
            )
        end = self._waiting.tell()
        try:
            self._waiting.writelines([",\n"] if end else [])
            self._waiting.writelines(_without_last_break(chunks))
        except BaseException:
            self._waiting.seek(end)
            self._waiting.truncate()
            raise

    def end(self, *, may_be_empty: bool = False) -> None:
        """Print the reports that were kept. Print nothing if no run ended, unless `may_be_empty`."""
        if self.as_one and (self._waiting or may_be_empty):
            try:
                show_chunks(self._collected())
            except BrokenPipeError:
                stop_printing()

    def _collected(self) -> Iterator[str]:
        yield '{"runs": [\n'
        if self._waiting is not None:
            self._waiting.seek(0)
            with self._waiting as file:
                while block := file.read(_BLOCK):
                    yield block
        yield "\n]}"


def _without_last_break(chunks: Iterable[str]) -> Iterator[str]:
    """Yield the same text without line breaks at its end."""
    breaks = ""
    for chunk in chunks:
        text = breaks + chunk
        kept = text.rstrip("\n")
        breaks = text[len(kept) :]
        yield kept


def refuse_without_otel() -> None:
    """Check that traces can be sent, before an agent is paid for.

    Raises:
        UnavailableError: the extra is not installed.

    """
    _exporter()


def send_traces(record: RunRecord, exporter: Any = None) -> str:
    """Send the spans of a run with OpenTelemetry and return the error, or ""."""
    from opentelemetry.sdk.resources import Resource
    from opentelemetry.sdk.trace import TracerProvider

    from waza_engine.reports.traces import trace_run

    # OpenTelemetry would log each attempt; this function returns the outcome.
    logging.getLogger("opentelemetry").setLevel(logging.CRITICAL)
    sender = _Sender(exporter or _exporter())
    provider = TracerProvider(
        resource=Resource.create({"service.name": "waza-lsp", "service.version": __version__}),
        shutdown_on_exit=False,
    )
    processor: Any = sender  # It has a processor's methods; the base class is in the extra.
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
        from opentelemetry.sdk import trace  # noqa: F401  # must be installed, too
    except ImportError as error:
        raise UnavailableError(
            f"OpenTelemetry is not installed. Install it with: {install_command('otel')}"
        ) from error
    return OTLPSpanExporter()


class _Sender:
    """A span processor that sends batches and counts lost spans; the SDK's own only logs losses."""

    def __init__(self, exporter: Any) -> None:
        self._exporter = exporter
        self._waiting: list[Any] = []
        self.lost = 0

    def on_start(self, span: Any, parent_context: Any = None) -> None:
        """Do nothing before a span ends."""

    def _on_ending(self, span: Any) -> None:
        """Do nothing before a span ends."""

    def on_end(self, span: Any) -> None:
        self._waiting.append(span)
        if len(self._waiting) >= _OTEL_BATCH:
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
