"""The text of the skill under test, for the system prompt (waza-formats.md, section 13.3: since v0.25)."""

from collections.abc import Iterable
from pathlib import Path

from waza_engine.values import as_text
from waza_engine.yaml_reader import YamlError, read_yaml

_FENCE = "---"


def skill_body(skill: str, directories: Iterable[Path]) -> str:
    """What follows the front matter of the SKILL.md of that name, or "" when no directory holds it."""
    if not skill:
        return ""
    for directory in directories:
        for path in (directory / "SKILL.md", directory / skill / "SKILL.md"):
            name, body = _read(path)
            if name == skill:
                return body
    return ""


def _read(path: Path) -> tuple[str, str]:
    try:
        lines = path.read_text(encoding="utf-8-sig").splitlines()
        end = next(i for i, it in enumerate(lines) if i and it.startswith(_FENCE))
        front = read_yaml("\n".join(lines[1:end])) if lines[0].startswith(_FENCE) else None
    except (OSError, UnicodeDecodeError, StopIteration, YamlError, IndexError):
        return "", ""
    name = as_text(front.get("name")) if isinstance(front, dict) else None
    return str(name or ""), "\n".join(lines[end + 1 :]).strip()
