"""Telling quickly that a text is no eval file, without parsing it: most YAML files of a repository are none."""

import re
from pathlib import Path, PurePath

from waza_engine.checking.named import named_by_eval
from waza_engine.formats import may_be_ours, recognise
from waza_lsp.syntax.cut import PieceKind, cut
from waza_lsp.syntax.modeline import schema_address
from waza_lsp.syntax.text import split_lines

_PLAIN_KEY = re.compile(r"([A-Za-z_$/][\w$./ -]*?)\s*:(?:\s+(.*))?$")
_PAIRS = {'"': '"', "'": "'", "{": "}", "[": "]"}


def may_be_eval(text: str, path: PurePath | None, dialect_name: str = "") -> bool:
    """False only if parsing the text would show that it is no eval file (of the named dialect)."""
    lines = split_lines(text)
    keys = _top_level_keys(lines)
    if keys is None or dialect_name:
        return keys is None or recognise(keys, path, dialect_name=dialect_name) is not None
    return may_be_ours(keys, path, schema=schema_address(lines)) or (
        path is not None and named_by_eval(Path(path)) is not None
    )


def looks_like_eval(text: str, path: PurePath | None, dialect_name: str = "") -> bool:
    """Whether a text that cannot be parsed would be an eval file, by the keys that can be made out and the path."""
    return recognise(_top_level_keys(split_lines(text)) or (), path, dialect_name=dialect_name) is not None


def _top_level_keys(lines: list[str]) -> list[str] | None:
    """The top-level keys as far as looks tell; None when only parsing can."""
    keys: list[str] = []
    for piece in cut(lines).cuts:
        if piece.kind in {PieceKind.ITEM, PieceKind.SKIPPED}:
            continue
        found = _PLAIN_KEY.match(lines[piece.start].rstrip()) if piece.kind is not PieceKind.WHOLE else None
        if found is None or _goes_on(found[2] or "", lines[piece.start + 1 : piece.end]):
            return None
        keys.append(found[1])
    return keys


def _goes_on(value: str, below: list[str]) -> bool:
    """Whether the value may reach into lines that look like keys, or lines below it keep the key from being read."""
    if value[:1] in _PAIRS:
        return not value.endswith(_PAIRS[value[0]])
    return value[:1] not in {"", "|", ">", "#"} and any(it.strip() for it in below)
