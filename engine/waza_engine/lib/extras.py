"""The optional packages of this distribution, and the command that installs them beside it.

The command names the packages themselves with their versions, not an extra of ours by name: an index that does not have
our distribution might offer another one under its name.
"""

import re
import shlex
import sys
from importlib.metadata import PackageNotFoundError, requires

_DISTRIBUTION = "waza-lsp"
_EXTRA = re.compile(r"""extra\s*==\s*['"]([\w-]+)['"]""")


def extra_packages(extra: str) -> tuple[str, ...]:
    """Return the packages of an extra, each with the version that we test, such as `mcp==2.3`."""
    try:
        found = requires(_DISTRIBUTION) or []
    except PackageNotFoundError:  # Started from a folder, without an installation.
        return ()
    parts = (it.partition(";") for it in found)
    return tuple(
        name.strip().replace(">=", "==")
        for name, _, marker in parts
        if (match := _EXTRA.search(marker)) is not None and match[1] == extra
    )


def install_command(extra: str) -> str:
    """Return the command that installs the packages of an extra for the Python that runs us."""
    return shlex.join([sys.executable, "-m", "pip", "install", *extra_packages(extra)])
