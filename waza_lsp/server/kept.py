"""A file in the user's cache folder that holds what a start worked out, for the next one, by the text it came from.

It is read only where nobody but the user can have written it, and only when it is whole and of this very Python.
"""

import marshal
import os
import sys
import zlib

# What `hashlib` gives is the same: but it loads OpenSSL, which takes 4 MB.
from _blake2 import blake2b
from contextlib import suppress
from pathlib import Path
from typing import Any

_FEW = 0.1
"""So large a share of new entries is not worth writing."""
_LARGEST = 16_000_000


class Kept:
    """What is in a file, what of it was used, and what is new: whatever `marshal` can write."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._read = _read(path)
        self._used: set[bytes] = set()
        self._new: dict[bytes, Any] = {}

    def find(self, text: str) -> Any:
        """What was made of this text, or None. What is found must not be changed."""
        key = _key(text)
        found = self._read.get(key)
        if found is not None:
            self._used.add(key)
        return found

    def add(self, text: str, value: Any) -> None:
        self._new[_key(text)] = value

    def write(self) -> None:
        """Write down what was used, for the next start; what cannot be written is worked out again then."""
        # A few are new each time: attrs puts a number drawn at the start into some texts.
        if len(self._new) > _FEW * len(self._used):
            _write(self._path, {key: self._read[key] for key in self._used} | self._new)


def _key(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=20).digest()


def usual_path(name: str) -> Path | None:
    """The file of this name for this installation; None where Python keeps no byte code."""
    folder = _cache_folder()
    if sys.dont_write_bytecode or folder is None:
        return None
    # Two installations would otherwise take turns in replacing what the other one has written.
    place = zlib.crc32(f"{sys.prefix}\n{sys.version}\n{sys.flags.optimize}".encode())
    return folder / "waza-lsp" / f"{name}-{sys.implementation.cache_tag}-{place:08x}.marshal"


def _cache_folder() -> Path | None:
    given = Path(os.environ.get("LOCALAPPDATA" if os.name == "nt" else "XDG_CACHE_HOME", ""))
    if given.is_absolute():
        return given
    try:
        home = Path.home()
    except RuntimeError:  # Nobody knows where that is.
        return None
    if os.name == "nt":
        return home / "AppData" / "Local"
    return home / "Library" / "Caches" if sys.platform == "darwin" else home / ".cache"


def _stamp() -> bytes:
    """What byte code depends on besides its text."""
    return f"3 {sys.implementation.cache_tag} {sys.version} {sys.flags.optimize}\n".encode()


def _read(path: Path) -> dict[bytes, Any]:
    try:
        with path.open("rb") as file:
            if not _is_own(os.fstat(file.fileno())):
                return {}
            data = memoryview(file.read(_LARGEST + 1))
    except OSError:
        return {}
    start = _stamp()
    body = data[len(start) + 9 :]
    if len(data) > _LARGEST or data[: len(start) + 9] != start + b"%08x\n" % zlib.crc32(body):
        return {}
    found: dict[bytes, Any] = marshal.loads(body)  # noqa: S302  # our own file, as whole as it was written
    return found


def _is_own(status: os.stat_result) -> bool:
    """Whether nobody but the user can have written a file: byte code is executed."""
    return os.name == "nt" or (status.st_uid == os.geteuid() and not status.st_mode & 0o022)


def _write(path: Path, entries: dict[bytes, Any]) -> None:
    body = marshal.dumps(entries)
    data = _stamp() + b"%08x\n" % zlib.crc32(body) + body
    if len(data) > _LARGEST:
        return
    temporary = path.parent / f"{path.stem}.{os.getpid()}"
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with os.fdopen(os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
            file.write(data)
        temporary.replace(path)
    except OSError:
        with suppress(OSError):
            temporary.unlink()
