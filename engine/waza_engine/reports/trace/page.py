"""Write the trace viewer and the data of trials as one HTML file that needs nothing else.

The viewer is a script, so the page's policy allows this very script and style by their hashes, and nothing else. What
comes from files and agents stands in data blocks as JSON: they cannot end, because `<` is written as an escape.
"""

import base64
import gzip
import hashlib
import html
import json
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from waza_engine.graders.check_templates import check_templates
from waza_engine.model.results.records import RunRecord, TrialRecord
from waza_engine.reports.inert import visible
from waza_engine.reports.trace.document import Data, TrialDocuments, index_entry, index_of

FINE = frozenset(["passed", "skipped"])
_VIEWER = Path(__file__).parent / "viewer"
_FIRST_CHARACTERS = 2_000_000
"""A larger trial comes after the script, which then runs while the browser still reads it."""
_WITHOUT_SCRIPT = "This page needs JavaScript. A page without: waza-lsp report RUN --html FILE"
_DEEPEST = 100
_MOST_RECORDING = 5_000_000
"""A larger recording is left out: it has nothing that the trial's own block does not have."""


@dataclass(frozen=True, slots=True)
class Place:
    """A trial of a page: its run and its places there. Stored trials are read when they are written."""

    run: RunRecord
    task: int
    trial: int
    origin: str = ""

    def read(self) -> TrialRecord:
        """Read the trial."""
        return self.run.tasks[self.task].trials[self.trial]


def places_of(run: RunRecord, origin: str = "") -> Iterator[Place]:
    """Yield the trials of a run, and then those of its baseline without skills."""
    for index, task in enumerate(run.tasks):
        for number in range(len(task.trials)):
            yield Place(run, index, number, origin)
    if run.baseline is not None:
        yield from places_of(run.baseline, f"{origin} (without skills)".lstrip())


@cache
def viewer() -> tuple[str, str, str]:
    """Return the script, the style and the notices of the built viewer.

    Raises:
        OSError: the installation lacks them.

    """
    names = ("viewer.js", "viewer.css", "THIRD-PARTY-NOTICES.txt")
    script, style, notices = ((_VIEWER / it).read_text("utf-8") for it in names)
    return script, style, notices


def trace_of_run(run: RunRecord) -> Iterator[str]:
    """Yield the page of a run, as `trace_page` does."""
    yield from trace_page(list(places_of(run)))


def trace_page(places: Sequence[Place]) -> Iterator[str]:
    """Yield the page piece by piece: never more than one trial is in memory.

    Raises:
        OSError: the installation lacks the viewer.
        StoreError: a trial cannot be read.

    """
    script, style, notices = viewer()
    documents = TrialDocuments()
    index = trace_index(places)
    yield from _head(str(index["title"]), script, style)
    yield data_block("waza-trace-index", index)
    yield f'<div id="waza-trace"><noscript>{_WITHOUT_SCRIPT}</noscript></div>\n'
    first = _first(index["trials"])
    early = _trial_block(documents, first, places[first]) if places else ""
    if len(early) <= _FIRST_CHARACTERS:
        yield early
    yield f"<script>{script}</script>\n"
    if len(early) > _FIRST_CHARACTERS:
        yield early
    del early
    for number, place in enumerate(places):
        if number != first:
            yield _trial_block(documents, number, place)
    for number, place in enumerate(places):
        recording = json_text(place.read().trajectory.model_dump())
        if len(recording) <= _MOST_RECORDING:
            yield _packed_block(f"waza-trace-recording-{number}", recording)
    notices = notices.replace("</", "< /").replace("<!--", "< !--")
    yield f'<script type="text/plain" id="waza-trace-notices">{notices}</script>\n</body></html>\n'


def trace_index(places: Sequence[Place]) -> dict[str, Any]:
    """Return the index of a page."""
    runs = list({id(it.run): it.run for it in places}.values())
    entries: list[Data] = []
    types: set[str] = set()
    for it in places:
        trial = it.read()
        entries.append(index_entry(it.run.tasks[it.task], trial, it.origin))
        types.update(outcome.type for outcome in trial.graders)
    templates = [asdict(it) for it in check_templates(types)]
    return index_of(runs, entries) | ({"check_templates": templates} if templates else {})


def trace_json(places: Sequence[Place]) -> Iterator[str]:
    """Yield what the page shows as one JSON object, piece by piece.

    Raises:
        StoreError: a trial cannot be read.

    """
    documents = TrialDocuments()
    yield f'{{"index":{visible(json_text(trace_index(places)))},"trials":['
    for number, place in enumerate(places):
        yield f"{',' if number else ''}\n{visible(json_text(documents.trial(place.read())))}"
    yield "\n]}\n"


def data_block(name: str, data: Mapping[str, Any]) -> str:
    """Return a block of data for the viewer."""
    return _block(name, json_text(data))


def json_text(data: Any) -> str:
    """Return data as JSON that JavaScript reads: without infinite numbers, and not deeper than it can read."""
    try:
        return _json(data)
    except (ValueError, RecursionError):
        return _json(_tamed(data, _DEEPEST))


def _json(data: Any) -> str:
    return json.dumps(data, ensure_ascii=False, allow_nan=False, separators=(",", ":"), default=str)


def _tamed(data: Any, depth: int) -> Any:
    if isinstance(data, float) and not math.isfinite(data):
        return str(data)
    if isinstance(data, Mapping | list | tuple) and not depth:
        return "\u2026"
    if isinstance(data, Mapping):
        return {str(key): _tamed(it, depth - 1) for key, it in data.items()}
    return [_tamed(it, depth - 1) for it in data] if isinstance(data, list | tuple) else data


def _first(entries: Sequence[Mapping[str, Any]]) -> int:
    """Return the trial that the viewer opens first."""
    return next((at for at, it in enumerate(entries) if it["status"] not in FINE), 0)


def _trial_block(documents: TrialDocuments, number: int, place: Place) -> str:
    return data_block(f"waza-trace-{number}", documents.trial(place.read()))


def _block(name: str, text: str) -> str:
    return f'<script type="application/json" id="{name}">{_escaped(text)}</script>\n'


def _packed_block(name: str, text: str) -> str:
    """Return a packed block, for what is rarely opened: plain JSON opens twice as fast, but takes four times the space."""
    packed = base64.b64encode(gzip.compress(visible(text).encode(), mtime=0)).decode()
    return f'<script type="application/gzip+base64" id="{name}">{packed}</script>\n'


def _escaped(text: str) -> str:
    """Escape what could end the block, and what reorders or hides text in the file. In JSON, both are escapes of strings."""
    return visible(text).replace("<", "\\u003c")


def _head(title: str, script: str, style: str) -> Iterator[str]:
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src '{_hash(script)}'",
            f"style-src '{_hash(style)}'",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    yield '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
    yield f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
    yield '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
    yield f"<title>{html.escape(visible(title))}</title>\n<style>{style}</style>\n</head><body>\n"


def _hash(text: str) -> str:
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
