"""The command `waza-lsp new` and its subcommands."""

from pathlib import Path
from typing import Any

import click

from waza_engine.recognition.starters import dialects_with_new_evals
from waza_lsp.cli.completion import values
from waza_lsp.cli.console import did_you_mean

_FOLDER = click.Path(file_okay=False, path_type=Path)
_FILE = click.Path(exists=True, dir_okay=False, path_type=Path)
_FORCE = click.option("--force", is_flag=True, help="Overwrite existing files.")
_DIALECT = click.option(
    "--dialect",
    type=click.Choice(dialects_with_new_evals()),
    help="The format. Default: that of the project, else waza.",
)
_OUT = click.option(
    "--out",
    type=_FOLDER,
    metavar="DIR",
    help="Folder of the evals. Default: that of the project, else evals.",
)


class _EvalByDefault(click.Group):
    """`new NAME` is short for `new eval NAME`."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        if args and args[0] not in self.commands and args[0] not in self.get_help_option_names(ctx):
            if len(args) > 1 and not args[0].startswith("-") and not args[1].startswith("-"):
                guess = did_you_mean(args[0], self.commands)
                raise click.UsageError(f"No such command '{args[0]}'.{guess}", ctx)
            args = ["eval", *args]
        return super().parse_args(ctx, args)

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(self.commands)


@click.group(cls=_EvalByDefault, subcommand_metavar="[COMMAND] NAME")
def new() -> None:
    """Create an eval, a task, a grader, a skill or an experiment. 'new NAME' creates an eval.

    New files have no errors or warnings and run at once with the mock executor, without a model. Existing files stay.

    \b
    Examples:
      waza-lsp new release-notes
      waza-lsp new eval release-notes --dialect vally
      waza-lsp new eval --from-skill skills/release-notes/SKILL.md
      waza-lsp new task summarise-a-release
      waza-lsp new grader tool_calls
    """


@new.command("eval", short_help="Create an eval with its first tasks.")
@click.argument("name", required=False)
@_DIALECT
@_OUT
@click.option(
    "--from-skill",
    "skill_file",
    type=click.Path(exists=True, path_type=Path),
    metavar="SKILL.md",
    help="Write first tasks and trigger prompts from this skill's description. NAME is then optional.",
)
@_FORCE
def eval_(**options: Any) -> None:
    """Create the eval NAME in a folder of its own below DIR, with a first task. NAME is what is tested, such as a skill.

    With --from-skill, the prompts come from the lists USE FOR, WHEN and DO NOT USE FOR in the skill's description.

    \b
    Examples:
      waza-lsp new eval release-notes
      waza-lsp new eval release-notes --dialect vally --out .
      waza-lsp new eval --from-skill skills/release-notes/SKILL.md
    """
    from waza_lsp.cli.new.files import create_eval

    create_eval(**options)


@new.command(short_help="Add a task to an eval.")
@click.argument("name")
@click.option("--eval", "eval_file", type=_FILE, metavar="EVAL", help="The eval. Default: the only one here.")
@click.option("--prompt", default="", metavar="TEXT", help="What the agent is asked.")
@_FORCE
def task(**options: Any) -> None:
    """Add the task NAME to EVAL: a file that the eval includes, or a new item of its list.

    \b
    Examples:
      waza-lsp new task first-release --prompt "Write release notes for version 1.0"
      waza-lsp new task first-release --eval evals/release-notes/eval.yaml
    """
    from waza_lsp.cli.new.additions import add_task

    add_task(**options)


@new.command(short_help="Show an example of a grader, or add it to a file.")
@click.argument("type_name", metavar="TYPE", shell_complete=values.grader_types)
@click.option("--to", "file", type=_FILE, metavar="FILE", help="Add it to this eval or task.")
@_DIALECT
def grader(**options: Any) -> None:
    """Print a complete entry of the grader TYPE, to paste below 'graders:'. With --to, add it to FILE.

    List all types with: waza-lsp grader

    \b
    Examples:
      waza-lsp new grader tool_calls
      waza-lsp new grader text --to evals/release-notes/eval.yaml
      waza-lsp new grader tool-calls --dialect vally
    """
    from waza_lsp.cli.new.additions import add_grader

    add_grader(**options)


@new.command(short_help="Create a SKILL.md.")
@click.argument("name")
@click.option(
    "--out",
    type=_FOLDER,
    metavar="DIR",
    help="Folder of the skills. Default: that of the project, else skills.",
)
@_FORCE
def skill(**options: Any) -> None:
    """Create the skill NAME: DIR/NAME/SKILL.md.

    \b
    Example:
      waza-lsp new skill release-notes
    """
    from waza_lsp.cli.new.files import create_skill

    create_skill(**options)


@new.command(short_help="Create an experiment that compares settings.")
@click.argument("name")
@click.option(
    "--eval",
    "evals",
    type=_FILE,
    multiple=True,
    metavar="EVAL",
    help="An eval to run. Default: all in DIR. Repeatable.",
)
@_DIALECT
@_OUT
@_FORCE
def experiment(**options: Any) -> None:
    """Create the experiment NAME: DIR/NAME.experiment.yaml, which runs evals with two models. Only vally has experiments.

    \b
    Examples:
      waza-lsp new experiment which-model
      waza-lsp new experiment which-model --eval evals/release-notes/eval.yaml
    """
    from waza_lsp.cli.new.files import create_experiment

    create_experiment(**options)
