"""Parts that the other dialect has no words for, carried through it in comments and taken out again on the way back."""

import io
from collections.abc import Iterable, Mapping
from typing import Any

from ruamel.yaml import YAML

from waza_engine.yaml_reader import YamlError, read_yaml


def as_comment(parts: Mapping[str, Any], dialect: str) -> list[str]:
    """The parts as comment lines without their `#`; none when there are no parts."""
    if not parts:
        return []
    stream = io.StringIO()
    writer = YAML()
    writer.width = 4096
    writer.indent(mapping=2, sequence=4, offset=2)
    writer.dump(dict(parts), stream)
    lines = stream.getvalue().splitlines()
    return [_title(dialect), *(f" | {it}" for it in lines)]


def from_comment(lines: Iterable[str], dialect: str) -> tuple[dict[str, Any], list[str]]:
    """What `as_comment` has put into these lines, and the lines that are somebody's own."""
    own: list[str] = []
    kept: list[str] = []
    title = _title(dialect)
    for it in lines:
        bare = it.removeprefix(" ")
        if bare.startswith("|"):
            kept.append(bare.removeprefix("|").removeprefix(" "))
        elif it.strip() != title.strip():
            own.append(it)
    try:
        found = read_yaml("\n".join(kept)) if kept else {}
    except YamlError:
        return {}, list(lines)
    return (found, own) if isinstance(found, dict) else ({}, list(lines))


def _title(dialect: str) -> str:
    return f" kept from {dialect}, which has more words for it:"
