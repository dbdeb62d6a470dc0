r"""Texts as they may be printed. Names, messages and outputs come from files and agents; nothing in them may be obeyed.

A terminal obeys control characters, a CI system lines that begin with `::` and any `##[` or `##vso[` in a line: they
are shown as JSON escapes, so that what is printed as JSON reads back the same. Twice is as good as once: who lines up
columns makes them inert before, since escapes are longer.
"""

import re

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_LINE_END = re.compile(r"[\n\r\t]")
_COMMAND = re.compile(r"^([^\S\n]*):(?=:)|#(?=#(?:vso)?\[)", re.MULTILINE | re.IGNORECASE)
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def inert(text: str) -> str:
    """The text, lines of our own with anybody's words in them, without anything that who shows it would obey."""
    return _COMMAND.sub(_spelt_out, _CONTROL.sub(_escaped, text))


def harmless(text: str) -> str:
    """The text on one line, without anything that who shows it would obey."""
    return inert(_LINE_END.sub(lambda it: _SHORT[it[0]], text))


def _escaped(it: re.Match[str]) -> str:
    return f"\\u{ord(it[0]):04x}"


def _spelt_out(it: re.Match[str]) -> str:
    return "\\u0023" if it[1] is None else f"{it[1]}\\u003a"
