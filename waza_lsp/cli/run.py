"""`waza-lsp run`: run an eval and say what came out. Everything but flags and printing is in `waza_engine.runs`."""

import asyncio
import os
import signal
import sys
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

import click

from waza_engine import processes
from waza_engine.executors.base import ExecutorOptions, UnavailableError
from waza_engine.executors.registry import make_executor
from waza_engine.formats import load_suite
from waza_engine.reports.html import html_report
from waza_engine.reports.junit import junit_xml
from waza_engine.reports.results_json import results_json
from waza_engine.reports.text import text_report
from waza_engine.runs.events import Note
from waza_engine.runs.plan import Overrides, Plan, PlanError, make_plan
from waza_engine.runs.records import RunRecord
from waza_engine.runs.recorder import RecordError, write_recordings
from waza_engine.runs.run import EXIT_STATUS, new_run_id, run_suite
from waza_engine.runs.store import RunStore, StoreError, default_store_dir
from waza_engine.suite import LoadError
from waza_lsp.cli.run_error import load_error_text
from waza_lsp.cli.run_output import EventLines, Output, ProgressLines

_FILE = click.Path(dir_okay=False, path_type=Path)
_FOLDER = click.Path(file_okay=False, path_type=Path)


@dataclass(frozen=True, slots=True)
class _Reports:
    """Where the user wants which report."""

    results: Path | None
    junit: Path | None
    html: Path | None
    recordings: Path | None
