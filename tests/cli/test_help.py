"""`waza-lsp --help` lists all commands, without importing any."""

import subprocess
import sys

from click.testing import CliRunner

from waza_lsp.cli import _COMMANDS, main


def test_the_help_lists_every_command_in_order() -> None:
    lines = CliRunner().invoke(main, ["--help"]).output.partition("Commands:\n")[2].splitlines()
    assert [it.split()[0] for it in lines] == list(_COMMANDS)
    assert [it.split(maxsplit=1)[1] for it in lines] == [line for _, line in _COMMANDS.values()]


def test_each_command_can_be_asked_for_help() -> None:
    for name in _COMMANDS:
        assert CliRunner().invoke(main, [name, "--help"]).output.startswith(f"Usage: main {name}")


def test_the_help_imports_no_command() -> None:
    code = (
        "import sys; from click.testing import CliRunner; from waza_lsp.cli import main;"
        "assert CliRunner().invoke(main, ['--help']).exit_code == 0;"
        "print([it for it in sys.modules if it.startswith('waza_lsp.cli.')])"
    )
    done = subprocess.run([sys.executable, "-P", "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['waza_lsp.cli.console']\n"
