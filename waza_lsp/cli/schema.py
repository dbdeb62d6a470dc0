"""`waza-lsp schema`: the JSON Schemas of all files and graders, for editors and CI without this server."""

import sys
from pathlib import Path

import click

from waza_engine.schema_files import published_schema, schema_names
from waza_lsp.cli.console import CANNOT, tell


@click.group(short_help="Show or export the JSON Schemas of files and graders.")
def schema() -> None:
    """Show or export the JSON Schemas of eval, task, trigger, project and experiment files and of grader options.

    \b
    Examples:
      waza-lsp schema list                  the names
      waza-lsp schema show graders/text     one schema
      waza-lsp schema export --out schemas  all of them, as files
    """


@schema.command("list")
def list_() -> None:
    """List the names of all schemas."""
    for name in schema_names():
        click.echo(name)


@schema.command()
@click.argument("name")
def show(name: str) -> None:
    """Print the schema called NAME.

    \b
    Example:
      waza-lsp schema show eval
    """
    from waza_engine.schemas_export import as_text

    try:
        click.echo(as_text(published_schema(name)), nl=False)
    except KeyError:
        raise click.UsageError(
            f"No schema is called '{name}'. 'waza-lsp schema list' shows the names."
        ) from None


@schema.command()
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("schemas"),
    show_default=True,
    help="Directory to write to; it is made if needed.",
)
def export(out: Path) -> None:
    """Write all schemas as files, made anew from the models.

    \b
    Example:
      waza-lsp schema export --out .schemas
    Then, in the first line of an eval file:
      # yaml-language-server: $schema=.schemas/eval.schema.json
    """
    from waza_engine.schemas_export import write

    try:
        paths = write(out)
    except OSError as error:
        tell(f"error: Cannot write to {out}: {error.strerror}")
        sys.exit(CANNOT)
    click.echo(f"Wrote {len(paths)} schemas to {out}")
