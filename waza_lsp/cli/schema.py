"""`waza-lsp schema`: list, show and export the JSON Schemas, for editors and CI without this server."""

import sys
from pathlib import Path

import click

from waza_lsp.cli.completion import values
from waza_lsp.cli.console import EXIT_ERROR, did_you_mean, print_err


@click.group()
def schema() -> None:
    """Show or export the JSON Schemas of eval, task, trigger, project and experiment files and of grader options.

    \b
    Examples:
      waza-lsp schema list                  list the names
      waza-lsp schema show graders/text     show one schema
      waza-lsp schema export --out schemas  write all schemas as files
    """


@schema.command("list")
def list_() -> None:
    """List the names of all schemas."""
    # Imported late, as in the other commands: `--help` does without.
    from waza_engine.analysis.schema.files import schema_names

    for name in schema_names():
        click.echo(name)


@schema.command()
@click.argument("name", shell_complete=values.schemas)
def show(name: str) -> None:
    """Print the schema NAME.

    \b
    Example:
      waza-lsp schema show eval
    """
    from waza_engine.analysis.schema.files import published_schema, schema_names
    from waza_engine.generate.schemas.export import as_text

    try:
        click.echo(as_text(published_schema(name)), nl=False)
    except KeyError:
        guess = did_you_mean(name, schema_names())
        raise click.UsageError(
            f"No schema is named '{name}'.{guess} List all names with: waza-lsp schema list"
        ) from None


@schema.command()
@click.option(
    "--out",
    type=click.Path(file_okay=False, path_type=Path),
    default=Path("schemas"),
    show_default=True,
    help="Output folder. It is created if necessary.",
)
def export(out: Path) -> None:
    """Generate all schemas from the models and write them as files.

    \b
    Example:
      waza-lsp schema export --out .schemas
    Then add this first line to an eval file:
      # yaml-language-server: $schema=.schemas/eval.schema.json
    """
    from waza_engine.generate.schemas.export import write

    try:
        paths = write(out)
    except OSError as error:
        print_err(f"error: Cannot write to {out}: {error.strerror}")
        sys.exit(EXIT_ERROR)
    click.echo(f"Wrote {len(paths)} schemas to {out}")
