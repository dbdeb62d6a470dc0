"""`waza-lsp convert`: a suite in another dialect, or in the newest form of its own."""

import sys
from functools import partial
from pathlib import Path, PurePosixPath

import click

from waza_engine.convert import Conversion, to_vally, to_waza
from waza_engine.formats.choose import dialect_of_file
from waza_engine.suite import LoadError
from waza_lsp.cli.newest_form import in_newest_form
from waza_lsp.cli.run_error import load_error_text

_WAYS = {"vally": to_vally, "waza": to_waza}


@click.command(short_help="Convert an eval to another dialect or the newest form.")
@click.argument("path", metavar="EVAL", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option(
    "--to", "target", type=click.Choice([*_WAYS, "latest"]), required=True, help="What to make of it."
)
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Where the files go; default: a folder beside the eval, called as the target.",
)
@click.option("--force", is_flag=True, help="Replace files that are there.")
@click.option("--dry-run", is_flag=True, help="Print the files instead of writing them.")
def convert(path: Path, target: str, out: Path | None, force: bool, dry_run: bool) -> None:
    """Write the suite of EVAL for another runner, or in its newest form.

    Comments go along. What the other dialect has no words for is kept in a comment, from which the way back restores
    it, and is listed on stderr; nothing is dropped silently.

    \b
    Examples:
      waza-lsp convert evals/eval.yaml --to vally --out evals-vally
      waza-lsp convert eval.yaml --to waza
      waza-lsp convert old/eval.yaml --to latest --dry-run
    """
    folder = out or path.parent / target
    try:
        result = _converted(path, target, folder)
    except LoadError as error:
        click.echo(load_error_text(error), err=True)
        sys.exit(2)
    _tell_losses(result)
    if dry_run:
        for name, text in result.files.items():
            click.echo(f"--- {folder / name}\n{text}")
        return
    taken = [folder / it for it in result.files if (folder / it).exists()]
    if taken and not force:
        click.echo(
            f"error: {taken[0]} is there already; nothing was written. Give --force or another --out",
            err=True,
        )
        sys.exit(2)
    try:
        for name, text in result.files.items():
            _write(folder, name, text)
    except OSError as error:
        click.echo(f"error: {error.filename} cannot be written: {error.strerror}", err=True)
        sys.exit(2)


def _converted(path: Path, target: str, folder: Path) -> Conversion:
    dialect = dialect_of_file(path)
    if target == "latest":
        return in_newest_form(path, Path.cwd())
    if dialect.name == target:
        raise LoadError(
            path, f"This is a suite of {target} already; `--to latest` brings it to its newest form"
        )
    return partial(_WAYS[target], path, folder.absolute())(process_dir=Path.cwd())


def _tell_losses(result: Conversion) -> None:
    for it in result.lost:
        where = f"{it.path}: " if it.path else ""
        click.echo(f"{where}{'kept as a comment' if it.kept else 'note'}: {it.message}", err=True)


def _write(folder: Path, name: PurePosixPath, text: str) -> None:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode("utf-8", "replace"))
    click.echo(str(path))
