"""The tool `audit`: what an eval lets pass, in words. It starts no agent, asks no judge and runs no program of the eval.

The command runs in a process of its own: a huge suite or recording ends that process, not the server.
"""

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from waza_lsp.cli.mcp.folder import Folder, ToolRefusedError, data

_FINE = frozenset([0, 1, 2])
"""1: a counter example passes; 2: some evals or tasks could not be audited. The answer names them."""
_SECONDS = 90
_MOST_TASKS = 50
_MOST_SURVIVORS = 6
_WIDTH = 120
_AROUND = 30
"""Characters before the first difference of two texts."""


def audit(folder: Folder, paths: Sequence[str], tasks: Sequence[str]) -> str:
    """Return what passes on broken work: the tasks, what each lets pass, and the graders that notice nothing."""
    names = [str(folder.path(it)) for it in paths]
    options = [option for it in tasks for option in ("--task", it)]
    printed = folder.output_of(
        "audit", "--format", "json", "--max-seconds", str(_SECONDS), *options, "--", *names, fine=_FINE
    )
    try:
        found, end = json.JSONDecoder().raw_decode(printed)
    except ValueError:
        raise ToolRefusedError(data("message of the command", printed)) from None
    notes = printed[end:].strip()
    lines = [*_lines(found, folder), *([notes] if notes else [])]
    return data("an audit, which quotes files and recordings", "\n".join(lines))


def _lines(found: Mapping[str, Any], folder: Folder) -> Iterator[str]:
    shown = 0
    weak = [(it, task) for it in found["evals"] for task in it["tasks"] if _is_weak(task)]
    yield _summary(found["summary"], len(weak))
    for eval_, task in weak[:_MOST_TASKS]:
        shown += 1
        yield ""
        yield from _task_lines(eval_, task, folder)
    if len(weak) > shown:
        yield f"\n{len(weak) - shown} more tasks are weak. Give `tasks` to see them."


def _summary(summary: Mapping[str, Any], weak: int) -> str:
    score = summary["mutation_score"]
    words = [
        f"tasks audited: {summary['tasks']}, weak: {weak}",
        f"pass without work: {summary['pass_without_work']}",
    ]
    if score is not None:
        words.append(f"{int(score * 100)} % of the broken copies of recorded trials are noticed")
    if summary["stopped"]:
        words.append(f"not complete: {summary['stopped']}")
    return "; ".join(words)


def _is_weak(task: Mapping[str, Any]) -> bool:
    return bool(
        task["problem"] or task["survivors"] or _accused(task) or task["unchecked"] or _passing_counters(task)
    )


def _passing_counters(task: Mapping[str, Any]) -> list[str]:
    return [it["path"] for it in task["counter_examples"] if it["status"] == "passed"]


def _accused(task: Mapping[str, Any]) -> Sequence[str]:
    """Return the agents without work that pass, unless the task wants that nothing happens."""
    passing: Sequence[str] = task["passes_for"]
    return passing if task["intent"] == "work" else ()


def _task_lines(eval_: Mapping[str, Any], task: Mapping[str, Any], folder: Folder) -> Iterator[str]:
    path = folder.relative(os.path.join(folder.root, task["path"] or eval_["path"]))  # noqa: PTH118  # may be absolute
    place = f"{path}:{task['line'] + 1}" if task["line"] is not None else path
    yield f"{place}: task '{task['id']}'"
    if task["problem"]:
        yield f"- not audited: {task['problem']}"
    if task["unchecked"]:
        yield "- no grader checks it"
    if _accused(task):
        alone = ", apart from graders that were not asked" if task["not_asked"] else ""
        yield f"- passes for agents without work{alone}: {', '.join(_accused(task))}"
    if _passing_counters(task):
        yield f"- counter examples that must fail pass: {', '.join(_passing_counters(task))}"
    survivors = task["survivors"]
    for it in survivors[:_MOST_SURVIVORS]:
        yield f"- passes {it['change']}{_difference(it['before'], it['after'])}"
    if len(survivors) > _MOST_SURVIVORS:
        yield f"- and {len(survivors) - _MOST_SURVIVORS} more of {task['mutants']} broken copies"
    unseen = list(dict.fromkeys(task["unseen"]))
    if unseen:
        more = f" and {len(unseen) - _MOST_SURVIVORS} more" if len(unseen) > _MOST_SURVIVORS else ""
        yield f"- no grader looks at a trial {'; '.join(unseen[:_MOST_SURVIVORS])}{more}"
    idle = [it["name"] or it["type"] for it in task["graders"] if not it["notices"]]
    if idle:
        yield f"- graders that notice nothing: {', '.join(idle)}"
    if task["not_asked"]:
        yield f"- not asked, because they run programs or ask a model: {', '.join(task['not_asked'])}"


def _difference(before: str, after: str) -> str:
    """Return the first difference of two texts."""
    if before == after:
        return ""
    pairs = enumerate(zip(before, after, strict=False))
    same = next((index for index, (old, new) in pairs if old != new), min(len(before), len(after)))
    start = max(0, same - _AROUND)
    old, new = (json.dumps(it[start : start + _WIDTH], ensure_ascii=False) for it in (before, after))
    return f": {old} became {new}"
