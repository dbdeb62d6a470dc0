"""The only door to files that others wrote: repositories, agents, stores from elsewhere.

Reading a named pipe or a device may never end, and a sparse file of 8 GB costs its author nothing. So everything here
reads regular files only, opens them without waiting, and counts bytes while it reads. Links are followed inside a
repository only: what a link shows may be the user's secret, and we print, store and send what we read.
`tests/test_foreign_files.py` checks that no other module opens such files.

A module of its own because `lib.paths` needs it, which the other modules of this package import.
"""

import errno
import os
import stat
import zlib
from collections.abc import Iterator
from io import BufferedReader
from pathlib import Path

from waza_engine.lib.system.open_files import READ_AT_ONCE, real_folder, real_path

MAX_BYTES = 64_000_000
"""For files without a smaller limit of their own."""
MAX_SOURCE_BYTES = 8_000_000
"""For YAML that people write. Checks stop at 2 MB already."""
MAX_RECORD_BYTES = 128_000_000
"""For one packed trial of a run store."""
MAX_RESULTS_BYTES = 512_000_000
"""For results of runs: 10,000 trials take 62 MB."""
_CHUNK = 1 << 20
_OPEN_FILES = ("/dev/stdin", "/dev/fd/", "/proc/self/fd/")


class TooLargeError(OSError):
    """The file, or what is packed in it, is larger than its reader accepts."""


def is_regular(path: Path) -> bool:
    """Whether the path is a regular file; links are followed.

    Raises:
        OSError, ValueError: the path cannot be accessed.

    """
    return stat.S_ISREG(path.stat().st_mode)


def open_regular(path: Path, *, inside: Path | None = None, anywhere: bool = False) -> BufferedReader:
    """Open a regular file to read its bytes. No link may lead out of `inside`, or else of the file's repository.

    With `anywhere`, links may lead everywhere: for what the user has named, and for what an agent left. The caller must
    bound what it reads.

    Raises:
        OSError, ValueError: the file cannot be opened, is not a regular file, or is outside.

    """
    handle, _ = _opened(path, inside=inside, anywhere=anywhere)
    try:
        return os.fdopen(handle, "rb")
    except BaseException:
        os.close(handle)
        raise


def _opened(path: Path, *, inside: Path | None, anywhere: bool) -> tuple[int, int]:
    """Open a file as `open_regular` does. Return its number and its size, which the caller must not trust."""
    given = os.path.abspath(path)  # noqa: PTH100  # links stay
    # Opening some devices has effects; a pipe would lose its writer. So both before and after.
    _require_regular(os.stat(given).st_mode, path)  # noqa: PTH116  # pathlib is slower, and this is called at edits
    handle = os.open(given, READ_AT_ONCE)
    try:
        status = os.fstat(handle)
        _require_regular(status.st_mode, path)
        if not anywhere:
            _require_inside(real_path(handle, given), given, inside)
    except BaseException:
        os.close(handle)
        raise
    return handle, status.st_size


def repository_of(given: str) -> str:
    """Return the folder that links on the way to an absolute path must not leave.

    That is the nearest folder with `.git` above it, or the working directory, unless a link leads there from another
    such folder. Without one, it is the file's own folder.
    """
    return marked_folder(given, (".git",), working_directory()) or os.path.dirname(given)  # noqa: PTH120


def marked_folder(given: str, marks: tuple[str, ...], here: str = "") -> str:
    """Return the nearest folder above an absolute path that holds one of `marks` or is `here`, or "".

    Folders that a link leads to from inside of another such folder do not count.
    """
    found = ""
    for it in reversed(Path(given).parents):
        if os.fspath(it) == here or any(os.path.lexists(it / mark) for mark in marks):
            if found and not Path(os.path.realpath(it)).is_relative_to(os.path.realpath(found)):
                break
            found = os.fspath(it)
    return found


def working_directory() -> str:
    """Return the working directory; "" if it is no workspace: a server may be started anywhere."""
    try:
        here = os.getcwd()  # noqa: PTH109
    except OSError:
        return ""
    return "" if here in {"/", os.path.expanduser("~")} else here  # noqa: PTH111


def _require_inside(real: str, given: str, inside: Path | None) -> None:
    if real == given and inside is None:
        return
    root = repository_of(given) if inside is None else os.fspath(inside)
    if not Path(real).is_relative_to(real_folder(root)):
        raise OSError(errno.EPERM, f"a link leads out of {root}", given)


def regular_bytes(
    path: Path, limit: int = MAX_BYTES, *, inside: Path | None = None, anywhere: bool = False
) -> bytes:
    """Return the bytes of a regular file; `inside` and `anywhere` as for `open_regular`.

    Raises:
        TooLargeError: the file has more than `limit` bytes.
        OSError, ValueError: the file cannot be read, is not a regular file, or is outside.

    """
    # Without a file object, which takes as long as the rest: a workspace has thousands of files.
    handle, size = _opened(path, inside=inside, anywhere=anywhere)
    try:
        # The reported size saves reading a huge file; it is wrong for growing files and those in /proc.
        data = os.read(handle, size + 1) if size <= limit else None
        if data is not None and len(data) != size:
            with os.fdopen(handle, "rb", closefd=False) as file:
                rest = bounded_read(file, limit - len(data))
            data = data + rest if rest is not None else None
    finally:
        os.close(handle)
    if data is None:
        raise _too_large(path, limit)
    return data


def given_bytes(path: Path, limit: int = MAX_BYTES) -> bytes:
    """Return the bytes of a file that the user has named, which may be a pipe of their shell, such as /dev/stdin.

    Raises:
        TooLargeError: there are more than `limit` bytes.
        OSError, ValueError: the file cannot be read, or is neither a regular file nor an open one of this process.

    """
    if not os.fspath(path).startswith(_OPEN_FILES):
        return regular_bytes(path, limit)
    with path.open("rb") as file:
        data = bounded_read(file, limit)
    if data is None:
        raise _too_large(path, limit)
    return data


def regular_text(
    path: Path, encoding: str = "utf-8", limit: int = MAX_BYTES, *, inside: Path | None = None
) -> str:
    r"""Return the text of a regular file with all line ends as `\n`.

    Raises:
        TooLargeError: the file has more than `limit` bytes.
        OSError, ValueError: the file cannot be read, is not a regular file, or is outside.

    """
    text = regular_bytes(path, limit, inside=inside).decode(encoding)
    return text.replace("\r\n", "\n").replace("\r", "\n") if "\r" in text else text


def copy_regular(source: Path, target: Path, limit: int) -> None:
    """Copy the bytes of a regular file to a new file.

    Raises:
        TooLargeError: the source has more than `limit` bytes.
        OSError, ValueError: the source cannot be read or is not a regular file, or the target cannot be created.

    """
    left = limit
    with open_regular(source, anywhere=True) as old, target.open("xb") as new:
        while part := old.read(_CHUNK):
            left -= len(part)
            if left < 0:
                raise _too_large(source, limit)
            new.write(part)


def bounded_read(file: BufferedReader, limit: int) -> bytes | None:
    """Return the rest of an open file, None if it has more than `limit` bytes."""
    parts: list[bytes] = []
    left = limit + 1
    while left > 0 and (part := file.read(min(left, _CHUNK))):
        parts.append(part)
        left -= len(part)
    return b"".join(parts) if left > 0 else None


def inflate(packed: bytes, limit: int) -> bytes:
    """Unpack zlib data.

    Raises:
        TooLargeError: it unpacks to more than `limit` bytes.
        zlib.error: the data is damaged.

    """
    stream = zlib.decompressobj()
    data = stream.decompress(packed, limit + 1)
    if len(data) > limit:
        raise TooLargeError(errno.EFBIG, f"a packed record is larger than {_size(limit)}")
    if not stream.eof:
        raise zlib.error("a packed record is incomplete")
    return data


def inflated_lines(file: BufferedReader, limit: int, longest: int) -> Iterator[bytes]:
    """Unpack a file of zlib data, and yield its lines. Only the largest of them is in memory.

    Raises:
        OSError: the file cannot be read, or it unpacks to more than `limit` bytes, or to a line beyond `longest`.
        zlib.error: the data is damaged.

    """
    stream, size, rest = zlib.decompressobj(), 0, b""
    while not stream.eof:
        packed = stream.unconsumed_tail or file.read(_CHUNK)
        if not packed:
            raise zlib.error("the packed file is incomplete")
        data = stream.decompress(packed, _CHUNK)
        size += len(data)
        *lines, rest = (rest + data).split(b"\n")
        if size > limit or len(rest) > longest:
            raise TooLargeError(errno.EFBIG, "the packed file is too large")
        yield from lines
    if rest:
        yield rest


def _require_regular(mode: int, path: Path) -> None:
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    if not stat.S_ISREG(mode):
        raise OSError(errno.EINVAL, "it is not a regular file", os.fspath(path))


def _too_large(path: Path, limit: int, what: str = "it") -> TooLargeError:
    return TooLargeError(errno.EFBIG, f"{what} is larger than {_size(limit)}", os.fspath(path))


def _size(limit: int) -> str:
    return f"{limit // 1_000_000} MB" if limit >= 1_000_000 else f"{limit // 1000} kB"
