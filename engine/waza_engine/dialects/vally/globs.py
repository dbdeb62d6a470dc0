"""vally's globs, which follow picomatch (docs/reference/vally.md, section 7.2).

`*` and `?` do not match `/`; `**` does if it is a whole path segment. `{a,b}`, `[ab]`, `!(a)`, `@(a|b)` and similar
patterns work. Hidden files match like others, and only regular files are returned.
"""

import os
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from waza_engine.lib.js_regex import js_matches
from waza_engine.lib.paths import is_inside

_MAGIC = frozenset("*?[{(\\")
_SPECIAL = frozenset("^$\\.*+?()[]{}|/")
_REPEATED = {"@": "", "?": "?", "*": "*", "+": "+"}


def refusal(pattern: str) -> str | None:
    """Return why vally rejects a glob; None if it is valid."""
    if pattern.startswith(("/", "\\")) or pattern[1:3] in {":/", ":\\"}:
        return f"'{pattern}' is an absolute path"
    if ".." in pattern.replace("\\", "/").split("/"):
        return f"'{pattern}' could leave the workspace"
    return None


def matching_files(root: Path, pattern: str) -> Iterator[str]:
    """Yield the regular files below `root` that match, as relative paths; links are skipped."""
    relative = pattern.removeprefix("./")
    if not (_MAGIC & set(relative) or relative.startswith("!")):
        path = root / relative
        if relative and not relative.endswith("/") and is_inside(path, root) and _is_regular(path):
            yield relative
        return
    regex = as_pattern(relative)
    for folder, folders, names in os.walk(root):
        folders.sort()
        for name in sorted(names):
            path = Path(folder) / name
            file_name = path.relative_to(root).as_posix()
            if js_matches(regex, file_name) and _is_regular(path):
                yield file_name


def _is_regular(path: Path) -> bool:
    try:
        return path.is_file() and not path.is_symlink()
    except (OSError, ValueError):
        return False


@lru_cache(maxsize=256)
def as_pattern(glob: str) -> str:
    """Return the glob as a JavaScript pattern for whole paths."""
    plain = glob.lstrip("!") if not glob.lstrip("!").startswith("(") else glob
    text = _Reader(plain).text()
    is_negated = (len(glob) - len(plain)) % 2
    return f"^(?!(?:{text})$)[^]+$" if is_negated else f"^(?:{text})$"


class _Reader:
    """Translates a glob from left to right. Unclosed brackets are literal."""

    def __init__(self, glob: str) -> None:
        self._glob = glob
        self._at = 0

    def text(self, ends: str = "") -> str:
        """Return the pattern up to one of the characters `ends`, which is not consumed."""
        pieces: list[str] = []
        while self._at < len(self._glob) and self._glob[self._at] not in ends:
            pieces.append(self._piece())
        return "".join(pieces)

    def _piece(self) -> str:
        rest = self._glob[self._at :]
        if rest[1:2] == "(" and rest[0] in "@?*+!" and ")" in rest:
            return self._extended_group()
        match rest[0]:
            case "*":
                return self._stars()
            case "/" if rest == "/**" and self._glob[self._at - 1 : self._at] != "*":
                return self._take(3, "(?:/[^]*)?")
            case "(" if ")" in rest:
                return self._group()
            case "?":
                return self._take(1, "[^/]")
            case "[" if "]" in rest[2:]:
                return self._class(rest)
            case "{" if "}" in rest:
                return self._braces()
            case "\\" if len(rest) > 1:
                return self._take(2, _literal(rest[1]))
            case character:
                return self._take(1, _literal(character))

    def _take(self, count: int, text: str) -> str:
        self._at += count
        return text

    def _stars(self) -> str:
        start = self._at
        while self._glob[self._at : self._at + 1] == "*":
            self._at += 1
        before, after = self._glob[start - 1 : start], self._glob[self._at : self._at + 1]
        if self._at - start < 2 or (start and before != "/") or after not in {"", "/"}:
            # A star that is a whole path segment matches at least one character.
            return "[^/]+" if before in {"", "/"} and after in {"", "/"} else "[^/]*"
        if after == "/":
            self._at += 1
            return "(?:[^]*/)?"
        return "[^]+" if not start else "[^]*"

    def _class(self, rest: str) -> str:
        end = rest.index("]", 2)
        inner = rest[1:end]
        negated = inner[:1] == "^"
        members = (
            (inner[1:] if negated else inner).replace("\\", "\\\\").replace("[", "\\[").replace("]", "\\]")
        )
        return self._take(end + 1, f"[{'^/' if negated else ''}{members}]")

    def _group(self) -> str:
        start = self._at
        self._at += 1
        options = [self.text("|)")]
        while self._glob[self._at : self._at + 1] == "|":
            self._at += 1
            options.append(self.text("|)"))
        if self._glob[self._at : self._at + 1] != ")":
            self._at = start
            return self._take(1, r"\(")
        return self._take(1, f"(?:{'|'.join(options)})")

    def _braces(self) -> str:
        start = self._at
        if self._glob[start + 2 : start + 4] == ".." and self._glob[start + 5 : start + 6] == "}":
            return self._take(6, f"[{self._glob[start + 1]}-{self._glob[start + 4]}]")
        self._at += 1
        options = [self.text(",}")]
        while self._glob[self._at : self._at + 1] == ",":
            self._at += 1
            options.append(self.text(",}"))
        if self._glob[self._at : self._at + 1] != "}" or len(options) < 2:
            self._at = start
            return self._take(1, r"\{")
        return self._take(1, f"(?:{'|'.join(options)})")

    def _extended_group(self) -> str:
        kind, start = self._glob[self._at], self._at
        self._at += 1
        choice = self._group()
        if choice == r"\(":
            self._at = start
            return self._take(1, _literal(kind) if kind in "@+!" else "[^/]*")
        if kind != "!":
            return f"{choice}{_REPEATED[kind]}"
        return self._negated_group(choice, self._glob[start + 2 : self._at - 1])

    def _negated_group(self, choice: str, inner: str) -> str:
        """Translate `!(a)`: it excludes exact names at the end of a glob, elsewhere all names with that prefix."""
        rest = self._glob[self._at :]
        if "/" in inner or not rest.strip(")"):
            return f"(?!{choice}$)[^{'' if '/' in inner else '/'}]*"
        if "*" in inner and rest[0] == "." and not set(rest[1:]) & set("\\/.") and len(rest) > 1:
            return f"(?!{choice}{_Reader(rest).text()})[^/]*"
        return f"(?!{choice})[^/]*"


def _literal(character: str) -> str:
    return f"\\{character}" if character in _SPECIAL else character
