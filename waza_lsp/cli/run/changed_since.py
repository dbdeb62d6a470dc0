"""`waza-lsp run --changed-since REF`: keep the evals and tasks that have changed, and say which and why."""

from collections.abc import Sequence
from pathlib import Path

from waza_engine.project.eval_sets import ChosenEval
from waza_engine.runs.changed.compare import ChangedEval, Changes, changed_since
from waza_engine.runs.changed.tree import TreeError
from waza_lsp.cli.console import give_up, print_err
from waza_lsp.cli.load_errors import short_path

_MOST_LINES = 100


def only_changed(chosen: Sequence[ChosenEval], ref: str, done: str = "run") -> list[ChosenEval]:
    """Return the evals that have changed, with their changed tasks, and print what has changed.

    `done` is the word for what is done with them. End the program if the commit cannot be read.
    """
    try:
        changes = changed_since(ref, chosen, Path.cwd())
    except TreeError as error:
        give_up(str(error))
    for line in change_lines(changes, done):
        print_err(line)
    return [ChosenEval(it.path, it.task_ids) for it in changes.changed]


def change_lines(changes: Changes, done: str = "run") -> list[str]:
    """Return what is done with which evals, and why, in lines."""
    lines = [f"{changes.summary(done)}, since {changes.base}"]
    lines += (_line(it) for it in changes.changed[:_MOST_LINES])
    if (more := len(changes.changed) - _MOST_LINES) > 0:
        lines.append(f"  and {more} more")
    lines += (f"  {it}: removed" for it in changes.removed[:_MOST_LINES])
    return lines


def _line(changed: ChangedEval) -> str:
    count = (
        "all tasks" if changed.run_count == changed.tasks else f"{changed.run_count} of {changed.tasks} tasks"
    )
    return f"  {short_path(changed.path)}: {count} ({', '.join(changed.reasons)})"
