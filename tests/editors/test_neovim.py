"""A real Neovim with the shipped set-up: squiggle, completion, hover, lens, verdict."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.editors.newer import newer
from tests.editors.programs import needs
from tests.editors.workspaces import CLIENTS, edited_example, variables

SCRIPT = Path(__file__).parent / "neovim" / "drive.lua"


@pytest.mark.editor
@pytest.mark.parametrize("version", ["of the system", "newer"])
def test_neovim_edits_and_runs_an_eval(version: str, tmp_path: Path) -> None:
    if version == "newer":
        command, runtime = newer("nvim")
    else:
        needs("nvim")
        command, runtime = ["nvim"], {}
    eval_file = edited_example(tmp_path)
    seen_file = tmp_path / "seen.json"
    result = subprocess.run(
        [*command, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", f"luafile {SCRIPT}"],
        env={**variables(CLIENTS / "neovim", eval_file), **runtime, "WAZA_SEEN": str(seen_file)},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    seen = json.loads(seen_file.read_text(encoding="utf-8"))
    assert seen["diagnostic"]["message"] == "Unknown key 'not_contians'. Did you mean 'not_contains'?"
    line = eval_file.read_text(encoding="utf-8").split("\n").index("      not_contains:")
    assert (seen["diagnostic"]["line"], seen["diagnostic"]["from"], seen["diagnostic"]["to"]) == (line, 6, 18)
    assert "contains" in seen["completion"]
    assert "trials_per_task" in seen["hover"]
    assert "Run all" in seen["lens"]
    assert seen["verdict"]["status"] == "passed"
    assert len(seen["verdict"]["tasks"]) == 4
    assert seen["progress"][0] == "begin"
    assert seen["progress"][-1] == "end"
