"""Trace pages for tests: a stand-in for the viewer, and a reader of the data blocks."""

import base64
import gzip
import json
from collections.abc import Iterator
from html.parser import HTMLParser
from typing import Any

import pytest

from waza_engine.model.results.records import RunRecord, TaskRecord, TrialRecord
from waza_engine.reports.trace import page
from waza_engine.runs.run_header import RunFrame, TaskFrame
from waza_engine.runs.totals import RunOutcome, run_record, seeded_random, task_record

SCRIPT, STYLE = "console.log('viewer')", "body { color: red }"


@pytest.fixture
def viewer(monkeypatch: pytest.MonkeyPatch) -> None:
    """A viewer that does nothing."""
    monkeypatch.setattr(page, "viewer", lambda: (SCRIPT, STYLE, "Some Licence </script>"))


class Page(HTMLParser):
    """The elements of a page: tags with attributes in order, and the texts of scripts by their id."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: dict[str, str] = {}
        self._id: str | None = None
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag == "script":
            self._id = dict(attrs).get("id") or ""
            self.scripts[self._id] = ""

    def handle_endtag(self, tag: str) -> None:
        self._id = None

    def handle_data(self, data: str) -> None:
        if self._id is not None:
            self.scripts[self._id] += data

    def data(self, name: str) -> Any:
        """Return the data of a block, packed or plain."""
        text = self.scripts[f"waza-trace-{name}"]
        return json.loads(text if text[:1] == "{" else gzip.decompress(base64.b64decode(text)))


def run_of(*trials: TrialRecord, **frame: Any) -> RunRecord:
    """A run with these trials, by their tasks."""
    names = list(dict.fromkeys(it.task for it in trials))
    tasks: list[TaskRecord] = []
    for index, name in enumerate(names):
        own = [it for it in trials if it.task == name]
        tasks.append(task_record(TaskFrame(name, name), own, "", seeded_random("x", index)))
    return run_record(
        RunFrame(**{"suite_name": "suite", "executor": "mock", "model": "m"} | frame),
        RunOutcome(run_id="20260101T000000-x", started_at=0, tasks=tasks),
    )


def texts(data: Any) -> Iterator[str]:
    """Yield all strings of JSON data."""
    if isinstance(data, str):
        yield data
    elif isinstance(data, dict):
        for key, it in data.items():
            yield from (key, *texts(it))
    elif isinstance(data, list):
        for it in data:
            yield from texts(it)
