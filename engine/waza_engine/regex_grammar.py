r"""Where Go's regular expressions and google-re2 read a pattern differently, the pattern is changed or refused here.

Go refuses `\C` and group names that are not ASCII, and accepts more Unicode class names: `\pl`, `\p{Letter}`,
`\p{greek}`, `\p{LC}`, `\p{Cn}`, `\p{ASCII}`, `\p{Assigned}` (docs/reference/waza-graders.md, sections 4.1 and 13.6).
"""

from waza_engine.unicode_classes import class_items


class PatternError(ValueError):
    """A pattern that Go would refuse to compile; the text says why."""


def as_re2(pattern: str) -> str:
    """The pattern in the words of RE2.

    Raises:
        PatternError: RE2 would accept the pattern although Go refuses it.

    """
    if "\\" not in pattern and "(?" not in pattern:
        return pattern
    return "".join(_Scanner(pattern).pieces())


class _Scanner:
    """Walks a pattern from left to right, knowing whether it is inside a `[...]`."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0

    def pieces(self) -> list[str]:
        found: list[str] = []
        while self._at < len(self._pattern):
            found.append(self._piece())
        return found

    def _piece(self) -> str:
        rest = self._pattern[self._at : self._at + 2]
        if rest == "\\Q":
            return self._literal()
        if rest[0] == "\\":
            return self._escape(in_class=False)
        if rest[0] == "[":
            return self._class()
        if rest == "(?":
            self._check_group_name()
        return self._take(1)

    def _take(self, count: int) -> str:
        start, self._at = self._at, self._at + count
        return self._pattern[start : self._at]

    def _literal(self) -> str:
        end = self._pattern.find("\\E", self._at)
        return self._take((end + 2 if end >= 0 else len(self._pattern)) - self._at)

    def _class(self) -> str:
        found = [self._take(2 if self._pattern.startswith("[^", self._at) else 1)]
        # A `]` in the first place is a member, not the end.
        if self._pattern.startswith("]", self._at):
            found.append(self._take(1))
        while self._at < len(self._pattern) and self._pattern[self._at] != "]":
            found.append(self._member())
        return "".join(found) + self._take(1)

    def _member(self) -> str:
        if self._pattern[self._at] == "\\":
            return self._escape(in_class=True)
        end = self._pattern.find(":]", self._at) if self._pattern.startswith("[:", self._at) else -1
        return self._take(end + 2 - self._at) if end >= 0 else self._take(1)

    def _escape(self, *, in_class: bool) -> str:
        letter = self._pattern[self._at + 1 : self._at + 2]
        if letter == "C":
            raise PatternError("invalid escape sequence: `\\C`")
        if letter not in {"p", "P"}:
            return self._take(2)
        start = self._at
        self._take(2)
        name = self._class_name()
        if name is None:
            return self._pattern[start : self._at]
        negated = (letter == "P") is not name.startswith("^")
        items = class_items(name.removeprefix("^"), negated=negated, in_class=in_class)
        # A name that nobody knows stays as it is, for RE2's error to show.
        return items or self._pattern[start : self._at]

    def _class_name(self) -> str | None:
        r"""The name after `\p`, taken from the pattern; None when there is none."""
        if not self._pattern.startswith("{", self._at):
            return self._take(1) or None
        end = self._pattern.find("}", self._at)
        return self._take(end + 1 - self._at)[1:-1] if end >= 0 else None

    def _check_group_name(self) -> None:
        for opening in ("(?P<", "(?<"):
            if self._pattern.startswith(opening, self._at):
                end = self._pattern.find(">", self._at)
                if end >= 0 and not self._pattern[self._at : end].isascii():
                    raise PatternError(f"invalid named capture: `{self._pattern[self._at : end + 1]}`")
                return
