"""Write a run as `results.jsonl`: one line per trial, then one for the run.

The dialect that has such a file defines its format. Apart from `read_jsonl`, which needs pydantic.
"""

import json
from collections.abc import Iterator, Mapping
from typing import Any

from waza_engine.model.results.records import RunRecord
from waza_engine.recognition.recognise import dialects_by_preference, load_object


def results_lines(record: RunRecord) -> Iterator[str]:
    """Yield the lines of the file, each with its line end."""
    trials, summary = _results(record)
    yield from map(_line, trials)
    yield _line(summary)


def trial_lines(record: RunRecord) -> Iterator[str]:
    """Yield only the lines of the trials."""
    yield from map(_line, _results(record)[0])


def summary_line(record: RunRecord) -> str:
    """Return the line of the whole run."""
    return _line(_results(record)[1])


def _results(record: RunRecord) -> tuple[Iterator[dict[str, Any]], dict[str, Any]]:
    write = next(it.write_results for it in dialects_by_preference() if it.write_results)
    results: tuple[Iterator[dict[str, Any]], dict[str, Any]] = load_object(write)(record)
    return results


def _line(data: Mapping[str, Any]) -> str:
    return json.dumps(data, ensure_ascii=False, default=str) + "\n"
