"""Tools about recorded runs: `draft_graders`, `grade_last`, `runs` and `compare`. They start no agent and ask no judge.

Each runs a command of ours in a process of its own: a broken or huge store ends that process, not the server.
"""

from collections.abc import Sequence
from io import BytesIO
from typing import Any

from waza_engine.lib.process.framing import FramingError, frame, read_frame
from waza_lsp.cli.mcp.folder import Folder, ToolRefusedError, data
from waza_lsp.runnables.runnables import runnables_in
from waza_lsp.server.helper.questions import HELPER, About, Draft
from waza_lsp.syntax.edit.emit import block
from waza_lsp.workspace.workspace import WorkspaceFiles

_DONE = frozenset([0, 1, 3])
_MOST_RUNS = 50
_MOST_NAMES = 50


def draft_graders(folder: Folder, path: str, task: str) -> str:
    """Return graders that pass on the recordings of a task, as YAML."""
    files = WorkspaceFiles(folder.root)
    members = list(files.members(folder.source(path).snapshot))
    tasks = [(it, member) for member in members for it in runnables_in(member) if it.kind == "task"]
    owner = next((member for it, member in tasks if it.id == task), None)
    if owner is None or owner.path is None:
        names = "\n".join(it.id for it, _ in tasks[:_MOST_NAMES])
        raise ToolRefusedError(f"{path} has no task {task!r}. {data('its tasks', names)}")
    dialect = owner.form.dialect if owner.form else ""
    about = About(str(owner.path), str(files.eval_path(owner) or ""), str(folder.root), dialect)
    message = {"id": 1, "dropped": [], "documents": [], "looked": 0, "question": Draft(about, task).data()}
    result = folder.command([HELPER], stdin=frame(message))
    answer = _answer(result.stdout)
    drafts = answer.get("drafts")
    if not drafts:
        reason = answer.get("none") or "nothing is recorded, or all drafts fail on a recording"
        raise ToolRefusedError(
            f"No grader can be drafted. Run the task once, then try again. {data('the reason', str(reason))}"
        )
    text = "\n".join(block([it["entry"] for it in drafts]))
    return data("graders that pass on all recordings of the task's last run", text)


def grade_last(folder: Folder, path: str, tasks: Sequence[str]) -> str:
    """Grade the last recorded run of an eval with the graders as they are now."""
    options = [option for it in tasks for option in ("--task", it)]
    free = () if folder.may_run else ("--only-free",)
    printed = folder.output_of(
        "grade", "--run", "last", "--eval", str(folder.path(path)), *free, *options, fine=_DONE
    )
    return data("verdicts on recorded work", printed)


def runs(folder: Folder, path: str, limit: int) -> str:
    """List the recorded runs of an eval, or of all, newest first."""
    which = [str(folder.path(path))] if path else []
    return data(
        "recorded runs", folder.output_of("runs", "list", *which, "--limit", str(min(limit, _MOST_RUNS)))
    )


def compare(folder: Folder, names: Sequence[str]) -> str:
    """Compare stored runs or results files, task by task."""
    for name in names:
        # A run id is no path; a results file must be in the folder.
        if "/" in name or "\\" in name or name.endswith((".json", ".jsonl")):
            folder.path(name)
        if name.startswith("-"):
            raise ToolRefusedError(f"{name!r} is not a run.")
    return data("comparison of runs", folder.output_of("compare", *names))


def _answer(output: bytes) -> dict[str, Any]:
    try:
        answer: dict[str, Any] = read_frame(BytesIO(output).read)["answer"]
    except (EOFError, FramingError):
        return {}
    return answer
