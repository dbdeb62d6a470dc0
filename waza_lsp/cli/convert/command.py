"""`waza-lsp convert`: write a suite in another dialect, or in the newest form of its own."""

import json
from pathlib import Path
from typing import TYPE_CHECKING

import click

from waza_engine.convert.convert import TARGETS, convert_suite
from waza_engine.lib.paths import is_inside, real_path
from waza_lsp.cli.console import give_up, print_err, show, show_file_text
from waza_lsp.cli.load_errors import find_place, give_up_loading, short_path

if TYPE_CHECKING:
    from waza_engine.convert.conversion import Conversion, Lost

_NEWEST = "latest"


@click.command()
@click.argument("path", metavar="EVAL", type=click.Path(exists=True, dir_okay=False, path_type=Path))
@click.option("--to", "target", type=click.Choice([*TARGETS, _NEWEST]), required=True, help="Target format.")
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Output folder. Default: a folder next to the eval, named after the target.",
)
@click.option("--force", is_flag=True, help="Replace existing files.")
@click.option("--dry-run", is_flag=True, help="Print the files instead of writing them.")
@click.option("--plan", is_flag=True, help="Print what would be written and lost, without writing.")
@click.option(
    "--format",
    "form",
    type=click.Choice(["text", "json"]),
    default="text",
    show_default=True,
    help="Format of --plan.",
)
def convert(  # noqa: PLR0913, PLR0917  # click passes one argument per option
    path: Path, target: str, out: Path | None, force: bool, dry_run: bool, plan: bool, form: str
) -> None:
    """Write the suite of EVAL for another runner, or in its newest form.

    Comments are kept. Settings that the other dialect cannot express become comments and are listed on stderr;
    converting back restores them. Nothing is dropped silently.

    \b
    Examples:
      waza-lsp convert evals/eval.yaml --to vally --out evals-vally
      waza-lsp convert eval.yaml --to waza --plan
      waza-lsp convert old/eval.yaml --to latest --dry-run
    """
    # Imported late: `--help` does without.
    from waza_engine.model.suite import LoadError
    from waza_lsp.cli.convert.upgrade import upgrade

    folder = out or path.parent / target
    try:
        if target == _NEWEST:
            result = upgrade(path, folder, Path.cwd())
        else:
            result = convert_suite(path, target, folder, Path.cwd())
    except LoadError as error:
        give_up_loading(error)
    if plan:
        _print_plan(result, target, folder, form)
        return
    for loss in result.lost:
        print_err(_loss_text(loss))
    if dry_run:
        for name, text in result.files.items():
            show_file_text(f"--- {folder / name}\n{text}\n")
        for name, source in result.copies.items():
            click.echo(f"--- {folder / name}: a copy of {source}")
        return
    existing = [folder / it for it in (*result.files, *result.copies) if (folder / it).exists()]
    if existing and not force:
        give_up(f"{existing[0]} already exists; nothing was written. Use --force or another --out")
    _write(folder, path.parent, result)


def _print_plan(result: "Conversion", target: str, folder: Path, form: str) -> None:
    """Print what a conversion would write, and what would be lost or kept in comments."""
    files = [folder / it for it in (*result.files, *result.copies)]
    if form == "json":
        losses = [_loss_data(it) for it in result.lost]
        click.echo(json.dumps({"to": target, "files": [str(it) for it in files], "losses": losses}, indent=2))
        return
    for loss in result.lost:
        show(_loss_text(loss))
    if not result.lost:
        show("Nothing is lost.")
    for file in files:
        show(f"{'would replace' if file.exists() else 'would write'} {file}")


def _loss_text(loss: "Lost") -> str:
    place = find_place(loss.path, loss.pointer) if loss.path and loss.pointer else None
    line = f":{place.line + 1}:{place.column + 1}" if place else ""
    where = f"{short_path(loss.path)}{line}: " if loss.path else ""
    return f"{where}{'kept as a comment' if loss.kept else 'note'}: {loss.message}"


def _loss_data(loss: "Lost") -> dict[str, object]:
    place = find_place(loss.path, loss.pointer) if loss.path and loss.pointer else None
    return {
        "message": loss.message,
        "kept": loss.kept,
        "path": str(short_path(loss.path)) if loss.path else None,
        "line": place.line + 1 if place else None,
        "column": place.column + 1 if place else None,
        "pointer": list(loss.pointer),
    }


def _write(folder: Path, source_folder: Path, result: "Conversion") -> None:
    """Write each file atomically, after all sources have been read."""
    from waza_engine.lib.files.safe_read import regular_bytes
    from waza_engine.lib.files.safe_write import write_bytes_atomic

    contents = {name: text.encode("utf-8", "replace") for name, text in result.files.items()}
    for name, source in result.copies.items():
        try:
            contents[name] = regular_bytes(source)
        except OSError as error:
            give_up(f"{source} cannot be read: {error.strerror}; nothing was written")
    if real_path(folder) != real_path(source_folder):
        for name in contents:
            if not is_inside(folder / name, folder):
                give_up(f"{folder / name} is a link that leads out of {folder}; nothing was written")
    for name, content in contents.items():
        path = folder / name
        try:
            write_bytes_atomic(path, [content])
            if name in result.copies and (executable := result.copies[name].stat().st_mode & 0o111):
                path.chmod(path.stat().st_mode | executable)
        except OSError as error:
            give_up(f"{path} cannot be written: {error.strerror}")
        show(str(path))
