"""Clone git repositories into a workspace (docs/reference/waza-formats.md, section 5.1, `repos`).

waza adds a git worktree, which writes into the user's repository and stays there when a run is killed. We clone the
commit instead: objects are shared, the user's repository is only read, and the agent cannot push to it. As with a
worktree, uncommitted changes are missing.
"""

import os
from collections.abc import Iterable
from pathlib import Path

from waza_engine.lib.paths import is_directory
from waza_engine.lib.process.git import git
from waza_engine.model.suite import Repository
from waza_engine.runs.trial.workspace import WorkspaceError


def add_repositories(workspace: Path, repositories: Iterable[Repository]) -> None:
    """Clone every repository to its destination.

    Raises:
        WorkspaceError: git or the repository is missing, or `dest` exists or is outside the workspace.

    """
    for it in repositories:
        try:
            _clone(workspace, it)
        except WorkspaceError as error:
            raise WorkspaceError(
                f"{'environment.git' if it.is_workspace else 'inputs.repos'}: {error}"
            ) from error


def commit_of(source: Path, commit: str) -> str:
    """Return the full id of a commit of the repository; "" means HEAD.

    Raises:
        WorkspaceError: git or the repository is missing, or the commit does not exist.

    """
    commit = commit or "HEAD"
    if commit.startswith("-"):
        raise WorkspaceError(f"'{commit}' is not a commit")
    if not is_directory(source):
        raise WorkspaceError(f"the directory {source} does not exist")
    exact = _git(source, "rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}").strip()
    if not exact:
        raise WorkspaceError(f"{source} is not a git repository with a commit '{commit}'")
    return exact


def _clone(workspace: Path, repository: Repository) -> None:
    place = workspace if repository.is_workspace else _free_destination(workspace, repository.dest)
    source = repository.source
    exact = commit_of(source, repository.commit)
    top = _git(source, "rev-parse", "--show-toplevel").strip() or str(source)
    place.parent.mkdir(parents=True, exist_ok=True)
    for arguments in (
        ("clone", "--quiet", "--shared", "--no-checkout", "--template=", top, str(place)),
        ("-C", str(place), "checkout", "--quiet", "--detach", exact),
        ("-C", str(place), "remote", "remove", "origin"),
    ):
        _git(workspace, *arguments, needed=True)


def _free_destination(workspace: Path, dest: str) -> Path:
    place = Path(os.path.normpath(workspace / dest)) if "\0" not in dest else workspace
    if not dest or place == workspace or Path(dest).is_absolute() or ".." in Path(dest).parts:
        raise WorkspaceError(f"'dest' must be a relative path without '..', not '{dest}'")
    if place.exists():
        raise WorkspaceError(f"'dest' must not exist yet, but the workspace already has '{dest}'")
    return place


def _git(directory: Path, *arguments: str, needed: bool = False) -> str:
    """Return git's output, or "" if it fails and is not `needed`."""
    try:
        ended = git(directory, *arguments)
    except (OSError, ValueError) as error:
        raise WorkspaceError(f"git cannot be started: {error}") from error
    if ended.status == 0:
        return ended.stdout.decode("utf-8", "replace")
    if needed:
        output = ended.stderr.decode("utf-8", "replace").strip()
        raise WorkspaceError(f"git {arguments[0]} failed: {output or 'it took too long'}")
    return ""
