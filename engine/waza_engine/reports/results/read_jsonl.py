"""Read `results.jsonl` back into a record, in the format of the dialect that has such a file.

Totals are computed again from the trials.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from waza_engine.lib.files.safe_read import MAX_RESULTS_BYTES, regular_bytes
from waza_engine.model.pydantic_messages import error_text
from waza_engine.model.results.records import ReadRun, RunRecord
from waza_engine.recognition.recognise import dialects_by_preference, load_object
from waza_engine.reports.results.read import ResultsError, strict_json
from waza_engine.runs.run_header import RunFrame, TaskFrame
from waza_engine.runs.totals import RunOutcome, run_record, seeded_random, task_record


def read_jsonl(path: Path) -> RunRecord:
    """Return the record of a `results.jsonl`; `path` is the file or its folder.

    Raises:
        ResultsError: the file cannot be read, or contains no trials.

    """
    file = path / "results.jsonl" if path.is_dir() else path
    try:
        lines = list(_lines(regular_bytes(file, MAX_RESULTS_BYTES).decode("utf-8-sig")))
    except OSError as error:
        raise ResultsError(f"{file}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise ResultsError(f"{file}: not a JSON object on each line: {error}") from error
    dialect = next(it for it in dialects_by_preference() if it.read_results)
    try:
        run: ReadRun = load_object(dialect.read_results)(lines)
        record = _record(file, run) if run.trials else None
    except (ValidationError, TypeError, ValueError, AttributeError, KeyError) as error:
        raise ResultsError(f"{file}: not {dialect.name}'s results format: {error_text(error)}") from error
    if record is None:
        raise ResultsError(f"{file}: no trials; write them with waza-lsp run EVAL --output results.jsonl")
    return record


def _lines(text: str) -> Iterator[Mapping[str, Any]]:
    # str.splitlines also splits at line ends that an output may contain unescaped.
    for line in text.split("\n"):
        if line.strip():
            data = strict_json(line)
            if not isinstance(data, dict):
                raise ValueError("a line holds something else")  # ValueError, as for invalid JSON
            yield data


def _record(path: Path, run: ReadRun) -> RunRecord:
    frame = RunFrame(
        suite_name=run.suite_name or path.stem,
        executor=run.executor,
        model=run.model,
        trials=max(map(len, run.trials.values())),
        scoring=run.scoring,
        eval_path=run.eval_path,
    )
    tasks = [
        task_record(TaskFrame(name, name), trials, "", seeded_random("jsonl", index))
        for index, (name, trials) in enumerate(run.trials.items())
    ]
    return run_record(frame, RunOutcome(run_id=path.stem, started_at=run.started_at, tasks=tasks))
