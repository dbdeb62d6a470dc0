"""Suites to interrupt: every executor and dialect, graders that start processes, agents that log their work."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

TASKS = ("a", "b", "c", "d")

_WAZA = """\
name: demo
skill: demo-skill
config: {{trials_per_task: {trials}, timeout_seconds: 60, executor: {executor}, parallel: true, workers: {workers}}}
graders:
  - {{type: text, name: answers, config: {{contains: [mock response]}}}}
  - {{type: code, name: long enough, config: {{assertions: [len(output) > 3]}}}}
  - {{type: program, name: agrees, config: {{command: "true"}}}}
tasks: [tasks/*.yaml]
"""
_TASK = """\
id: {name}
name: {name}
inputs:
  prompt: hello
  files: [{{path: in.txt, content: given}}]
"""
_VALLY = """\
name: demo
defaults: {{runs: {trials}, timeout: 60s, executor: {executor}}}
stimuli:
{stimuli}
"""
_STIMULUS = """\
  - name: {name}
    prompt: hello
    graders:
      - {{type: output-contains, config: {{substring: mock response}}}}
      - {{type: run-command, config: {{command: "true"}}}}
"""
_AGENT = """\
#!/bin/sh
echo "$WAZA_LSP_TASK $WAZA_LSP_TRIAL" >> "{log}"
# What an agent leaves running must not outlive it.
sleep 3600 &
sleep {seconds}
echo mock response
"""


@dataclass(frozen=True, slots=True)
class Case:
    """A suite of four tasks, and how it is run."""

    dialect: str
    executor: str
    trials: int = 4
    workers: int = 3

    @property
    def name(self) -> str:
        return f"{self.dialect}-{self.executor}"

    def written(self, folder: Path, seconds: float = 0.02) -> None:
        """Write the suite into a folder, with recordings and an agent that takes so long."""
        folder.mkdir(parents=True, exist_ok=True)
        if self.dialect == "vally":
            stimuli = "".join(_STIMULUS.format(name=it) for it in TASKS)
            text = _VALLY.format(trials=self.trials, executor=self.executor, stimuli=stimuli)
        else:
            text = _WAZA.format(trials=self.trials, executor=self.executor, workers=self.workers)
            for it in TASKS:
                _write(folder / "tasks" / f"{it}.yaml", _TASK.format(name=it))
        _write(folder / "eval.yaml", text)
        for it in TASKS:
            recorded = {"task": it, "prompt": "hello", "output": "mock response", "session": {}}
            _write(folder / "recordings" / f"{it}.json", json.dumps(recorded))
        agent = folder / "agent.sh"
        _write(agent, _AGENT.format(log=folder / "log", seconds=seconds))
        agent.chmod(0o755)

    def arguments(self, folder: Path) -> list[str]:
        """The command line after `waza-lsp`, in the folder of the suite."""
        workers = ["--workers", str(self.workers)] if self.dialect == "vally" else []
        agent = ["--agent-command", shlex.quote(str(folder / "agent.sh"))]
        return ["run", "eval.yaml", *workers, *(agent if self.executor == "command" else [])]

    @property
    def wanted(self) -> list[tuple[int, int]]:
        """All trials: the index of the task and the number."""
        return [(index, number) for index in range(len(TASKS)) for number in range(1, self.trials + 1)]


CASES = (
    Case("waza", "mock"),
    Case("waza", "replay"),
    Case("waza", "command"),
    Case("vally", "mock"),
    Case("vally", "command"),
)


def performed(folder: Path) -> int:
    """How many trials the agents have begun."""
    log = folder / "log"
    return len(log.read_text(encoding="utf-8").splitlines()) if log.exists() else 0


def started(
    folder: Path,
    *arguments: str,
    temporary: Path | None = None,
    variables: Mapping[str, str] | None = None,
) -> "subprocess.Popen[str]":
    """`waza-lsp` at work in a folder; its temporary folder is `tmp` in it unless another one is named."""
    return subprocess.Popen(
        [sys.executable, "-m", "waza_lsp", *arguments],
        cwd=folder,
        env=environment(temporary or folder / "tmp", {**os.environ, **(variables or {})}),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def environment(temporary: Path, known: Mapping[str, str]) -> dict[str, str]:
    """An environment by which everything that is started can be found again, with its own temporary folder."""
    temporary.mkdir(parents=True, exist_ok=True)
    return {**known, "TMPDIR": str(temporary)}


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
