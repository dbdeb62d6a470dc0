r"""Make text safe to print: names, messages and outputs come from files and agents and must not act as commands.

Terminals execute control characters. CI systems execute lines that start with `::`, and `##[` or `##vso[` anywhere in
a line. All of these become JSON escapes, so printed JSON still reads back the same. The functions are idempotent:
whoever aligns columns calls them first, because escapes are longer.

Apart from the reports, because `waza-lsp check` prints without loading them.
"""

import re

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_HIDDEN = re.compile(
    r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff]"
)
_LINE_END = re.compile(r"[\n\r\t]")
_COMMAND = re.compile(r"^([^\S\n]*):(?=:)|#(?=#(?:vso)?\[)", re.MULTILINE | re.IGNORECASE)
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def inert(text: str) -> str:
    """Return `text`, which may have several lines, with everything escaped that a terminal or CI system would execute."""
    return _COMMAND.sub(_escape_command, _CONTROL.sub(_escape_control, text))


def harmless(text: str) -> str:
    """Return `text` on one line, with everything escaped that a terminal or CI system would execute."""
    return inert(_LINE_END.sub(lambda it: _SHORT[it[0]], text))


def one_line(text: str) -> str:
    """Return `text` as one line: without line ends and control characters."""
    return "".join(it if it.isprintable() else "\ufffd" for it in " ".join(text.split()))


def visible(text: str) -> str:
    """Return `text` with control characters and those that reorder text escaped; it may have several lines."""
    return _HIDDEN.sub(_escape_control, text)


def _escape_control(match: re.Match[str]) -> str:
    return f"\\u{ord(match[0]):04x}"


def _escape_command(match: re.Match[str]) -> str:
    return "\\u0023" if match[1] is None else f"{match[1]}\\u003a"
