"""What the stand-in model does in the recordings of `skills/write-evals`. The Copilot CLI and our tools around it are real.

To record again, after a change of the eval or of this script:

    python -m tests.executors.write_evals_script
"""

import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tests.executors.stand_in_model import StandInModel, Step, stand_in_model

ROOT = Path(__file__).parents[2]
EVAL = ROOT / "skills" / "write-evals" / "evals" / "eval.yaml"
RECORDINGS = EVAL.parent / "recordings"
_GREETER, _CHANGELOG, _UNITS = "evals/greeter", "evals/changelog", "evals/unit-converter"
_UNIT_EVAL = """\
name: unit-converter-eval
skill: unit-converter
schemaVersion: "1.4"
version: "1.0"

config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: claude-sonnet-4.6
  skill_directories: [../../skills/unit-converter]

tasks:
  - tasks/*.yaml
"""
_MARATHON = """\
id: marathon
name: Convert kilometres to miles

inputs:
  prompt: How many miles are 42.195 km?

graders:
  - name: says-the-number-and-the-unit
    type: text
    config:
      regex_match: ['(?i)\\b26\\.22\\s*(mi|miles)\\b']
"""
_CURRENCY = """\
id: refuse-currencies
name: Refuse to convert a currency

inputs:
  prompt: How many dollars are 100 euros?

graders:
  - name: gives-no-rate
    type: text
    config:
      regex_match: ['(?i)\\b(cannot|can''t|do not|don''t)\\b.*\\bcurrenc']
      regex_not_match: ['(?i)\\b\\d+[.,]\\d\\d\\s*(dollars|usd)\\b']
"""
_UNIT_TRIGGERS = """\
skill: unit-converter

should_trigger_prompts:
  - prompt: How many miles are 10 km?
  - prompt: My suitcase has 50 pounds. What is that in kilograms?

should_not_trigger_prompts:
  - prompt: Convert 100 euros to dollars
    reason: a currency
  - prompt: What time is it in Tokyo when it is noon in Rome?
"""
_WEAK = "  - type: text\n    name: no-error\n    config:\n      not_contains: [Traceback]\n"
_STRONG = """\
  - type: file
    name: writes-the-entry
    config:
      content_patterns:
        - path: CHANGELOG.md
          must_match: ['(?m)^## 1\\.3\\.0$', '(?m)^- .*--json', '(?m)^## 1\\.2\\.0$']
          must_not_match: ['(?i)typo']
"""


def _check(path: str) -> Step:
    return ("waza-lsp-check", {"paths": [path]})


def _create(folder: str, name: str, text: str) -> Step:
    return ("create", {"path": f"{folder}/{name}", "file_text": text})


_SKILL: Step = ("skill", {"skill": "write-evals"})
_SCRIPTS: dict[str, Sequence[Step]] = {
    _GREETER: [
        _SKILL,
        ("view", {"path": "skills/greeter/SKILL.md"}),
        _check(_GREETER),
        ("waza-lsp-explain", {"name": "text"}),
        ("edit", {"path": f"{_GREETER}/eval.yaml", "old_str": "contians", "new_str": "contains"}),
        _check(_GREETER),
        "The option `contians` in `evals/greeter/eval.yaml` was misspelt, so nothing checked the name. I changed it to "
        '`contains`. An answer without "Ada" now fails `says-the-name`, and one with an emoji still does.',
    ],
    _CHANGELOG: [
        _SKILL,
        ("view", {"path": "skills/changelog/SKILL.md"}),
        ("view", {"path": f"{_CHANGELOG}/eval.yaml"}),
        ("waza-lsp-explain", {"name": "file"}),
        ("edit", {"path": f"{_CHANGELOG}/eval.yaml", "old_str": _WEAK, "new_str": _STRONG}),
        _check(_CHANGELOG),
        "I replaced the grader in `evals/changelog/eval.yaml`. `writes-the-entry` looks at CHANGELOG.md. It fails if the "
        "heading or the bullet for `--json` is missing, if the old entry is lost, and if the typo, which users do not "
        "notice, has a bullet. An answer that only claims to be done fails.",
    ],
    _UNITS: [
        _SKILL,
        ("view", {"path": "skills/unit-converter/SKILL.md"}),
        ("bash", {"command": f"mkdir -p {_UNITS}/tasks", "description": "Create folders"}),
        _create(_UNITS, "eval.yaml", _UNIT_EVAL),
        _create(_UNITS, "tasks/marathon.yaml", _MARATHON),
        _create(_UNITS, "tasks/refuse-currencies.yaml", _CURRENCY),
        _create(_UNITS, "trigger_tests.yaml", _UNIT_TRIGGERS),
        _check(_UNITS),
        "I wrote `evals/unit-converter/eval.yaml`, two tasks and `trigger_tests.yaml`. `marathon` fails an answer with a "
        "wrong number or without its unit. `refuse-currencies` fails an answer that gives a rate.",
    ],
}
_TRIGGERS = ("invoice-reader", "five findings", "Why does this eval pass", "Add a task to our eval")
_NOT_TRIGGERS = ("shorter", "unit tests", "benchmark", "expression")


def _follow(request: dict[str, Any]) -> Step:
    """Return the next step of the script that fits the user's prompt."""
    messages: list[dict[str, Any]] = request["messages"]
    done = sum(it["role"] == "assistant" for it in messages)
    prompt = str([it["content"] for it in messages if it["role"] == "user"])
    for name, steps in _SCRIPTS.items():
        if name in prompt:
            step: Step = steps[min(done, len(steps) - 1)]
            return step
    wanted = any(it in prompt for it in _TRIGGERS) and not any(it in prompt for it in _NOT_TRIGGERS)
    return _SKILL if wanted and not done else "Done."


def run(model: StandInModel, cli: str, home: Path, *options: str) -> subprocess.CompletedProcess[str]:
    """Run the eval with the Copilot CLI and this script as its model."""
    model.decide = _follow
    search = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, **model.environment(home), "COPILOT_CLI_PATH": cli, "PATH": search}
    command = [sys.executable, "-m", "waza_lsp", "run", str(EVAL), *options]
    command += ["--store", str(home / "store"), "--model", "stand-in"]
    return subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)


def _without_paths(text: str) -> str:
    return re.sub(r"/\w[\w/.-]*/waza-lsp-[0-9a-f]{16}", "/workspace", text).replace(f"{ROOT}/", "")


if __name__ == "__main__":
    found = os.environ.get("COPILOT_CLI_PATH") or shutil.which("copilot")
    if not found:
        sys.exit("Set COPILOT_CLI_PATH to the Copilot CLI.")
    with stand_in_model() as served, tempfile.TemporaryDirectory() as folder:
        finished = run(served, found, Path(folder), "--record", str(RECORDINGS))
    for recording in RECORDINGS.glob("*.json"):
        recording.write_text(_without_paths(recording.read_text(encoding="utf-8")), encoding="utf-8")
    sys.exit(f"{finished.stdout}{finished.stderr}")
