"""Whose files are these? Windows has no numeric owners: there the permissions of the user's profile folder protect them."""

import os
import stat
import sys

_WRITABLE_BY_OTHERS = stat.S_IWGRP | stat.S_IWOTH


def is_own(status: os.stat_result) -> bool:
    """Whether a file or folder belongs to this user. On Windows the answer is always yes."""
    return sys.platform == "win32" or status.st_uid == os.geteuid()


def is_private(status: os.stat_result) -> bool:
    """Whether only this user and root can change a file, or the names in a folder. On Windows the answer is always yes."""
    return sys.platform == "win32" or (is_own(status) and not status.st_mode & _WRITABLE_BY_OTHERS)


def is_trusted_owner(status: os.stat_result) -> bool:
    """Whether a file belongs to this user, to root, or to the user who called `sudo`. On Windows always yes."""
    if sys.platform == "win32":
        return True
    own = os.geteuid()
    caller = os.environ.get("SUDO_UID", "") if own == 0 else ""
    return status.st_uid in {own, 0, *((int(caller),) if caller.isdecimal() else ())}


def docker_user() -> str:
    """Return our user and group for `docker run --user`; "" on Windows, where Docker maps the owners of files itself."""
    if sys.platform == "win32":
        return ""
    return f"{os.getuid()}:{os.getgid()}"


def login_name() -> str:
    """Return the name of this user; "" if the system knows none."""
    # Imported late: the server starts without it.
    import getpass

    try:
        return getpass.getuser()
    except (ImportError, KeyError, OSError):  # ImportError on Windows, OSError since Python 3.13.
        return ""
