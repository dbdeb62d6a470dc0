"""Run the steps of `action.yml` as GitHub's runner does: expressions, variables, outputs, and the scripts in a real bash.

The actions that it uses are replaced: the set-up by a Python that is a fork of a warm one, the upload by the stand-in.
"""

import io
import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import yaml

from tests import forked
from tests.cli.ci.github import OWN_ID, REPOSITORY, TOKEN, FakeGitHub

ACTION = Path(__file__).parents[3] / "action.yml"
_EXPRESSION = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)
_WORD = re.compile(r"'[^']*'|&&|\|\||!=|==|[()]|[\w.-]+")
_FROM_OUTSIDE = ("PATH", "HOME", "XDG_CACHE_HOME", "OPENAI_BASE_URL", "OPENAI_API_KEY")
_PYTHON = """#!/bin/bash
if [ "$1" = -I ]; then
  printf 'python=%s\\nfolder=%s\\n' "$0" "$RUNNER_TEMP/evals" >> "$GITHUB_OUTPUT"
  exit
fi
[ "$1 $2 $3" = "-P -m waza_lsp" ] || exit 97
shift 3
exec {start} "$@"
"""


@dataclass
class Job:
    """A job with one step that uses the action. `event` is what GitHub writes into the event's file."""

    github: FakeGitHub
    workspace: Path
    temporary: Path
    event_name: str
    event: dict[str, Any]
    inputs: dict[str, str] = field(default_factory=dict)
    base_ref: str = ""
    ref_name: str = "main"
    run: int = 1
    head_repository: int = OWN_ID
    output: str = ""
    """What all steps have printed."""
    summary: str = ""
    """The page of the workflow's run."""
    steps: dict[str, dict[str, str]] = field(default_factory=dict)
    is_green: bool = True
    _done: list[str] = field(default_factory=list)

    def perform(self) -> bool:
        """Run the steps, and return whether the job is green."""
        shutil.rmtree(self.temporary, ignore_errors=True)
        self._done.clear()
        self.temporary.mkdir()
        python = self._python()
        definition = yaml.safe_load(ACTION.read_text(encoding="utf-8"))
        for name, it in definition["inputs"].items():
            self.inputs.setdefault(name, self._text(str(it.get("default", ""))))
        is_green = True
        for step in definition["runs"]["steps"]:
            if not is_green or not self._value(str(step.get("if", "true"))):
                continue
            outputs, status = self._step(step, python)
            self.steps[step.get("id", "")] = outputs
            self._done.append(step.get("name") or step["uses"])
            goes_on = self._value(_EXPRESSION.sub(r"\1", str(step.get("continue-on-error", "false"))).strip())
            is_green = status == 0 or bool(goes_on)
        return is_green

    def did(self, name: str) -> bool:
        """Whether a step of this name ran."""
        return name in self._done

    def _step(self, step: dict[str, Any], python: Path) -> tuple[dict[str, str], int]:
        if "uses" in step:
            return (
                self._uses(step["uses"], {k: self._text(str(v)) for k, v in step["with"].items()}, python),
                0,
            )
        files = {it: self.temporary / it for it in ("GITHUB_OUTPUT", "GITHUB_STEP_SUMMARY")}
        for it in files.values():
            it.write_text("", encoding="utf-8")
        event = self.temporary / "event.json"
        event.write_text(json.dumps(self.event), encoding="utf-8")
        environment = {
            **{it: os.environ[it] for it in _FROM_OUTSIDE if it in os.environ},
            **{it: str(path) for it, path in files.items()},
            "GITHUB_ACTIONS": "true",
            "GITHUB_EVENT_NAME": self.event_name,
            "GITHUB_EVENT_PATH": str(event),
            "GITHUB_REPOSITORY": REPOSITORY,
            "GITHUB_API_URL": self.github.url,
            "GITHUB_SERVER_URL": "https://github.com",
            "RUNNER_TEMP": str(self.temporary),
            **{name: self._text(str(it)) for name, it in step["env"].items()},
        }
        assert step["shell"] == "bash"
        # As GitHub's runner starts it.
        command = ["bash", "--noprofile", "--norc", "-e", "-o", "pipefail", "-c", step["run"]]
        ended = subprocess.run(
            command, cwd=self.workspace, env=environment, capture_output=True, text=True, check=False
        )
        self.output += ended.stdout + ended.stderr
        self.summary += files["GITHUB_STEP_SUMMARY"].read_text(encoding="utf-8")
        lines = files["GITHUB_OUTPUT"].read_text(encoding="utf-8").splitlines()
        return dict(it.split("=", 1) for it in lines), ended.returncode

    def _uses(self, action: str, given: dict[str, str], python: Path) -> dict[str, str]:
        if action.startswith("actions/setup-python@"):
            return {"python-path": str(python)}
        assert action.startswith("actions/upload-artifact@"), action
        folder = Path(given["path"])
        if not folder.is_dir():
            return {}
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as written:
            for it in sorted(folder.rglob("*")):
                written.write(it, it.relative_to(folder))
        branch = self.event.get("pull_request", {}).get("head", {}).get("ref") or self.ref_name
        number = self.github.add_artifact(
            given["name"], archive.getvalue(), branch, run=self.run, repository=self.head_repository
        )
        return {"artifact-url": f"https://github.com/{REPOSITORY}/actions/runs/{self.run}/artifacts/{number}"}

    def _python(self) -> Path:
        forked.keep_warm()
        start = [*forked.SERVER[:-1]]
        path = self.temporary / "python"
        path.write_text(_PYTHON.format(start=" ".join(f"'{it}'" for it in start)), encoding="utf-8")
        path.chmod(0o755)
        assert start[0] == sys.executable
        return path

    def _text(self, text: str) -> str:
        """Return a text with its expressions replaced."""
        shown = {True: "true", False: "false", None: ""}
        return _EXPRESSION.sub(lambda it: str(shown.get(found := self._value(it[1]), found)), text)

    def _value(self, expression: str) -> Any:
        """Return the value of an expression. Values that do not exist are empty."""
        words = []
        for word in _WORD.findall(expression):
            known = {"&&": "and", "||": "or", "true": "True", "false": "False"}
            if word in known or not re.match(r"[\w-]", word):
                words.append(known.get(word, word))
            else:
                words.append(repr(self._named(word.split("."))))
        return eval(" ".join(words), {"__builtins__": {}})  # noqa: S307  # of our own action.yml

    def _named(self, names: list[str]) -> Any:
        github = {
            "token": TOKEN,
            "action_path": str(ACTION.parent),
            "event_name": self.event_name,
            "event": self.event,
            "repository": REPOSITORY,
            "base_ref": self.base_ref,
            "ref_name": self.ref_name,
        }
        steps = {name: {"outputs": it} for name, it in self.steps.items()}
        found: Any = {"github": github, "inputs": self.inputs, "steps": steps}
        for it in names:
            found = found.get(it) if isinstance(found, dict) else None
        return found or ""
