"""`waza-lsp --help` lists all commands; no help imports what only the work of a command needs."""

import subprocess
import sys

from click.testing import CliRunner

from waza_lsp.cli import _COMMANDS, main

_HELPS = """\
import sys
import click
from click.testing import CliRunner
from waza_lsp.cli import main

def imported():
    # A module that is only announced has another class.
    return {name for name, it in sys.modules.items() if type(it).__name__ != "_Later"}

def show_helps(command, names):
    done = CliRunner().invoke(main, [*names, "--help"])
    assert done.exit_code == 0, done.output
    for name in command.list_commands(None) if isinstance(command, click.Group) else ():
        found = command.get_command(click.Context(command), name)
        show_helps(found, [*names, name])

before = imported()
assert CliRunner().invoke(main, ["--help"]).exit_code == 0
print(*sorted(it for it in imported() - before if it.startswith("waza_")))
show_helps(main, [])
print(*sorted(imported()))
"""


def test_the_help_lists_every_command_in_order() -> None:
    lines = CliRunner().invoke(main, ["--help"]).output.partition("Commands:\n")[2].splitlines()
    assert [it.split()[0] for it in lines] == list(_COMMANDS)
    assert [it.split(maxsplit=1)[1] for it in lines] == [line for _, line in _COMMANDS.values()]


def test_each_command_can_be_asked_for_help() -> None:
    for name in _COMMANDS:
        assert CliRunner().invoke(main, [name, "--help"]).output.startswith(f"Usage: main {name}")


def test_helps_import_options_and_no_work() -> None:
    done = subprocess.run([sys.executable, "-P", "-c", _HELPS], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    of_main, of_all = (it.split() for it in done.stdout.splitlines())
    assert of_main == ["waza_engine.reports", "waza_engine.reports.inert", "waza_lsp.cli.console"]
    libraries = {
        "asyncio",
        "jinja2",
        "jsonschema",
        "lsprotocol.types",
        "pathspec",
        "pydantic",
        "pygls",
        "regex",
    }
    libraries |= {"rich", "ruamel", "sqlite3", "yaml"}
    work = [
        "analysis",
        "executors",
        "grading",
        "judges",
        "model",
        "project",
        "rules",
        "runs",
    ]  # folders of the engine
    packages = {f"waza_engine.{it}" for it in work} | {"waza_lsp.features", "waza_lsp.snapshot"}
    assert (libraries | packages) & set(of_all) == set()
