"""The comment in which a file names its own schema: `# yaml-language-server: $schema=...`."""

import re
from collections.abc import Sequence

_MARK = "yaml-language-server"
_MODELINE = re.compile(r"#\s*yaml-language-server\s*:\s*\$schema\s*=\s*(\S+)")
_LOOKED_AT = 20


def schema_address(lines: Sequence[str]) -> str:
    """What the file names as its schema: an address on the web or a path; empty when it names none.

    Only comments at the top count.
    """
    for line in lines[:_LOOKED_AT]:
        text = line.strip()
        if text and not text.startswith(("#", "---", "%")):
            return ""
        if _MARK in text and (found := _MODELINE.match(text)):
            return found[1]
    return ""
