"""Text that XML can hold, without control characters: the standard writer would write any, and readers refuse some."""

import re

_FORBIDDEN = re.compile("[^\t\n\r\u0020-\u007e\u00a0-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text: str) -> str:
    """The text without the characters that XML 1.0 forbids or discourages."""
    return _FORBIDDEN.sub("", text)
