"""The files that come closest to a missing one, for the evidence of failed checks."""

import os
from collections.abc import Iterator
from difflib import SequenceMatcher
from pathlib import Path

from waza_engine.lib.pointer import Pointer
from waza_engine.model.results.evidence import FailedCheck, FoundText, Place

_MOST_COMPARED = 2000
_MOST_LISTED = 12
_ALIKE = 0.7
_SKIPPED = frozenset({".git", "node_modules", "__pycache__"})


def missing_file(workspace: Path, path: str, pointer: Pointer) -> FailedCheck:
    """Return the failed check of a file that does not exist, with the file that comes closest."""
    message = f'"{path}" does not exist'
    return FailedCheck(
        pointer, message, close_files(workspace, path), place=Place("file", path=path), cause=message
    )


def unreadable_file(workspace: Path, path: str, *, is_missing: bool) -> FailedCheck:
    """Return what the failed checks of a file that cannot be read have in common."""
    if is_missing:
        return missing_file(workspace, path, ())
    return FailedCheck((), "", place=Place("file", path=path), cause=f'cannot read "{path}"')


def close_files(workspace: Path, wanted: str) -> str:
    """Return the file in the workspace whose path is most like `wanted`, or which files there are."""
    files = sorted(it for it, _ in zip(_files(workspace), range(_MOST_COMPARED), strict=False))
    if not files:
        return "the workspace has no files"
    listed = "\n".join(files[:_MOST_LISTED])
    rest = len(files) - _MOST_LISTED
    listed += f"\nand {rest} more" if rest > 0 else ""
    score, path = max((_alike(wanted, it), it) for it in files)
    if score >= _ALIKE:
        return FoundText(f"the workspace has '{path}'", listed, actual=path)
    shown = ", ".join(files[:3]) + (f" and {len(files) - 3} more" if len(files) > 3 else "")
    return FoundText(f"the workspace has {shown}", listed)


def _alike(wanted: str, path: str) -> float:
    """Compare whole paths and names: a file of the right name in another folder is close, too."""
    wanted, path = wanted.casefold().removeprefix("./"), path.casefold()
    by_name = SequenceMatcher(None, wanted.rpartition("/")[2], path.rpartition("/")[2]).ratio()
    return max(SequenceMatcher(None, wanted, path).ratio(), 0.95 * by_name)


def _files(workspace: Path) -> Iterator[str]:
    for folder, folders, names in os.walk(workspace):
        folders[:] = sorted(it for it in folders if it not in _SKIPPED)
        inside = Path(folder).relative_to(workspace).as_posix()
        paths = (name if inside == "." else f"{inside}/{name}" for name in sorted(names))
        # Names that are not UTF-8 come with lone surrogates, which no store takes.
        yield from (it.encode("utf-8", "replace").decode() for it in paths)
