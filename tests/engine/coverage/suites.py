"""A small workspace with a skill and evals of both dialects."""

from pathlib import Path

DESCRIPTION = """\
description: >-
  Writes release notes from commits.
  USE FOR: "write release notes", "rotate certificates". # not a comment
  DO NOT USE FOR: translating books, über-lange Blogposts.
"""


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode())
    return path


def write_skill(root: Path, name: str = "notes", description: str = DESCRIPTION) -> Path:
    return write(
        root / "skills" / name / "SKILL.md", f"---\nname: {name}\n{description}---\n\n# {name}\n\na: [b\n"
    )


def write_waza(root: Path, name: str = "notes", *, prompt: str = "Write the release notes of 2.0") -> Path:
    """Write an eval with one task in a file."""
    folder = root / "evals" / name
    write(
        folder / "tasks" / "first.yaml",
        f"id: first\nname: First\ninputs:\n  prompt: {prompt}\ngraders:\n  - type: text\n    name: words\n    config:\n"
        "      not_contains:\n        - cannot\n",
    )
    return write(
        folder / "eval.yaml",
        f"name: {name}-eval\nskill: {name}\nconfig:\n  trials_per_task: 1\n  timeout_seconds: 60\n  executor: mock\n"
        f"  model: gpt-4o\n  skill_directories:\n    - ../../skills/{name}\ntasks:\n  - tasks/*.yaml\n",
    )


def write_triggers(root: Path, name: str = "notes") -> Path:
    return write(
        root / "evals" / name / "trigger_tests.yaml",
        f"skill: {name}\nshould_trigger_prompts:\n  # Users say this.\n  - prompt: Write release notes for 3.0\n",
    )


def write_vally(root: Path, name: str = "notes") -> Path:
    return write(
        root / "evals" / name / "eval.yaml",
        f"name: {name}-eval\ntype: capability\ndefaults:\n  runs: 1\n  executor: mock\n  model: gpt-4o\n"
        f"environment:\n  skills:\n    - ../../skills/{name}\nstimuli:\n  - name: first\n"
        "    prompt: Write the release notes of 2.0\n    graders:\n      - type: completed\n        name: done\n",
    )
