"""Workspaces for editor tests: copies of the examples with mistakes and failures."""

import json
import os
import shutil
import sys
import tempfile
from pathlib import Path

CLIENTS = Path(__file__).parents[2] / "editor-client"
EXAMPLE = Path(__file__).parents[2] / "examples" / "code-explainer"
WEAK_EXAMPLE = EXAMPLE.parent / "meeting-minutes"
TRACED_EXAMPLE = EXAMPLE.parent / "release-notes"
FAILING_TASK = "tasks/explain-retry.yaml"
MISSING = "moon cheese"
"""A text that the recorded answer of the failing task does not contain."""


def copy_of_example(parent: Path, example: Path = EXAMPLE) -> Path:
    return shutil.copytree(example, parent / example.name, ignore=shutil.ignore_patterns(".waza-lsp"))


def make_fail(suite: Path) -> int:
    """Make one check of a task fail and return its line, counted from 1."""
    return _replaced(suite / FAILING_TASK, "[jitter]", f"[jitter, {MISSING}]")


def choose_server(suite: Path, folder: Path) -> Path:
    """Let the workspace's settings choose a program as the server. Return the file that it makes when it is started."""
    started = folder / "started"
    program = suite / ".venv" / "bin" / "waza-lsp"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\n: > {started}\n", encoding="utf-8")
    program.chmod(0o755)
    settings = suite / ".vscode" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(json.dumps({"waza.server.path": str(program)}), encoding="utf-8")
    return started


def make_slow(suite: Path, seconds: int) -> Path:
    """Make the same task wait in a grader. If the folder that this returns is gone, one trial does not wait."""
    taken = suite.parent / "taken"
    taken.mkdir()
    slow = f"""\
  - name: slow
    type: program
    config:
      command: sh
      args: [-c, "mkdir '{taken}' || sleep {seconds}"]
      timeout: 60
"""
    _replaced(suite / FAILING_TASK, "graders:\n", f"graders:\n{slow}")
    return taken


def _replaced(file: Path, old: str, new: str) -> int:
    text = file.read_text(encoding="utf-8")
    before, found, _ = text.partition(old)
    assert found, f"{old} is not in {file}"
    file.write_text(text.replace(old, new, 1), encoding="utf-8")
    return before.count("\n") + 1


def edited_example(folder: Path) -> Path:
    """Create a workspace whose eval has one misspelt option (`not_contians`). Return the eval file."""
    suite = copy_of_example(folder)
    (folder / ".waza.yaml").write_text("paths: {results: results/}\n", encoding="utf-8")
    _replaced(suite / "eval.yaml", "not_contains:", "not_contians:")
    return suite / "eval.yaml"


def variables(client: Path, eval_file: Path, *, trusted: bool = True) -> dict[str, str]:
    """Return the environment of a driver: the paths of the shipped set-up, the eval and the server.

    `trusted`: the user has trusted the eval's folder before, as no driver answers the server's question.
    """
    state = Path(tempfile.mkdtemp(prefix="waza-lsp-state-"))
    remembered = state / "waza-lsp" / "trusted-folders.json"
    remembered.parent.mkdir()
    if trusted:
        remembered.write_text(json.dumps([str(it) for it in eval_file.parents]), encoding="utf-8")
    return {
        **os.environ,
        "XDG_STATE_HOME": str(state),
        "WAZA_CLIENT": str(client),
        "WAZA_EVAL": str(eval_file),
        "WAZA_PYTHON": sys.executable,
    }


def marked_folders(folder: Path) -> dict[Path, Path]:
    """Return eval files with their expected roots: a worktree, a name with spaces, its own project, none of these."""
    (folder / ".git").mkdir()
    tree, project, plain = folder / "w t", folder / "own" / "a[b]", folder / "plain"
    for it in (tree / "evals", project, plain):
        it.mkdir(parents=True)
    (tree / ".git").write_text("gitdir: elsewhere\n", encoding="utf-8")
    (project / ".waza.yaml").write_text("", encoding="utf-8")
    wanted = {tree / "evals": tree, project: project, plain: folder}
    return {it / "eval.yaml": root for it, root in wanted.items()}
