"""Files for editors that cannot be started here agree with the server: its commands, its settings, its files."""

import json
import re
from pathlib import Path

from tests.editors.workspaces import CLIENTS

_ROOT = Path(__file__).parents[2]


def _commands() -> set[str]:
    text = (_ROOT / "waza_lsp/server/startup/capabilities.json").read_text(encoding="utf-8")
    return set(json.loads(text)["capabilities"]["executeCommandProvider"]["commands"])


def test_emacs_does_not_wait_for_commands_that_exist() -> None:
    source = (CLIENTS / "emacs" / "waza-lsp.el").read_text(encoding="utf-8")
    listed = re.search(r"waza-lsp-run-commands '\(([^)]*)\)", source)
    assert listed is not None
    names = re.findall(r'"([^"]+)"', listed.group(1))
    assert {"waza.runTask", "waza.runEval", "waza.runFailed", "waza.grade"} <= set(names) <= _commands()
