"""Whether the skills are there that the suite cannot do without (docs/reference/waza-formats.md, section 13.2).

A required skill counts as present only if one of the skill directories itself holds a SKILL.md with exactly that name
in its front matter; parents of skill folders are not searched.
"""

from collections.abc import Iterable
from pathlib import Path

from waza_engine.file_names import SKILL_FILE
from waza_engine.front_matter import front_matter
from waza_engine.regular_files import regular_text
from waza_engine.suite import Suite
from waza_engine.values import as_text


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
    present = {_skill_name(it / SKILL_FILE) for it in directories}
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
        name = as_text(front_matter(regular_text(path, "utf-8-sig")).get("name"))
    except (OSError, ValueError):
        return None
    return name if isinstance(name, str) else None
