"""Copy the tree of an earlier commit into a folder, to compare it with the working tree.

Only blobs are read: no checkout, so neither hooks, filters nor submodules are involved. A commit may be anyone's, so
names are checked, sizes are bounded, and links that could lead out of the copy are left out.
"""

import os
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from waza_engine.lib.paths import real_path
from waza_engine.lib.process.git import git
from waza_engine.lib.process.run import ProcessResult

_MOST_FILES = 100_000
_MOST_BYTES = 1_000_000_000
_LISTING_BYTES = 64_000_000
_BATCH_BYTES = 32_000_000
_BATCH_FILES = 5_000
_LINK, _FILES = b"120000", (b"100644", b"100755")
_ENTRY = re.compile(rb"(\d{6}) (?:blob|commit|tree) ([0-9a-f]{40,64}) +(-|\d+)\t(.+)", re.DOTALL)
_NOT_IN_NAMES = re.compile(r"[\\:]" if os.name == "nt" else r"\0")


class TreeError(Exception):
    """The earlier commit cannot be read. The message says what to do."""


@dataclass(frozen=True, slots=True)
class Base:
    """The commit to compare with: the merge base of HEAD and `ref`. `root` is the folder of the repository."""

    root: Path
    ref: str
    commit: str

    def __str__(self) -> str:
        if self.commit.startswith(self.ref):
            return self.commit[:8]
        return f"{self.ref} (merge base {self.commit[:8]})"


def find_base(folder: Path, ref: str) -> Base:
    """Return the merge base of the working tree's HEAD and `ref`.

    Raises:
        TreeError: there is no repository, no such commit, or no common history.

    """
    prefix = _git(folder, "rev-parse", "--show-prefix")
    if prefix.status:
        reason = _first_line(prefix.stderr) or "git failed"
        raise TreeError(
            f"{folder} is not in a git repository, so nothing can be compared with '{ref}': {reason}"
        )
    if not ref.strip() or ref.startswith("-"):
        raise TreeError(f"'{ref}' is not a commit. Name a branch, a tag or a commit, such as origin/main")
    commit = _git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{ref}^{{commit}}")
    if commit.status:
        raise TreeError(f"git has no commit '{ref}' in this repository. {_how_to_fetch(folder, ref)}")
    found = _git(folder, "merge-base", "HEAD", _word(commit))
    if found.status or not _word(found):
        raise TreeError(f"HEAD and '{ref}' have no common commit. {_how_to_fetch(folder, ref)}")
    return Base(_root(folder, os.fsdecode(prefix.stdout).strip("\n")), ref, _word(found))


def _root(folder: Path, prefix: str) -> Path:
    """Return the repository's folder, spelt as `folder` is."""
    depth = len(PurePosixPath(prefix).parts)
    return folder.absolute().parents[depth - 1] if depth else folder.absolute()


def _how_to_fetch(folder: Path, ref: str) -> str:
    if _word(_git(folder, "rev-parse", "--is-shallow-repository")) == "true":
        return (
            "This clone is shallow: fetch the whole history with `git fetch --unshallow`, or set `fetch-depth: 0` "
            "for actions/checkout"
        )
    return f"Fetch it first, for example with `git fetch origin`, and name it as git does: origin/{ref.rpartition('/')[2]}"


def copy_tree(base: Base, target: Path) -> None:
    """Copy the files of the commit into the empty folder `target`.

    Raises:
        TreeError: git cannot read the commit, or it is too large.
        OSError: a file cannot be written.

    """
    # What looks for the repository's folder finds it, and follows no link out of it.
    (target / ".git").mkdir()
    files, links = _entries(base)
    for batch in _batches(files):
        for it, content in zip(batch, _contents(base, [entry.blob for entry in batch]), strict=True):
            _write(target, it.path, content)
    # Last, so that no file is written through one.
    for it, content in zip(links, _contents(base, [entry.blob for entry in links]), strict=True):
        _link(target, it.path, os.fsdecode(content))


@dataclass(frozen=True, slots=True)
class _Entry:
    path: PurePosixPath
    blob: bytes
    size: int


def _entries(base: Base) -> tuple[list[_Entry], list[_Entry]]:
    """Return the files and the links of the commit."""
    listed = _git(
        base.root, "ls-tree", "-r", "-z", "-l", "--full-tree", base.commit, output_limit=_LISTING_BYTES
    )
    if listed.status:
        raise TreeError(f"git cannot list the files of {base}: {_first_line(listed.stderr)}")
    rows = listed.stdout.split(b"\0")
    if len(rows) > _MOST_FILES or len(listed.stdout) >= _LISTING_BYTES:
        raise TreeError(
            f"{base} has more than {_MOST_FILES:,} files. Run the evals that you changed by their names"
        )
    files, links, size = [], [], 0
    for row in rows:
        match = _ENTRY.fullmatch(row)
        path = _safe_path(os.fsdecode(match[4])) if match else None
        if match is None or path is None or not match[3].isdigit():
            continue
        it = _Entry(path, match[2], int(match[3]))
        if match[1] == _LINK and it.size < 4096:
            links.append(it)
        elif match[1] in _FILES:
            files.append(it)
            size += it.size
    if size > _MOST_BYTES:
        raise TreeError(
            f"{base} has more than {_MOST_BYTES // 10**9} GB of files. Run the evals that you changed by their names"
        )
    return files, links


def _safe_path(name: str) -> PurePosixPath | None:
    """Return the path, or None for one that does not belong into a working tree."""
    parts = name.split("/")
    if any(
        it in ("", ".", "..") or it.lower().rstrip(". ") == ".git" for it in parts
    ) or _NOT_IN_NAMES.search(name):
        return None
    return PurePosixPath(name)


def _batches(files: Sequence[_Entry]) -> Iterator[list[_Entry]]:
    batch: list[_Entry] = []
    size = 0
    for it in files:
        if batch and (size + it.size > _BATCH_BYTES or len(batch) == _BATCH_FILES):
            yield batch
            batch, size = [], 0
        batch.append(it)
        size += it.size
    if batch:
        yield batch


def _contents(base: Base, blobs: Sequence[bytes]) -> Iterator[bytes]:
    """Yield the content of each blob."""
    if not blobs:
        return
    ended = _git(
        base.root, "cat-file", "--batch", stdin=b"\n".join(blobs) + b"\n", output_limit=_MOST_BYTES + 10**8
    )
    output, start = memoryview(ended.stdout), 0
    for blob in blobs:
        end = ended.stdout.find(b"\n", start)
        header = ended.stdout[start:end].split()
        if end < 0 or len(header) != 3 or header[1] != b"blob":
            raise TreeError(
                f"git cannot read {blob.decode()[:12]} of {base}. If this is a partial clone, fetch everything with "
                "`git fetch --refetch`, without a filter"
            )
        size = int(header[2])
        yield bytes(output[end + 1 : end + 1 + size])
        start = end + 2 + size


def _write(target: Path, path: PurePosixPath, content: bytes) -> None:
    place = target / path
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        with place.open("xb") as file:
            file.write(content)
    except (FileExistsError, NotADirectoryError):
        return  # Two names that are one for this file system.


def _link(target: Path, path: PurePosixPath, goal: str) -> None:
    """Create a link, unless it could lead out of the copy: `..` may only come first, and not above the copy."""
    place, parts = target / path, PurePosixPath(goal).parts
    ups = next((index for index, it in enumerate(parts) if it != ".."), len(parts))
    if not parts or goal.startswith("/") or ".." in parts[ups:] or ups > len(path.parts) - 1:
        return
    if _NOT_IN_NAMES.search(goal):
        return
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        if real_path(place.parent) == real_path(target) / path.parent:
            place.symlink_to(goal)
    except OSError:
        return  # Windows lets only some users create links.


def _git(folder: Path, *arguments: str, stdin: bytes = b"", output_limit: int = 1_000_000) -> ProcessResult:
    try:
        return git(folder, *arguments, stdin=stdin, output_limit=output_limit)
    except (OSError, ValueError) as error:
        raise TreeError(
            f"git cannot be started: {error}. --changed-since compares with a commit of git"
        ) from error


def _word(ended: ProcessResult) -> str:
    return ended.stdout.decode("utf-8", "replace").strip()


def _first_line(output: bytes) -> str:
    return output.decode("utf-8", "replace").strip().partition("\n")[0].removeprefix("fatal: ")
