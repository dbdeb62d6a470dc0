"""Go's `filepath.Match` and `filepath.Glob`: how waza reads task globs and task filters.

See docs/reference/waza-formats.md, sections 3, 13.8.

`*` and `?` do not cross `/`, `**` is the same as `*`, `[^a]` negates and `[!a]` does not, there are no braces, and
names with a leading dot are matched as any other.
"""

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from waza_engine.lib.files.read_tracking import note_read

_WILD = frozenset("*?[\\")


class BadPattern(ValueError):  # noqa: N818  # Go calls it ErrBadPattern; it is caught as a finding
    """A pattern that Go refuses: an unclosed or empty class, or a backslash at the end."""


@dataclass(frozen=True, slots=True)
class _Class:
    """`[a-z]`: one character in (or not in) one of the ranges. It may be a `/`."""

    ranges: tuple[tuple[str, str], ...]
    negated: bool

    def has(self, character: str) -> bool:
        return any(low <= character <= high for low, high in self.ranges) != self.negated


@dataclass(frozen=True, slots=True)
class _Any:
    """`?`: one character that is no `/`."""

    def has(self, character: str) -> bool:
        return character != "/"


@dataclass(frozen=True, slots=True)
class _Literal:
    """A character that means itself."""

    character: str

    def has(self, character: str) -> bool:
        return character == self.character


_Token = _Class | _Any | _Literal
_Chunk = tuple[bool, tuple[_Token, ...]]
"""Whether a `*` stands before it, and the characters."""


def match(pattern: str, name: str) -> bool:
    """Whether the whole `name` fits `pattern`.

    Raises:
        BadPattern: Go would refuse the pattern, whatever the name.

    """
    chunks = _parsed(pattern)
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
    """Where the first fitting place of the chunk ends; the last chunk must end with the name."""
    for start in range(len(name) + 1):
        end = start + len(tokens)
        if _fits(tokens, name[start:end]) and (end == len(name) or not last):
            return end
        if not star or name[start : start + 1] == "/":
            return None
    return None


def _fits(tokens: Sequence[_Token], text: str) -> bool:
    return len(tokens) == len(text) and all(
        it.has(character) for it, character in zip(tokens, text, strict=True)
    )


@lru_cache(maxsize=256)
def _parsed(pattern: str) -> tuple[_Chunk, ...]:
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
                raise BadPattern("the backslash at the end escapes nothing")
            return _Literal(pattern[position + 1]), position + 2
        case character:
            return _Literal(character), position + 1


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
    """One character of a class. Something must follow it, at least the closing bracket."""
    if pattern[position : position + 1] in ("", "-", "]"):
        raise BadPattern("a [...] is empty, not closed, or has a '-' without both ends")
    position += pattern[position] == "\\"
    if position + 1 >= len(pattern):
        raise BadPattern("a [...] is not closed")
    return pattern[position], position + 1


def glob(pattern: str, root: Path) -> list[str]:
    """The paths below `root` that fit, as Go spells them: names sorted within each directory.

    Raises:
        BadPattern: Go would refuse the pattern.

    """
    _parsed(pattern)
    return list(_glob(pattern, root)) if pattern else []


def is_wild(text: str) -> bool:
    """Whether a text means anything else, as a pattern, than the one name that it spells."""
    return not _WILD.isdisjoint(text)


def fixed_part(pattern: str) -> str:
    """The folders that a pattern names before its first wildcard, with the slash behind them."""
    first = next((index for index, it in enumerate(pattern) if it in _WILD), len(pattern))
    return pattern[: pattern.rfind("/", 0, first) + 1]


def literal(text: str) -> str:
    """The pattern that matches this text alone."""
    return "".join(f"\\{it}" if it in _WILD else it for it in text)


def _glob(pattern: str, root: Path) -> Iterator[str]:
    if not is_wild(pattern):
        note_read(root / pattern)
        if os.path.lexists(root / pattern):
            yield pattern
        return
    folder, slash, name = pattern.rpartition("/")
    folders = _glob(folder, root) if is_wild(folder) else [folder or slash]
    for it in folders:
        yield from (_joined(it, found) for found in _names(root / it) if match(name, found))


def _names(folder: Path) -> list[str]:
    note_read(folder)
    try:
        return sorted(os.listdir(folder))  # noqa: PTH208  # names are wanted, not paths
    except OSError:
        return []


def _joined(folder: str, name: str) -> str:
    return os.path.normpath(f"{folder}/{name}") if folder else name
