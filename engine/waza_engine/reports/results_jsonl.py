"""A run as `results.jsonl`, in the form of the dialect that has such a file: a line for each trial, then one for the run."""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from waza_engine.model.records import RunRecord
from waza_engine.recognition.recognise import dialects_by_preference, load_object


def results_lines(record: RunRecord) -> Iterator[str]:
    """The lines of the file, each with its end."""
    trials, summary = _written(record)
    yield from map(_line, trials)
    yield _line(summary)


def trial_lines(record: RunRecord) -> Iterator[str]:
    """The lines of the trials alone."""
    yield from map(_line, _written(record)[0])


def summary_line(record: RunRecord) -> str:
    """The line of the run as a whole."""
    return _line(_written(record)[1])


def _written(record: RunRecord) -> tuple[Iterator[dict[str, Any]], dict[str, Any]]:
    write = next(it.write_results for it in dialects_by_preference() if it.write_results)
    found: tuple[Iterator[dict[str, Any]], dict[str, Any]] = load_object(write)(record)
    return found


def _line(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, default=str) + "\n"
