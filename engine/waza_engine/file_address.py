"""The path of a `file:` address (RFC 8089), also as Windows writes it: drives, and shares on other machines."""

import re
import sys
from pathlib import Path
from urllib.parse import unquote, urlsplit

_DRIVE = re.compile(r"/[A-Za-z]:")


def path_of_address(address: str) -> Path | None:
    """The path; None for an address of another kind."""
    parts = urlsplit(address)
    if parts.scheme != "file":
        return None
    return Path(path_text(parts.netloc, parts.path, is_windows=sys.platform == "win32"))


def path_text(host: str, path: str, *, is_windows: bool) -> str:
    """The path that stands for a host and an escaped path; hosts mean something on Windows only."""
    text = unquote(path)
    if not is_windows:
        return text
    if host and host.lower() != "localhost":
        return f"//{host}{text}"
    return text[1:] if _DRIVE.match(text) else text
