"""Where a file may be written below a folder that others have filled: links and pipes there may be traps."""

import errno
import os
from pathlib import Path

from waza_engine.paths import resolved
from waza_engine.regular_files import is_regular


def refuse_elsewhere(path: Path, folder: Path) -> None:
    """See that writing `path` makes or changes a file in `folder`, and nothing else.

    Raises:
        OSError, ValueError: a link leads out of the folder, or what stands there is no file.

    """
    if not resolved(path).is_relative_to(resolved(folder)):
        raise OSError(errno.EPERM, f"a link leads out of {folder}", os.fspath(path))
    if path.exists() and not is_regular(path):
        raise OSError(errno.EEXIST, "what is there is no file", os.fspath(path))
