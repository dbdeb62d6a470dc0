"""The replay executor: replays recorded trajectories, so a run needs no model, account or network.

Trial N of a task is `<recordings>/<task id>.<N>.json` if it exists, else `<task id>.json`: a `Trajectory` as JSON.
In the baseline run without skills, `.baseline` follows the id. A recording has the state at the end of a trial, not
after each turn, so checkpoints are graded only after the last turn. `triggers.json` in the same folder has `{"version": 1, "prompts": {"<prompt>": {"skills": ["name"]}}}`.
"""

import json
import re
from pathlib import Path
from typing import Annotated, Any, ClassVar, TypeVar

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from waza_engine.executors.base import (
    NO_AGENT,
    REPLAY,
    ExecutorError,
    ExecutorOptions,
    Progress,
    TrialRequest,
    TriggerRequest,
    UnavailableError,
)
from waza_engine.lib.files.digests import file_digest
from waza_engine.lib.files.safe_read import MAX_BYTES, regular_text
from waza_engine.lib.paths import is_directory, real_path
from waza_engine.model.fields import Integer, Strings
from waza_engine.model.pydantic_messages import first_problem_text
from waza_engine.model.trajectory import Trajectory

_VERSION = 1
_LONE_SURROGATES = re.compile("[\ud800-\udfff]")
_Model = TypeVar("_Model", bound=BaseModel)


class _Prompt(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)

    skills: Strings = Field(default_factory=list)


class _Triggers(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True, defer_build=True)

    version: Integer = _VERSION
    prompts: Annotated[dict[str, _Prompt], Field(default_factory=dict)]


class ReplayExecutor:
    """Reads trajectories from the recordings folder."""

    name: ClassVar[str] = REPLAY
    ignores: ClassVar = NO_AGENT
    unknown: frozenset[str] = frozenset()

    def __init__(self, options: ExecutorOptions) -> None:
        self._folder = options.recordings or options.eval_dir / "recordings"
        self._triggers: _Triggers | None = None

    def identity(self) -> str:
        """Return a text that changes with the recordings; empty if they cannot be listed."""
        try:
            files = sorted(self._folder.rglob("*.json"))
        except (OSError, ValueError):  # The name is too long, or contains NUL.
            return ""
        return repr([(it.relative_to(self._folder).as_posix(), file_digest(it)) for it in files])

    async def start(self) -> None:
        """Check that the recordings folder exists.

        Raises:
            UnavailableError: it does not exist.

        """
        if not is_directory(self._folder):
            raise UnavailableError(
                f"Recordings folder {self._folder} not found. Set it with --recordings DIR, "
                "or use --executor mock"
            )

    async def run(self, request: TrialRequest, progress: Progress) -> Trajectory:
        name = f"{request.task.id}.baseline" if request.baseline else request.task.id
        trajectory = recorded_trial(self._folder, name, request.trial)
        await request.after_turn(1 + len(request.task.follow_ups), trajectory)
        return trajectory

    async def triggered(self, request: TriggerRequest) -> bool:
        if self._triggers is None:
            self._triggers = self._read_triggers()
        recorded = self._triggers.prompts.get(request.prompt)
        if recorded is None:
            raise ExecutorError(
                f"{self._folder / 'triggers.json'} has no entry for this prompt. Add it under 'prompts'"
            )
        return request.skill in recorded.skills

    async def close(self) -> None:
        """Do nothing."""

    def _read_triggers(self) -> _Triggers:
        path = self._folder / "triggers.json"
        if not path.is_file():
            raise UnavailableError(
                f"{path} not found. Create it with the skills that each prompt of trigger_tests.yaml invoked"
            )
        try:
            triggers = _read(path, _Triggers)
            _refuse_newer(path, triggers.version)
        except ExecutorError as error:
            raise UnavailableError(str(error)) from error
        return triggers


def read_recording(path: Path, limit: int = MAX_BYTES) -> Trajectory:
    """Return the trajectory in a file of at most `limit` bytes.

    Raises:
        ExecutorError: the file cannot be read, is too large or no trajectory, or has a newer version.

    """
    trajectory = _read(path, Trajectory, limit)
    _refuse_newer(path, trajectory.version)
    return trajectory


def recorded_trial(folder: Path, task_id: str, trial: int) -> Trajectory:
    """Return the recording of trial `trial` (from 1) of a task.

    Raises:
        ExecutorError: it does not exist, cannot be read, or the task's id leads out of the folder.

    """
    names = (f"{task_id}.{trial}", task_id)
    candidates = [recording_file(folder, it) for it in names]
    for name, path in zip(names, candidates, strict=True):
        if path.is_file() and not is_of_another(name, task_id, recording := read_recording(path)):
            return recording
    raise ExecutorError(
        f"No recording for task '{task_id}', trial {trial}: neither {candidates[0]} nor {candidates[1]} exists. "
        "Record a run with --record DIR, or set another folder with --recordings DIR"
    )


def is_of_another(stem: str, task_id: str, recorded: Trajectory) -> bool:
    """Whether a recording belongs to another task: `p.2.json` may be trial 2 of `p`, or a recording of `p.2`.

    A recording names its task. A recording that was renamed together with its task names the old one, but counts.
    """
    other = recorded.task
    number = stem.removeprefix(f"{other}.")
    return other not in {"", task_id} and (stem == other or (number != stem and number.isdecimal()))


def recording_file(folder: Path, stem: str) -> Path:
    """Return the file `<stem>.json` inside `folder`.

    Raises:
        ExecutorError: the stem leads out of the folder.

    """
    path = folder / f"{stem}.json"
    if "\0" in stem or not real_path(path).is_relative_to(real_path(folder)):
        raise ExecutorError(f"The task id '{stem}' leads out of {folder}; recordings need an id without '..'")
    return path


def _read(path: Path, model: type[_Model], limit: int = MAX_BYTES) -> _Model:
    try:
        return model.model_validate(_json(regular_text(path, limit=limit)))
    except OSError as error:
        raise ExecutorError(f"The recording {path} cannot be read: {error.strerror or error}") from error
    except ValidationError as error:
        raise ExecutorError(
            f"The recording {path} has a wrong value at {first_problem_text(error, 'the top level')}"
        ) from error
    except (ValueError, RecursionError) as error:
        raise ExecutorError(f"The recording {path} is not valid JSON: {error}") from error


def _json(text: str) -> Any:
    """Parse JSON like Go: a lone surrogate, which cannot be stored as UTF-8, becomes U+FFFD."""
    data = json.loads(text)
    if "\\ud" not in text and "\\uD" not in text:
        return data
    return json.loads(_LONE_SURROGATES.sub("\ufffd", json.dumps(data, ensure_ascii=False)))


def _refuse_newer(path: Path, version: int) -> None:
    if version > _VERSION:
        raise ExecutorError(
            f"The recording {path} has version {version}; this program reads version {_VERSION}. Update waza-lsp"
        )
