"""Files that are no files: a named pipe, a device, a folder, 8 GB of nothing, where a file of the suite should be.

Each command gets 1.5 GB of address space and 30 seconds, so a reader that waits or reads everything fails the test.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from itertools import product
from pathlib import Path

import pytest

from tests.forked import forked
from tests.hostility.bait import CANARY, Victim
from tests.slow import first_quick

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs named pipes and sparse files")
_MEMORY = 1_500_000_000


def _sparse(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(8_000_000_000)


TRAPS: dict[str, Callable[[Path], None]] = {
    "a sparse file": _sparse,
    "a named pipe": os.mkfifo,
    "a link to a device": lambda it: it.symlink_to("/dev/zero"),
    "a folder": Path.mkdir,
    "a link in a circle": lambda it: it.symlink_to(it.name),
}
CHECK, RUN = ("check",), ("run", "eval.yaml", "--executor", "mock")
REPLAY = ("run", "eval.yaml", "--executor", "replay", "--recordings", "recordings")
PLACES: dict[str, tuple[str, ...]] = {
    ".waza-lsp.toml": CHECK,
    "pyproject.toml": CHECK,
    ".gitignore": CHECK,
    "package.json": CHECK,
    "eval.yaml": CHECK,
    "tasks/two.yaml": CHECK,
    "SKILL.md": CHECK,
    "fixtures/data.txt": RUN,
    "prompt.md": RUN,
    "data.csv": RUN,
    "rubric.md": RUN,
    "schema.json": RUN,
    "recordings/one.json": REPLAY,
    "results.json": ("report", "results.json"),
    "results.jsonl": ("report", "results.jsonl"),
    "context.json": ("grade", "--graders", "graders.yaml", "--context", "context.json"),
    "graders.yaml": ("grade", "--graders", "graders.yaml", "--context", "context.json"),
    ".waza-lsp/runs.sqlite3": ("runs", "list"),
    ".waza-lsp/reviews.jsonl": ("report",),
    ".waza-lsp/judgements.jsonl": ("judge", "show", "eval.yaml"),
    "recordings/judged/verdicts.jsonl": ("judge", "check", "eval.yaml", "--no-ask"),
}
GRADERS = (
    "- type: prompt\n  name: p\n  config: {prompt: hello, rubric: rubric.md}\n"
    "- type: json_schema\n  name: j\n  config: {schema_file: schema.json}\n"
)
TASK = "inputs: {prompt: hello, files: [{path: data.txt}]}\n"


def bounded(victim: Victim, *arguments: str, seconds: float = 30) -> subprocess.CompletedProcess[str]:
    """Our command line with little memory."""
    environment = {**os.environ, "CANARY": CANARY}
    done = forked(*arguments, cwd=victim.workspace, environment=environment, seconds=seconds, memory=_MEMORY)
    assert "Traceback" not in done.stderr
    assert "MemoryError" not in done.stdout + done.stderr
    assert done.returncode in {0, 1, 2, 3}, done.stderr
    return done


@pytest.mark.parametrize(("place", "trap"), first_quick(list(product(PLACES, TRAPS)), 2))
def test_a_trap_in_the_place_of_a_file_costs_nothing(place: str, trap: str, victim: Victim) -> None:
    """Class: reads that wait for a pipe or read everything."""
    victim.write_suite(graders=GRADERS, task=TASK)
    if place == "prompt.md":
        victim.write_suite(graders=GRADERS, task="inputs: {prompt_file: prompt.md}\n")
    if place == "data.csv":
        text = victim.eval_file.read_text(encoding="utf-8").replace(
            "tasks: ['tasks/*.yaml']", "tasks_from: data.csv"
        )
        victim.eval_file.write_text(text, encoding="utf-8")
    path = victim.workspace / place
    path.parent.mkdir(exist_ok=True, parents=True)
    path.unlink(missing_ok=True)
    TRAPS[trap](path)
    bounded(victim, *PLACES[place])


@pytest.mark.parametrize("trap", first_quick(TRAPS, 1))
def test_a_grader_survives_what_an_agent_left(trap: str, victim: Victim) -> None:
    """Class: files in the agent's workspace."""
    left = victim.workspace / "left"
    left.mkdir()
    TRAPS[trap](left / "out.txt")
    (victim.workspace / "c.json").write_text('{"output": "x"}', encoding="utf-8")
    waza = (
        "- {type: file, name: f, config: {content_patterns: [{path: out.txt, must_match: [a]}]}}\n"
        "- {type: diff, name: d, config: {expected_files: [{path: out.txt, contains: ['+a']}]}}\n"
    )
    (victim.workspace / "g.yaml").write_text(waza, encoding="utf-8")
    options = ("--context", "c.json", "--workspace", "left", "--format", "json")
    done = bounded(victim, "grade", "--graders", "g.yaml", *options)
    assert not any(it["passed"] for it in json.loads(done.stdout))
    vally = (
        "- {type: file-contains, name: f, config: {path: out.txt, value: a}}\n"
        "- {type: diff-contains, name: d, config: {value: a}}\n"
    )
    (victim.workspace / "v.yaml").write_text(vally, encoding="utf-8")
    bounded(victim, "grade", "--graders", "v.yaml", "--dialect", "vally", *options)


@pytest.mark.parametrize("trap", first_quick(TRAPS, 1))
def test_a_run_survives_what_an_agent_left(trap: str, victim: Victim) -> None:
    """Class: files in the agent's workspace, captured for graders and recordings."""
    script = {
        "a sparse file": "truncate -s 8G out.txt",
        "a named pipe": "mkfifo out.txt",
        "a link to a device": "ln -s /dev/zero out.txt",
        "a folder": "mkdir out.txt",
        "a link in a circle": "ln -s out.txt out.txt",
    }[trap]
    victim.write_suite(
        graders="- {type: file, name: f, config: {content_patterns: [{path: out.txt, must_match: [a]}]}}\n"
    )
    done = bounded(victim, "run", "eval.yaml", "--agent-command", f"sh -c '{script}; echo done'")
    assert done.returncode == 1
