"""Write one file per task with the agent's messages and actions, like waza's `--transcript-dir`.

See docs/reference/waza-formats.md, section 15.4. As in waza, a file covers all trials of its task: transcripts are
concatenated; graders, final output and session are those of the last trial.
"""

import json
import re
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from waza_engine.lib.files.safe_write import write_text_atomic
from waza_engine.lib.timestamps import rfc3339
from waza_engine.model.results.records import RunRecord, TaskRecord
from waza_engine.model.trajectory import Session
from waza_engine.reports.results.task import digest_data, run_data, without_empty

_UNFIT = re.compile(r"[^a-z0-9_-]")


def write_transcripts(record: RunRecord, folder: Path) -> None:
    """Write the tasks of a run into `folder`, beside the files of other runs.

    Raises:
        OSError: a file cannot be written.
        StoreError: a trial cannot be read.

    """
    for task in record.tasks:
        started = next((it.started_at for it in task.trials if it.started_at), record.started_at)
        text = json.dumps(_transcript(task, started), indent=2, ensure_ascii=False, default=str)
        write_text_atomic(_unused_path(folder, _stem(task.name, started)), [text, "\n"])


def _transcript(task: TaskRecord, started: float) -> dict[str, Any]:
    data: dict[str, Any] = {
        "prompt": "",
        "final_output": "",
        "session": digest_data(Session()),
        "error_msg": task.error,
    }
    transcript: list[Any] = []
    validations: dict[str, Any] = {}
    duration = 0
    for trial in task.trials:
        run = run_data(trial)
        transcript += run.get("transcript", ())
        validations |= run["validations"]
        duration += run["duration_ms"]
        data |= {"final_output": run["final_output"], "session": run["session_digest"]}
        data |= {key: run[key] for key in ("prompt", "error_msg") if run.get(key)}
    return without_empty(
        {
            "task_id": task.task,
            "task_name": task.name,
            "status": task.status,
            "started_at": rfc3339(started),
            "completed_at": rfc3339(started + duration / 1000),
            "duration_ms": duration,
            "prompt": data["prompt"],
            "final_output": data["final_output"],
            "transcript": transcript,
            "validations": validations,
            "session": data["session"],
            "error_msg": data["error_msg"],
        },
        "validations",
        "error_msg",
    )


def _stem(name: str, started: float) -> str:
    fit = _UNFIT.sub("", name.strip().lower().replace(" ", "-")) or "unnamed"
    return f"{fit}-{datetime.fromtimestamp(started, UTC).astimezone():%Y%m%d-%H%M%S}"


def _unused_path(folder: Path, stem: str) -> Path:
    """A path that does not exist yet: tasks with the same name may start in the same second."""
    path, number = folder / f"{stem}.json", 1
    while path.exists():
        number += 1
        path = folder / f"{stem}-{number}.json"
    return path
