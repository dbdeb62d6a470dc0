"""`waza-lsp new`: create an eval with one task that runs without a model."""

import re
from pathlib import Path

import click

from waza_engine.recognition.starters import NAME_PATTERN, dialects_with_new_evals, new_eval
from waza_lsp.cli.console import give_up, show
from waza_lsp.cli.options import FOLDER

_DIALECTS = dialects_with_new_evals()


@click.command()
@click.argument("name")
@click.option(
    "--dialect", type=click.Choice(_DIALECTS), default=_DIALECTS[0], show_default=True, help="Its format."
)
@click.option(
    "--out", type=FOLDER, default="evals", show_default=True, metavar="DIR", help="Folder of the evals."
)
def new(name: str, dialect: str, out: Path) -> None:
    """Create the eval NAME in a folder of its own below DIR, with one task. NAME is what is tested, such as a skill.

    \b
    Examples:
      waza-lsp new release-notes
      waza-lsp new release-notes --dialect vally --out .
    """
    # Imported late: `--help` does without.
    from waza_engine.lib.files.safe_write import write_text_atomic

    if not re.fullmatch(NAME_PATTERN, name):
        raise click.UsageError(
            f"'{name}' is not a name: use letters, digits, dots, dashes and underscores, and begin with a letter."
        )
    files = {out / name / path: text for path, text in new_eval(dialect, name).items()}
    existing = [it for it in files if it.exists()]
    if existing:
        give_up(f"{existing[0]} already exists; nothing was written. Use another name or --out")
    for path, text in files.items():
        try:
            write_text_atomic(path, [text])
        except OSError as error:
            give_up(f"{path} cannot be written: {error.strerror}")
        show(str(path))
