"""Read artifacts of workflows: the runs of the base branch, and the summary of a finished workflow.

Anybody who opens a pull request can make an artifact of any name with any content. So it counts where it comes from, archives
are bounded, and only files of known names are taken from them, into memory or into names of our own.
"""

import io
import re
import zipfile
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import quote

from waza_engine.lib.files.safe_write import write_bytes_atomic
from waza_engine.lib.plurals import counted
from waza_engine.model.file_names import SUMMARY
from waza_engine.reports.pull_request.comment import is_key
from waza_engine.reports.pull_request.summary import (
    MOST_BYTES,
    Summary,
    SummaryError,
    parse_summary,
)
from waza_lsp.cli.ci.base_runs import RESULTS
from waza_lsp.cli.ci.github_api import ApiError, GitHub
from waza_lsp.cli.console import give_up, print_err

_MOST_ARCHIVE = 500_000_000
_MOST_RESULTS = 200_000_000
_MOST_FILES = 5_000
_MOST_TRIED = 5
_RESULT = re.compile(RESULTS + r"/[A-Za-z0-9-]{1,80}(?:\.recordings)?\.json")


def artifact_name(key: str) -> str:
    """Return the name of the artifact, which the action uploads."""
    return f"{key}-evals"


def fetch_base(directory: Path, branch: str, key: str) -> None:
    """Write the newest runs of the base branch into a folder. Without any, say so: then nothing is compared."""
    if not is_key(key):
        give_up(f"'{key}' is not a name for --key")
    try:
        github = GitHub.from_environment()
        found = github.patiently(lambda: _newest(github, branch, key))
    except ApiError as error:
        give_up(f"The runs of '{branch}' cannot be fetched: {error}")
    if found is None:
        print_err(f"note: GitHub has no runs of '{branch}' yet, so nothing is compared")
        return
    for name, content in found.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes_atomic(path, [content])
    print_err(f"Fetched {counted(len(found) - 1, 'run')} of '{branch}' into {directory}")


def _newest(github: GitHub, branch: str, key: str) -> dict[str, bytes] | None:
    path = f"actions/artifacts?per_page=100&name={quote(artifact_name(key), safe='')}"
    candidates = [it for it in github.items(path, "artifacts") if _is_of_branch(it, branch)]
    candidates.sort(key=lambda it: str(it.get("created_at")), reverse=True)
    for it in candidates[:_MOST_TRIED]:
        try:
            found = _files(_download(github, it))
            if parse_summary(found.get(SUMMARY, b"")).is_base:
                return found
        except SummaryError as error:
            print_err(f"warning: an artifact of '{branch}' is left out: {error}")
    return None


def _is_of_branch(artifact: Mapping[str, Any], branch: str) -> bool:
    """Whether an artifact was made by the branch of this repository, not by one of the same name in a fork."""
    made_by = artifact.get("workflow_run")
    if not isinstance(made_by, dict) or artifact.get("expired"):
        return False
    own = made_by.get("repository_id")
    return (
        isinstance(own, int)
        and made_by.get("head_repository_id") == own
        and made_by.get("head_branch") == branch
    )


def summary_of_run(github: GitHub, run: int, key: str) -> tuple[Summary, int] | None:
    """Return the summary that a finished workflow has uploaded, with the artifact's number; None if it has none.

    Raises:
        ApiError: GitHub refuses a request.
        SummaryError: the artifact holds something else.

    """
    path = f"actions/runs/{run}/artifacts?per_page=100&name={quote(artifact_name(key), safe='')}"
    found = [
        it
        for it in github.items(path, "artifacts")
        if not it.get("expired") and isinstance(it.get("id"), int)
    ]
    if not found:
        return None
    newest = max(found, key=lambda it: str(it.get("created_at")))
    files = _files(_download(github, newest), only=SUMMARY)
    return parse_summary(files.get(SUMMARY, b"")), newest["id"]


def _download(github: GitHub, artifact: Mapping[str, Any]) -> bytes:
    number = artifact.get("id")
    if not isinstance(number, int):
        raise SummaryError("it has no number")
    return github.download(f"actions/artifacts/{number}/zip", _MOST_ARCHIVE)


def _files(data: bytes, only: str = "") -> dict[str, bytes]:
    """Return the summary and the results in an archive. Everything else in it is left alone.

    Raises:
        SummaryError: it is no archive, or its content is too large.

    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            entries = archive.infolist()
            if len(entries) > _MOST_FILES:
                raise SummaryError(f"the artifact has more than {_MOST_FILES:,} files")
            wanted = [
                it
                for it in entries
                if it.filename == SUMMARY or (not only and _RESULT.fullmatch(it.filename))
            ]
            return _unpacked(archive, wanted)
    except (
        zipfile.BadZipFile,
        zlib.error,
        EOFError,
        OSError,
        NotImplementedError,
        RuntimeError,
        ValueError,
    ) as error:
        raise SummaryError(f"the artifact cannot be unpacked: {error}") from error


def _unpacked(archive: zipfile.ZipFile, wanted: list[zipfile.ZipInfo]) -> dict[str, bytes]:
    found: dict[str, bytes] = {}
    left = _MOST_RESULTS
    for it in wanted:
        limit = min(MOST_BYTES if it.filename == SUMMARY else left, left)
        with archive.open(it) as file:
            content = file.read(limit + 1)
        left -= len(content)
        if len(content) > limit:
            raise SummaryError("the files in the artifact are too large")
        found[it.filename] = content
    return found
