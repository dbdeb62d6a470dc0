"""What a mocked program may be called.

Its name becomes a file on the agent's PATH. See docs/reference/waza-formats.md, section 4.6.
"""

import re

COMMAND_NAME = "[A-Za-z0-9][A-Za-z0-9._-]*"
ITS_FORM = "must be letters, digits, '.', '_' and '-', a letter or digit first"


def is_command_name(name: str) -> bool:
    """Whether a mock may have this name: so it is no path, and no option of a shell either."""
    return re.fullmatch(COMMAND_NAME, name) is not None
