"""Git repositories with evals, for tests of what has changed since a commit."""

import os
import subprocess
from pathlib import Path
from textwrap import dedent

EVAL = """
name: {name}
description: Tests {name}.
skill: {name}
version: "1.0"
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: mock
  model: some-model
  skill_directories: [../../skills/{name}]
metrics: []
graders:
  - type: text
    name: writes
    config: {{contains: ["{expected}"]}}
tasks: [tasks/*.yaml]
"""
TASK = """
id: {id}
name: {id}
inputs:
  prompt: Write {id}
  files: [{{path: notes.md}}]
"""
SKILL = "---\nname: {name}\ndescription: Writes {name}.\n---\nWrite well.\n"


class Repository:
    """A repository in a folder, whose first commit is the branch `main`."""

    def __init__(self, root: Path) -> None:
        self.root = root
        root.mkdir(parents=True, exist_ok=True)
        self.git("init", "-q", "-b", "main")

    def git(self, *arguments: str) -> str:
        """Run git and return its output."""
        environment = {it: value for it, value in os.environ.items() if not it.startswith("GIT_")}
        for who in ("AUTHOR", "COMMITTER"):
            environment |= {f"GIT_{who}_NAME": "someone", f"GIT_{who}_EMAIL": "someone@example.com"}
        done = subprocess.run(
            ["git", *arguments], cwd=self.root, env=environment, capture_output=True, text=True, check=True
        )
        return done.stdout.strip()

    def write(self, path: str, text: str) -> None:
        """Write a file."""
        place = self.root / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(dedent(text).lstrip("\n"), encoding="utf-8", newline="")

    def replace(self, path: str, old: str, new: str) -> None:
        """Replace a text in a file."""
        text = (self.root / path).read_text(encoding="utf-8")
        assert old in text
        self.write(path, text.replace(old, new))

    def add_eval(self, name: str, *tasks: str, expected: str = "") -> None:
        """Write an eval with its tasks, its fixtures and its skill."""
        self.write(f"evals/{name}/eval.yaml", EVAL.format(name=name, expected=expected or "Write"))
        self.write(f"evals/{name}/fixtures/notes.md", f"Notes of {name}\n")
        self.write(f"skills/{name}/SKILL.md", SKILL.format(name=name))
        for it in tasks:
            self.write(f"evals/{name}/tasks/{it}.yaml", TASK.format(id=it))

    def commit(self, message: str = "A change") -> str:
        """Commit everything and return the commit's id."""
        self.git("add", "-A")
        self.git("commit", "-q", "--no-verify", "--allow-empty", "-m", message)
        return self.git("rev-parse", "HEAD")
