"""`waza-lsp ci`: its commands and options. What they do is imported late, because `--help` does without."""

import os
import sys
from pathlib import Path
from typing import Any

import click

from waza_lsp.cli.options import FOLDER

_KEY = click.option(
    "--key",
    envvar="WAZA_LSP_CI_KEY",
    default="waza-lsp",
    show_default=True,
    metavar="NAME",
    help="Tells the artifacts and comments of several workflows apart. Letters, digits, '.', '_' and '-'.",
)


@click.group()
def ci() -> None:
    """Check and run what a pull request changes, compare it with the base branch, and comment.

    The action of this repository runs these commands on GitHub; `ci run` works in any CI system, and on your machine.
    """


@ci.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--since",
    envvar="WAZA_LSP_CI_SINCE",
    default="",
    metavar="REF",
    help="Run only what has changed since the merge base with REF. Default: run everything.",
)
@click.option(
    "--base",
    "base_dir",
    envvar="WAZA_LSP_CI_BASE",
    type=FOLDER,
    metavar="DIR",
    help="Folder that `ci run --of-base` or `ci base` has written: the runs to compare with.",
)
@click.option(
    "--base-branch",
    envvar="WAZA_LSP_CI_BASE_BRANCH",
    default="",
    metavar="NAME",
    help="Name of the base branch, for the comment.",
)
@click.option(
    "--output",
    envvar="WAZA_LSP_CI_OUTPUT",
    type=FOLDER,
    metavar="DIR",
    default=Path(".waza-lsp/ci"),
    show_default=True,
    help="Folder to write: summary.json, comment.md, findings.sarif, and a folder for each kind of report.",
)
@click.option(
    "--of-base/--of-change",
    "is_base",
    envvar="WAZA_LSP_CI_OF_BASE",
    help="Run the base branch itself: changed evals run as a whole, results of the others come from --base.",
)
@click.option(
    "--recordings-only",
    envvar="WAZA_LSP_CI_RECORDINGS_ONLY",
    is_flag=True,
    help="Start no agent: only grade the recordings next to evals.",
)
@click.option(
    "--audit/--no-audit",
    "audits",
    envvar="WAZA_LSP_CI_AUDIT",
    default=True,
    show_default=True,
    help="Audit the evals that run.",
)
@click.option(
    "--run-options",
    envvar="WAZA_LSP_CI_RUN_OPTIONS",
    default="",
    metavar="OPTIONS",
    help="Options of `waza-lsp run`, such as '--trials 3 --executor command'.",
)
@_KEY
def run(**options: Any) -> None:
    """Check PATHS, run the evals that changed, grade their recordings, audit them, and compare with the base branch.

    The exit status is 0 if everything passed, 1 if a task failed or a file has errors, and 2 if something could not be
    done. It is 3 if nothing failed but trials could not be judged. On GitHub, failing checks and findings become annotations.

    \b
    Examples:
      waza-lsp ci run --since origin/main
      waza-lsp ci run evals --since origin/main --recordings-only --output build/evals
      waza-lsp ci run evals --of-base --output base
      waza-lsp ci run evals --since origin/main --base base
    """
    from waza_lsp.cli.ci.perform import Request, perform

    # The action gives paths in a variable, so that a shell never reads them.
    paths = options.pop("paths") or tuple(map(Path, os.environ.get("WAZA_LSP_CI_PATHS", "").split()))
    sys.exit(perform(Request(paths or (Path(),), **options)))


@ci.command()
@click.argument("directory", metavar="DIR", type=FOLDER, envvar="WAZA_LSP_CI_BASE")
@click.option(
    "--branch",
    envvar="WAZA_LSP_CI_BASE_BRANCH",
    required=True,
    metavar="NAME",
    help="The base branch.",
)
@_KEY
def base(directory: Path, branch: str, key: str) -> None:
    """Download the newest runs of the base branch from GitHub into DIR. Without any, write nothing.

    Reads GITHUB_REPOSITORY and GITHUB_TOKEN, whose only right may be `actions: read`.

    \b
    Examples:
      waza-lsp ci base base --branch main
    """
    from waza_lsp.cli.ci.artifacts import fetch_base

    fetch_base(directory, branch, key)


@ci.command()
@click.argument("directory", metavar="[DIR]", type=FOLDER, required=False, envvar="WAZA_LSP_CI_OUTPUT")
@click.option(
    "--link",
    envvar="WAZA_LSP_CI_LINK",
    default="",
    metavar="URL",
    help="Address of the uploaded reports, on the server of the repository.",
)
@_KEY
def comment(directory: Path | None, link: str, key: str) -> None:
    """Write the comment of a pull request on GitHub, or update the one of an earlier push.

    DIR is the folder of `ci run`. Without DIR, in a workflow that follows another one (`workflow_run`), the summary comes
    from that workflow's artifact: nothing of it is executed, and its pull request must be at the commit that was run.

    \b
    Examples:
      waza-lsp ci comment .waza-lsp/ci
      waza-lsp ci comment
    """
    from waza_lsp.cli.ci.publish import publish

    publish(directory, link, key)
