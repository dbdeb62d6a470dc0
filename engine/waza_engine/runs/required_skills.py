"""Whether the skills are there that the suite cannot do without (waza-formats.md, section 13.2).

A required skill counts as present only if one of the skill directories itself holds a SKILL.md with exactly that name
in its front matter; parents of skill folders are not searched.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from waza_engine.suite import Suite
from waza_engine.values import as_text
from waza_engine.yaml_reader import YamlError, read_yaml

_FENCE = "---"


def missing_skills(suite: Suite, skill_directories: Iterable[str]) -> str:
    """What is wrong with the required skills, in one sentence, or "" when all are there."""
    required = suite.settings.required_skills
    directories = [suite.directory / it for it in skill_directories]
    if not required:
        return ""
    if not directories:
        return (
            "config.required_skills lists skills, but there are no config.skill_directories to find them in"
        )
    present = {_skill_name(it / "SKILL.md") for it in directories}
    missing = [it for it in required if it not in present]
    if not missing:
        return ""
    looked = ", ".join(str(it) for it in directories)
    return (
        f"Required skills not found: {', '.join(missing)}. A skill directory must itself hold the SKILL.md "
        f"(looked in {looked})"
    )


def _skill_name(path: Path) -> str | None:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
        end = next(i for i, it in enumerate(lines) if i and it.startswith(_FENCE))
        front: Any = read_yaml("\n".join(lines[1:end])) if lines[0].startswith(_FENCE) else None
    except (OSError, UnicodeDecodeError, StopIteration, YamlError, IndexError):
        return None
    name = as_text(front.get("name")) if isinstance(front, dict) else None
    return name if isinstance(name, str) else None
