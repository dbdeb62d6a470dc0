"""Go's `filepath.Match` and `filepath.Glob`, as waza uses them for task globs and task filters.

`*` and `?` do not match `/`, `**` means `*`, `[^a]` negates and `[!a]` does not, there are no braces, and names with a
leading dot are matched like any other (docs/reference/waza-formats.md, sections 3 and 13.8).
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from waza_engine.lib.go.paths import cleaned
from waza_engine.lib.queries.disk import note_read

_MAX_NAMES = 200_000
_WILD = frozenset("*?[\\")


class BadPattern(ValueError):  # noqa: N818  # named after Go's ErrBadPattern
    """A pattern that Go refuses: an unclosed or empty class, or a backslash at the end."""


@dataclass(frozen=True, slots=True)
class _Class:
    """`[a-z]`: one character in (or not in) one of the ranges. It may match `/`."""

    ranges: tuple[tuple[str, str], ...]
    negated: bool

    def has(self, character: str) -> bool:
        return any(low <= character <= high for low, high in self.ranges) != self.negated


@dataclass(frozen=True, slots=True)
class _Any:
    """`?`: one character other than `/`."""

    def has(self, character: str) -> bool:
        return character != "/"


@dataclass(frozen=True, slots=True)
class _Literal:
    """A character that matches itself."""

    character: str

    def has(self, character: str) -> bool:
        return character == self.character


_literal = lru_cache(maxsize=256)(_Literal)
_Token = _Class | _Any | _Literal
_Chunk = tuple[bool, tuple[_Token, ...]]
"""Whether the chunk begins with `*`, and the tokens after it."""


def match(pattern: str, name: str) -> bool:
    """Whether the whole `name` matches `pattern`.

    Raises:
        BadPattern: Go refuses the pattern, whatever the name.

    """
    chunks = _parse(pattern)
    for index, (star, tokens) in enumerate(chunks):
        last = index == len(chunks) - 1
        if star and not tokens:
            return "/" not in name
        end = _end_of_match(star, tokens, name, last)
        if end is None:
            return False
        name = name[end:]
    return not name


def _end_of_match(star: bool, tokens: Sequence[_Token], name: str, last: bool) -> int | None:
    """Return where the first match of the chunk ends; the last chunk must match up to the end of the name."""
    if star and last:
        start = len(name) - len(tokens)
        fits = start >= 0 and "/" not in name[:start] and _match_tokens(tokens, name[start:])
        return len(name) if fits else None
    for start in range(len(name) + 1):
        end = start + len(tokens)
        if _match_tokens(tokens, name[start:end]) and (end == len(name) or not last):
            return end
        if not star or name[start : start + 1] == "/":
            return None
    return None


def _match_tokens(tokens: Sequence[_Token], text: str) -> bool:
    return len(tokens) == len(text) and all(a.has(b) for a, b in zip(tokens, text, strict=True))


@lru_cache(maxsize=2048)
def _parse(pattern: str) -> tuple[_Chunk, ...]:
    chunks: list[_Chunk] = []
    star, tokens = False, list[_Token]()
    position = 0
    while position < len(pattern):
        if pattern[position] == "*":
            if tokens or not star:
                chunks += [(star, tuple(tokens))] if star or tokens else []
                star, tokens = True, []
            position += 1
            continue
        token, position = _token(pattern, position)
        tokens.append(token)
    if star or tokens:
        chunks.append((star, tuple(tokens)))
    return tuple(chunks)


def _token(pattern: str, position: int) -> tuple[_Token, int]:
    match pattern[position]:
        case "?":
            return _Any(), position + 1
        case "[":
            return _class(pattern, position + 1)
        case "\\":
            if position + 1 == len(pattern):
                raise BadPattern("the backslash at the end has nothing to escape")
            return _Literal(pattern[position + 1]), position + 2
        case character:
            return _literal(character), position + 1


def _class(pattern: str, position: int) -> tuple[_Class, int]:
    negated = pattern[position : position + 1] == "^"
    position += negated
    ranges: list[tuple[str, str]] = []
    while not (ranges and pattern[position] == "]"):
        low, position = _in_class(pattern, position)
        high = low
        if pattern[position] == "-":
            high, position = _in_class(pattern, position + 1)
        ranges.append((low, high))
    return _Class(tuple(ranges), negated), position + 1


def _in_class(pattern: str, position: int) -> tuple[str, int]:
    """Read one character of a class. At least the closing bracket must follow."""
    if pattern[position : position + 1] in ("", "-", "]"):
        raise BadPattern("a [...] is empty, not closed, or has a '-' without a start or an end")
    position += pattern[position] == "\\"
    if position + 1 >= len(pattern):
        raise BadPattern("a [...] is not closed")
    return pattern[position], position + 1


def glob(pattern: str, root: Path) -> list[str]:
    """Return the matching paths below `root` as Go spells them, with the names of each directory sorted.

    Raises:
        BadPattern: Go refuses the pattern.

    """
    _parse(pattern)
    return list(_glob(pattern, root, _Budget())) if pattern else []


def has_wildcard(text: str) -> bool:
    """Whether a pattern has wildcards or escapes, so that it can match something other than itself."""
    return not _WILD.isdisjoint(text)


def fixed_part(pattern: str) -> str:
    """Return the folders of a pattern before its first wildcard, with the final slash."""
    first = next((index for index, it in enumerate(pattern) if it in _WILD), len(pattern))
    return pattern[: pattern.rfind("/", 0, first) + 1]


def literal(text: str) -> str:
    """Return the pattern that matches exactly this text."""
    return "".join(f"\\{it}" if it in _WILD else it for it in text)


class _Budget:
    """What a pattern may still visit: `*/*/*` doubles with each level below links to the folder itself."""

    def __init__(self) -> None:
        self.left = _MAX_NAMES

    def take(self, names: list[str]) -> list[str]:
        """Return the names, which count.

        Raises:
            BadPattern: they are too many.

        """
        self.left -= len(names) + 1
        if self.left < 0:
            raise BadPattern(f"it visits more than {_MAX_NAMES:,} files")
        return names


def _glob(pattern: str, root: Path, budget: _Budget) -> Iterator[str]:
    if not has_wildcard(pattern):
        note_read(root / pattern)
        if os.path.lexists(root / pattern):
            yield pattern
        return
    folder, slash, name = pattern.rpartition("/")
    folders = _glob(folder, root, budget) if has_wildcard(folder) else [folder or slash]
    for parent in folders:
        yield from (_join(parent, it) for it in budget.take(_names(root / parent)) if match(name, it))


def _names(folder: Path) -> list[str]:
    note_read(folder)
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208  # names, not paths
    except OSError:
        return []


def _join(folder: str, name: str) -> str:
    return cleaned(f"{folder}/{name}") if folder else name
