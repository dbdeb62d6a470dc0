"""Front matter: the YAML between two fences at the top of a Markdown file (a SKILL.md, a custom agent)."""

from typing import Any, NamedTuple

from waza_engine.yaml_reader import YamlError, read_yaml

_FENCE = "---"


class Parted(NamedTuple):
    """A text cut at its fences; both parts have their line ends. `front` begins in line 1 of the file, counted from 0."""

    front: str
    body: str


def parted(text: str) -> Parted | None:
    """The front matter, empty when the text begins with none, and the rest; None when its closing fence is missing."""
    lines = text.splitlines(keepends=True)
    if not lines or not lines[0].startswith(_FENCE):
        return Parted("", text)
    end = next((i for i, it in enumerate(lines) if i and it.startswith(_FENCE)), 0)
    return Parted("".join(lines[1:end]), "".join(lines[end + 1 :])) if end else None


def front_matter(text: str) -> dict[str, Any]:
    """The front matter as `read_yaml` reads it; empty when there is none, or it is no mapping or no YAML."""
    parts = parted(text)
    try:
        data = read_yaml(parts.front) if parts is not None and parts.front else None
    except YamlError:
        return {}
    return data if isinstance(data, dict) else {}
