"""Text that XML can hold: the standard writer would write any character, and no reader could read some of them."""

import re

_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def xml_text(text: str) -> str:
    """The text without the characters that XML 1.0 forbids."""
    return _FORBIDDEN.sub("", text)
