"""Write and print the reports of a run, as the user's options say.

Reports are imported when they are written: most commands write none.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, TYPE_CHECKING, Any, Self

from waza_engine.model.results.records import RunRecord
from waza_engine.recognition.recognise import load_object
from waza_engine.runs.store.errors import StoreError
from waza_lsp.cli.console import show, show_chunks, stop_printing
from waza_lsp.cli.options import PRINTED_FORMATS

if TYPE_CHECKING:
    from waza_engine.audit.score import EvalAudit
    from waza_engine.runs.store.store import RunStore

_SHARED_FOLDERS = frozenset(["directory", "transcripts"])
"""Folders that the files of several runs share."""
_FOLDERS = _SHARED_FOLDERS | {"recordings"}
_NOT_IN_NAMES = re.compile(r"[/\\:\s]")
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
    trace: Path | None = None

    @property
    def is_folder(self) -> bool:
        """Whether the results go into a folder, as those of an experiment can."""
        return self.results is not None and (self.results.is_dir() or not self.results.suffix)

    def problem(self) -> str:
        """Return why one of them cannot be written, or "". For runs: after an hour it would be too late to say so."""
        from waza_engine.lib.files.safe_write import require_writable

        for option in fields(self):
            path: Path | None = getattr(self, option.name)
            if path is None:
                continue
            is_folder = option.name in _FOLDERS or (option.name == "results" and path.is_dir())
            try:
                require_writable(path, is_folder=is_folder)
            except OSError as error:
                return f"{path}: cannot be written: {error.strerror or error}"
        return ""

    def of(self, name: str) -> Self:
        """Return the same files with the name of a model or an arm in them, for one of several runs."""
        name = _NOT_IN_NAMES.sub("-", name)
        renamed = {
            option.name: path.with_name(f"{path.stem}_{name}{path.suffix}")
            for option in fields(self)
            if option.name not in _SHARED_FOLDERS and (path := getattr(self, option.name)) is not None
        }
        return replace(self, **renamed)

    def write(
        self,
        record: RunRecord,
        trigger_skill: str = "",
        store: "RunStore | None" = None,
        audits: Sequence["EvalAudit"] = (),
    ) -> list[str]:
        """Write the files and return the errors. The HTML report also shows earlier runs of the store, and `audits`."""
        problems = [*self._write_reports(record, store, audits)]
        if self.recordings is not None:
            from waza_engine.runs.recordings.write import RecordingError, write_recordings

            try:
                write_recordings(record, self.recordings, trigger_skill)
            except RecordingError as error:
                problems.append(str(error))
        if self.transcripts is not None:
            from waza_engine.reports.transcripts import write_transcripts

            try:
                write_transcripts(record, self.transcripts)
            except OSError as error:
                problems.append(f"{self.transcripts}: cannot be written: {error.strerror or error}")
            except StoreError as error:
                problems.append(f"{self.transcripts}: is not complete: {error}")
        return problems

    def _write_reports(
        self, record: RunRecord, store: "RunStore | None", audits: Sequence["EvalAudit"]
    ) -> Iterator[str]:
        is_lines = self.results is not None and self.results.suffix.lower() == ".jsonl"
        results = (
            "waza_engine.reports.results.write_jsonl:results_lines" if is_lines else PRINTED_FORMATS["json"]
        )
        reports = [
            (self.results, results),
            (self._file_of_model(record), PRINTED_FORMATS["json"]),
            (self.junit, "waza_engine.reports.junit:junit_xml"),
            (self.html, ""),
            (self.trace, "waza_engine.reports.trace.page:trace_of_run"),
            (self.github, PRINTED_FORMATS["github"]),
        ]
        for path, report in reports:
            if path is None:
                continue
            chunks = self._page(record, store, audits) if path is self.html else _generate(report, record)
            if problem := write_report(path, chunks):
                yield problem

    def _page(
        self, record: RunRecord, store: "RunStore | None", audits: Sequence["EvalAudit"]
    ) -> Iterator[str]:
        """Generate the HTML report. It has the earlier runs of the store, and the audits."""
        from waza_engine.reports.html.history import runs_until
        from waza_engine.reports.html.report import html_chunks

        earlier = runs_until(store, record.run_id, self.html) if store and self.html else ()
        yield from html_chunks(record, earlier, audits)

    def _file_of_model(self, record: RunRecord) -> Path | None:
        name = _NOT_IN_NAMES.sub("-", record.model or record.executor)
        return self.directory / f"{name}.json" if self.directory is not None else None


def printed_chunks(form: str, record: RunRecord) -> Iterable[str]:
    """Yield the report of a run in one of `PRINTED_FORMATS`, piece by piece."""
    return _generate(PRINTED_FORMATS[form], record)


def _generate(report: str, record: RunRecord) -> Iterator[str]:
    """Generate a report ("module:function") while it is written, so that `write_report` handles its errors."""
    made: str | Iterable[str] = load_object(report)(record)
    yield from [made] if isinstance(made, str) else made


def write_report(path: Path, chunks: Iterable[str]) -> str:
    """Write a report atomically and return the error, or ""."""
    from waza_engine.lib.files.safe_write import write_text_atomic

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

    @property
    def is_live(self) -> bool:
        """Whether a terminal shows the tasks while they run."""
        return not self.events and not self.quiet and sys.stderr is not None and sys.stderr.isatty()

    @classmethod
    def of(cls, options: Mapping[str, Any]) -> Self:
        """Read the options of the command line."""
        return cls(options["events"] is not None, options["quiet"], options["printed"], options["otel"])


@dataclass(slots=True)
class ReportPrinter:
    """Prints the report of each run when it ends, or with `as_one` all reports as one JSON object."""

    form: str
    as_one: bool = False
    quiet: bool = False
    after_progress: bool = False
    """Whether the terminal has shown the tasks while they ran."""
    _title: str = ""
    _waiting: IO[str] | None = None
    """A file without a name: the reports of long runs do not fit into memory."""

    @classmethod
    def of_one(cls, display: Display) -> Self:
        """Return the printer for a single run."""
        form = "" if display.events else display.printed
        return cls(form, quiet=display.quiet, after_progress=display.is_live)

    @classmethod
    def of_several(cls, display: Display) -> Self:
        """Return the printer for several runs of one command."""
        one = cls.of_one(display)
        return replace(one, as_one=one.form == "json")

    def begin(self, title: str) -> None:
        """Print what the next run is called; with `quiet`, only if something is wrong with it."""
        if self.form == "text" and self.quiet:
            self._title = title
        elif self.form and not self.as_one:
            show(f"\n{title}\n")

    def add(self, record: RunRecord, store_dir: Path | None = None) -> None:
        """Print a run's report, or keep it for the end. `store_dir` is the folder of the store that has the run.

        Raises:
            StoreError: a trial of the run cannot be read.
            OSError: the reader is gone, or the output has no space left.

        """
        if not self.form:
            return
        if self.form == "text":
            from waza_lsp.cli.text_report import show_text_report

            show_text_report(
                record, store_dir, quiet=self.quiet, after_progress=self.after_progress, title=self._title
            )
            return
        chunks = printed_chunks(self.form, record)
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
