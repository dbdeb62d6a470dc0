"""Preview recorded runs for completions and hovers: outputs, tools, models. Read only, without validation.

As in `find`, the newest stored run of a task comes before the files in `recordings/`. Kept apart from `find` because
it must import nothing slow (no pydantic). Recordings that cannot be read are left out.
"""

import json
import sqlite3
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

from waza_engine.lib.files.safe_read import MAX_RECORD_BYTES, inflate, regular_text
from waza_engine.lib.paths import real_path
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.queries.disk import note_read
from waza_engine.lib.queries.store import Database, query
from waza_engine.project.store_location import FILE_NAME, FOLDER, RECORDINGS_FOLDER, default_store_dir
from waza_engine.runs.store.connection import connect_read_only

_MAX_BYTES = 4_000_000
"""Larger recordings are left out; packed ones count as packed."""
_MAX_TRIALS = 200
"""At most this many trials are read."""
_BUSY_SECONDS = 0.1
_LATEST_SQL = (
    "SELECT task_id, run_id, trials.id, length(trajectory) FROM trials JOIN (SELECT run_id, rowid AS run_order FROM runs"
    " WHERE eval_path = ? AND baseline_of IS NULL ORDER BY rowid DESC LIMIT 20) USING (run_id)"
    " ORDER BY run_order DESC, task_index, trial"
)


_RESULTS_SQL = (
    "SELECT name, status, score, path, pointer, parts FROM results WHERE trial_id = ? ORDER BY position"
)


class FailedCheckPreview(NamedTuple):
    """A failed check: its place in its grader's config, and what was found instead."""

    pointer: Pointer
    message: str
    found: str


class VerdictPreview(NamedTuple):
    """A grader's verdict. `path` and `pointer` are the place of its entry at that time."""

    name: str
    status: str
    score: float
    path: Path | None
    pointer: Pointer
    failed: tuple[FailedCheckPreview, ...]


@dataclass(frozen=True, slots=True)
class RecordingPreview:
    """One recorded trial. Files have no `run_id` and no verdicts. `tools` names each tool once."""

    task: str
    output: str
    model: str
    tools: tuple[str, ...]
    skills: tuple[str, ...]
    files: Mapping[str, str]
    """The text files of the workspace after the trial, by path."""
    run_id: str = ""
    verdicts: tuple[VerdictPreview, ...] = ()

    def names(self, kind: str) -> tuple[str, ...]:
        """Return the names of one kind (`x-reference` in the schemas) that occur in the recording."""
        models = (self.model,) if self.model else ()
        return {"tool": self.tools, "model": models, "skill": self.skills}.get(kind, ())


@query(keep=100)
def recording_previews(_: Database, eval_path: Path) -> tuple[RecordingPreview, ...]:
    """Return the newest recorded trials of every task of an eval."""
    folder = eval_path.parent / RECORDINGS_FOLDER
    store, files = _store_file(eval_path), sorted(_recording_files(folder))[:_MAX_TRIALS]
    for path in (store, store.with_name(f"{store.name}-wal"), folder, *files):
        note_read(path)
    stored = list(_stored_previews(store, eval_path))
    tasks = {it.task for it in stored}
    return (*stored, *(it for path in files for it in _file_preview(path) if it.task not in tasks))


def _store_file(eval_path: Path) -> Path:
    """Return the default database for runs of the eval."""
    with suppress(OSError, ValueError):
        return default_store_dir(eval_path) / FILE_NAME
    return eval_path.parent / FOLDER / FILE_NAME


def _recording_files(folder: Path) -> list[Path]:
    try:
        return [it for it in folder.iterdir() if it.suffix == ".json"]
    except (OSError, ValueError):
        return []


def _file_preview(path: Path) -> Iterator[RecordingPreview]:
    with suppress(OSError, ValueError, RecursionError):
        data = json.loads(regular_text(path, limit=_MAX_BYTES))
        if isinstance(data, dict) and isinstance(data.get("task"), str):
            yield _preview(data["task"], data, "")


def _stored_previews(path: Path, eval_path: Path) -> Iterator[RecordingPreview]:
    """Yield the trials of each task's newest run."""
    if not path.is_file():
        return
    with (
        suppress(sqlite3.Error, OSError, ValueError, zlib.error, RecursionError),
        connect_read_only(path, _BUSY_SECONDS, briefly=True) as sql,
    ):
        newest: dict[str, str] = {}
        for task, run_id, key, size in sql.execute(_LATEST_SQL, (str(real_path(eval_path)),)).fetchall()[
            :_MAX_TRIALS
        ]:
            if newest.setdefault(task, run_id) == run_id and size <= _MAX_BYTES:
                ((packed,),) = sql.execute("SELECT trajectory FROM trials WHERE id = ?", (key,))
                data = json.loads(inflate(packed, MAX_RECORD_BYTES))
                if data.get("session") is not None:
                    rows = sql.execute(_RESULTS_SQL, (key,)).fetchall()
                    yield _preview(task, data, run_id, tuple(_verdict(it) for it in rows))


def _verdict(row: tuple[Any, ...]) -> VerdictPreview:
    name, status, score, path, pointer, parts = row
    failed = (
        FailedCheckPreview(tuple(it.get("pointer") or ()), _text(it.get("message")), _text(it.get("found")))
        for it in _dicts(json.loads(parts))
    )
    place = tuple(json.loads(pointer))
    return VerdictPreview(name, status, score, Path(path) if path else None, place, tuple(failed))


def _preview(
    task: str, data: Mapping[str, Any], run_id: str, verdicts: tuple[VerdictPreview, ...] = ()
) -> RecordingPreview:
    session, files = data.get("session"), data.get("files")
    tools = session.get("tools_used") if isinstance(session, dict) else ()
    events = (it.get("tool_name") for it in _dicts(data.get("tool_events")))
    skills = (it.get("name") for it in _dicts(data.get("skills")))
    return RecordingPreview(
        task,
        _text(data.get("output")),
        _text(data.get("model")),
        _unique_texts([*(tools if isinstance(tools, list) else ()), *events]),
        _unique_texts(skills),
        {name: it for name, it in files.items() if isinstance(it, str)} if isinstance(files, dict) else {},
        run_id,
        verdicts,
    )


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [it for it in value if isinstance(it, dict)] if isinstance(value, list) else []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _unique_texts(values: Any) -> tuple[str, ...]:
    return tuple(dict.fromkeys(it for it in values if isinstance(it, str) and it))
