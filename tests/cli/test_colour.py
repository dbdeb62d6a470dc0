"""`--color`, NO_COLOR and FORCE_COLOR decide about colours, in this order."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from waza_lsp.cli import main

BROKEN = "name: a\nskill: s\nconfig: {trials_per_task: many, timeout_seconds: 60, executor: mock, model: m}\nnope: 1\n"
EVAL = Path(__file__).parents[2] / "examples" / "code-explainer" / "eval.yaml"


def is_coloured(folder: Path, *arguments: str, **environment: str) -> bool:
    path = folder / "eval.yaml"
    path.write_text(BROKEN)
    variables = {"NO_COLOR": None, "FORCE_COLOR": None, **environment}
    done = CliRunner(env=variables).invoke(main, [*arguments, str(path)])
    assert done.exit_code == 1
    return "\x1b[" in done.output


@pytest.mark.parametrize(
    ("arguments", "environment", "expected"),
    [
        (["check"], {}, False),
        (["check", "--color", "always"], {}, True),
        (["--color", "always", "check"], {}, True),
        (["--color", "always", "check", "--color", "never"], {}, False),
        (["check", "--color=auto"], {}, False),
        (["check"], {"FORCE_COLOR": "1"}, True),
        (["check"], {"FORCE_COLOR": "0"}, False),
        (["check"], {"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
        (["check", "--color", "never"], {"FORCE_COLOR": "1"}, False),
        (["check", "--color", "always"], {"NO_COLOR": "1"}, True),
    ],
)
def test_which_one_decides(
    arguments: list[str], environment: dict[str, str], expected: bool, tmp_path: Path
) -> None:
    assert is_coloured(tmp_path, *arguments, **environment) is expected


def test_a_run_is_coloured_and_its_json_is_not(tmp_path: Path) -> None:
    store = ["--store", str(tmp_path / "store")]
    arguments = ["run", "--color", "always", "--executor", "replay", *store, str(EVAL)]
    assert "\x1b[" in CliRunner().invoke(main, arguments).stdout
    done = CliRunner().invoke(main, [*arguments, "--format", "json"])
    assert "\x1b[" not in done.stdout


def test_subcommands_have_it_and_commands_for_programs_have_not() -> None:
    for names in (["runs", "list"], ["schema", "show"], ["agents", "install"]):
        assert "--color" in CliRunner().invoke(main, [*names, "--help"]).output
    for name in ("serve", "mcp", "completion"):
        assert "--color" not in CliRunner().invoke(main, [name, "--help"]).output
