"""Valid names of mocked programs, which become files on the agent's PATH.

See docs/reference/waza-formats.md, section 4.6. Apart from `install`, because checks need it without the installation.
"""

import re

COMMAND_NAME = "[A-Za-z0-9][A-Za-z0-9._-]*"
COMMAND_NAME_RULE = "must be letters, digits, '.', '_' and '-', a letter or digit first"


def is_command_name(name: str) -> bool:
    """Whether a mock may have this name: it is neither a path nor looks like an option."""
    return re.fullmatch(COMMAND_NAME, name) is not None
