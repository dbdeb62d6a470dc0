"""An eval whose tasks have recordings, in an editor that shows lenses: what an edit in a grader costs."""

import json
import statistics
import time
from dataclasses import dataclass
from pathlib import Path

from bench.editing.client import Editor, Server, Told
from bench.editing.rows import Rows, p95
from tests.engine.audit.evals import recording

PAUSE_SECONDS = 0.7
"""Longer than any pause after which a server begins to work."""
_HEAD = 8
_TASK = ["    graders:", "      - type: text", "        name: says", "        config:"]


@dataclass(frozen=True, slots=True)
class Suite:
    """An eval with all its tasks in one file."""

    lines: list[str]
    words: list[int]
    """The line with the words that a task's grader wants, by task."""


def written_suite(root: Path, tasks: int, lines: int, recordings: int) -> Suite:
    """Write an eval of so many lines and tasks, and `recordings` of each task."""
    (root / ".git").mkdir()
    (root / "recordings").mkdir()
    found = ["name: bench", "skill: bench", "config:", "  trials_per_task: 1", "  timeout_seconds: 60"]
    found += ["  executor: mock", "  model: gpt-4o", "tasks:"]
    words: list[int] = []
    for number in range(tasks):
        found += [f"  - id: t{number}", f"    name: Task {number}", "    inputs:", "      prompt: |"]
        found += ["        Say the answer.", "        Then say why."]
        words.append(len(found) + len(_TASK))
        found += [*_TASK, f"          contains: [answer {number}]", "          not_contains: [sorry]"]
        end = _HEAD + (lines - _HEAD) * (number + 1) // tasks
        found += [line for grader in range((end - len(found)) // 6) for line in _grader(grader)]
    found += [f"# {len(found) + number}" for number in range(lines - len(found))]
    (root / "eval.yaml").write_text("\n".join(found) + "\n", encoding="utf-8")
    for number in range(tasks):
        for trial in range(1, recordings + 1):
            made = recording(f"t{number}", f"The answer {number} is here, {trial}.")
            (root / "recordings" / f"t{number}.{trial}.json").write_text(json.dumps(made), encoding="utf-8")
    return Suite(found, words)


def _grader(number: int) -> list[str]:
    if number % 2:
        return [
            "      - type: behavior",
            f"        name: calls{number}",
            "        weight: 1.5",
            "        config:",
            "          max_tool_calls: 50",
            "          forbidden_tools: [rm]",
        ]
    return [
        "      - type: text",
        f"        name: more{number}",
        "        config:",
        "          contains_cs:",
        '            - "is here"',
        r"          regex_match: ['answer \d+ is']",
    ]


def measured_recorded(server: Server, suite: Suite, root: Path, *, edits: int, idle: float = 0.0) -> Rows:
    """Edit graders in the middle, one letter at a time. Each edit changes the verdicts of the task's recordings."""
    with Editor(server, root, shows_lenses=True) as editor:
        editor.open(suite.lines)
        editor.until(lambda _: True, 0)
        editor.quiet(PAUSE_SECONDS)
        opened = editor.cpu()
        middle = suite.words[len(suite.words) // 2]
        for number in range(2):  # The first edits meet caches that are cold.
            _edit(editor, middle, wrong=number == 0)
        before, times = editor.cpu(), list[float]()
        for number in range(edits):
            times.append(_edit(editor, middle, wrong=number % 2 == 0))
        spent = editor.cpu() - before
        rows = {
            "start until idle, CPU": opened * 1000,
            "edit in a grader, CPU": spent * 1000 / edits,
            "memory, peak MB": editor.tree.peak,
        }
        if not server.has_rules:
            return rows
        rows |= {"edit -> verdict": statistics.median(times), "edit -> verdict, p95": p95(times)}
        rows["key in the head, CPU"] = _key_in_the_head(editor)
        rows["processes"] = float(editor.tree.most)
        if idle:
            before = editor.cpu()
            time.sleep(idle)
            rows["idle minute, CPU"] = (editor.cpu() - before) * 1000 * 60 / idle
        return rows


def _edit(editor: Editor, line: int, *, wrong: bool) -> float:
    """Make a grader fail, or pass again. Return the milliseconds until its verdict, if the server has any."""
    end = len(editor.lines[line]) - 1
    since, sent = len(editor.told), time.perf_counter()
    version = editor.edit(line, end, end, "x") if wrong else editor.edit(line, end - 1, end, "")
    if editor.server.has_rules:
        code = "failed-check" if wrong else "live-verdict"
        told = editor.until(lambda it: _has_verdict(it, line, version, code), since)
    else:
        told = editor.until(lambda it: it.version >= version, since)
    editor.quiet(PAUSE_SECONDS)
    return (told.at - sent) * 1000


def _has_verdict(told: Told, line: int, version: int, code: str) -> bool:
    around = range(line - len(_TASK), line + 2)
    return told.version >= version and any(at in around and code == one for at, one in told.codes())


def _key_in_the_head(editor: Editor) -> float:
    """Change the eval's name: every task may have changed. Return the milliseconds of processor time."""
    before, end = editor.cpu(), len(editor.lines[0])
    editor.edit(0, end, end, "x")
    editor.quiet(PAUSE_SECONDS)
    return (editor.cpu() - before) * 1000
