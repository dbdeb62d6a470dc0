"""The text of the skill under test, for the system prompt.

See docs/reference/waza-formats.md, section 13.3 (since v0.25).
"""

from collections.abc import Iterable
from pathlib import Path

from waza_engine.file_names import SKILL_FILE
from waza_engine.front_matter import front_matter, parted
from waza_engine.values import as_text


def skill_body(skill: str, directories: Iterable[Path]) -> str:
    """What follows the front matter of the SKILL.md of that name, or "" when no directory holds it."""
    if not skill:
        return ""
    for directory in directories:
        for path in (directory / SKILL_FILE, directory / skill / SKILL_FILE):
            name, body = _read(path)
            if name == skill:
                return body
    return ""


def _read(path: Path) -> tuple[str, str]:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        return "", ""
    parts = parted(text)
    name = as_text(front_matter(text).get("name"))
    return str(name or ""), parts.body.strip() if parts is not None else ""
