"""Change the output of a trajectory, and the files in its workspace."""

from collections.abc import Mapping
from pathlib import Path

from waza_engine.model.suite import Task
from waza_engine.model.trajectory import Trajectory

_MESSAGE = "assistant.message"


def with_output(trajectory: Trajectory, output: str) -> Trajectory:
    """Return the trajectory with another output. Messages that were part of the old one go; the last one gets the new."""
    old = trajectory.output
    messages = [
        index
        for index, it in enumerate(trajectory.transcript)
        if it.get("type") == _MESSAGE and isinstance(it.get("content"), str) and it["content"].strip()
    ]
    last = messages[-1] if messages else -1
    replaced = {
        index for index in messages if index == last or trajectory.transcript[index]["content"].strip() in old
    }
    transcript = [
        it if index not in replaced else {**it, "content": output if index == last else ""}
        for index, it in enumerate(trajectory.transcript)
    ]
    return trajectory.model_copy(update={"output": output, "transcript": transcript})


def with_files(trajectory: Trajectory, task: Task, files: Mapping[str, str]) -> Trajectory:
    """Return the trajectory with exactly these text files in its workspace.

    Input files that are missing in `files` are removed, but for those that the recording could not hold as text.
    """
    hidden = _binary(task)
    names = [Path(it.target).as_posix() for it in task.files if it.target not in hidden]
    removed = [it for it in names if it not in files and it not in trajectory.uncaptured]
    gone = [it for it in trajectory.removed if it not in files and it not in removed]
    # The recorded diff is no longer that of the workspace; graders compute one from the files.
    return trajectory.model_copy(update={"files": dict(files), "removed": [*gone, *removed], "patch": None})


def input_texts(task: Task) -> dict[str, str]:
    """Return the input files that are text, by path."""
    hidden = _binary(task)
    return {Path(it.target).as_posix(): it.content.decode() for it in task.files if it.target not in hidden}


def _binary(task: Task) -> set[str]:
    found = set()
    for it in task.files:
        try:
            it.content.decode()
        except UnicodeDecodeError:
            found.add(it.target)
    return found
