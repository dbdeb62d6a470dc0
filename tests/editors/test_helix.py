"""A real Helix with the shipped configuration: finding, fix, completion, hover, hints, a run, a live verdict."""

import re
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.editors.newer import newer
from tests.editors.workspaces import CLIENTS, edited_example, variables

if TYPE_CHECKING:
    from tests.editors.terminal import Terminal

ESCAPE = "\x1b"


@pytest.mark.editor
def test_helix_edits_and_runs_an_eval(tmp_path: Path) -> None:
    command, runtime = newer("hx")
    # Loaded only here: it needs a Python package for tests of editors.
    from tests.editors.terminal import running

    eval_file = edited_example(tmp_path)
    configuration = tmp_path / "config" / "helix"
    configuration.mkdir(parents=True)
    (configuration / "languages.toml").write_text(_shipped_languages(), encoding="utf-8")
    hints = "[editor.lsp]\ndisplay-inlay-hints = true\n"
    (configuration / "config.toml").write_text(hints, encoding="utf-8")
    line = 1 + eval_file.read_text(encoding="utf-8").split("\n").index("      not_contians:")
    environment = {
        **variables(CLIENTS / "helix", eval_file, trusted=False),
        **runtime,
        "XDG_CONFIG_HOME": str(tmp_path / "config"),
        "HOME": str(tmp_path),
        "TERM": "xterm-256color",
    }
    with running([*command, f"{eval_file}:{line}:7"], environment, str(tmp_path)) as helix:
        # The message stands beside the line under the cursor.
        helix.seen("Did you mean 'not_contains'?")
        # Helix asks for hints shortly after its start and after keys, but not when a slow server is ready.
        helix.until(lambda screen: "tasks/*.yaml 4 files" in screen, "a hint", keys="hl")
        helix.type(" a")
        helix.seen("Change to 'not_contains'")
        helix.type("\r")
        helix.until(lambda screen: " not_contains:" in screen, "a mended key")
        helix.type("u")
        helix.seen("Did you mean 'not_contains'?")
        helix.type("ea" + "\x7f" * len("not_contians") + "not_contains")
        _to_normal(helix)
        helix.until(lambda screen: "Did you mean" not in screen, "the end of the finding")
        helix.type("O")
        helix.seen("INS")
        helix.type("reg")
        helix.seen("regex_match")
        _to_normal(helix)
        helix.type("u")
        helix.until(lambda screen: " reg " not in screen, "the end of the line that was tried")
        helix.type(f"{_line_of(eval_file, 'trials_per_task')}ggwe k")
        helix.seen("Number of runs per task")
        _to_normal(helix)
        helix.type(":w\r")
        helix.until(lambda screen: "[+]" not in screen, "that the file is saved")
        helix.type("gg a")
        helix.seen("Run all")
        helix.type("\r")
        helix.until(lambda _: "passed" in _runs(tmp_path), "a run that passed, in the run store")
        helix.type(f"{_line_of(eval_file, 'have access')}ggO")
        helix.seen("INS")
        helix.type("- e")
        _to_normal(helix)
        helix.seen('"e" found in the output')


def _to_normal(helix: "Terminal") -> None:
    """Leave a mode or a popup. A key directly after Escape would count as Alt."""
    helix.type(ESCAPE)
    helix.seen("NOR")
    time.sleep(0.2)


def _shipped_languages() -> str:
    """Return the configuration of the user guide with this checkout's server and replayed runs."""
    page = (CLIENTS / "helix" / "README.md").read_text(encoding="utf-8")
    block = re.search(r"```toml\n(.*?)```", page, re.DOTALL)
    assert block is not None
    text = block.group(1).replace('command = "waza-lsp"', f'command = "{sys.executable}"')
    text = text.replace('args = ["serve"]', 'args = ["-P", "-m", "waza_lsp", "serve"]')
    text = text.replace("# config =", "config =").replace(', "yaml-language-server"', "")
    assert sys.executable in text
    assert "\nconfig =" in text
    return text


def _runs(folder: Path) -> str:
    if not (folder / ".waza-lsp").is_dir():
        return ""
    command = [sys.executable, "-P", "-m", "waza_lsp", "runs", "list", "--store", str(folder / ".waza-lsp")]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def _line_of(file: Path, text: str) -> int:
    lines = file.read_text(encoding="utf-8").split("\n")
    return 1 + next(index for index, it in enumerate(lines) if text in it)
