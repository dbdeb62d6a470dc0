"""A real Neovim with the shipped set-up: squiggle, completion, hover, lens, verdict."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.editors.programs import needs

ROOT = Path(__file__).parents[2]


@pytest.mark.editor
def test_neovim_edits_and_runs_an_eval(tmp_path: Path) -> None:
    needs("nvim")
    suite = tmp_path / "code-explainer"
    shutil.copytree(ROOT / "examples" / "code-explainer", suite)
    (tmp_path / ".waza.yaml").write_text("paths: {results: results/}\n", encoding="utf-8")
    eval_file = suite / "eval.yaml"
    source = eval_file.read_text(encoding="utf-8")
    eval_file.write_text(source.replace("not_contains:", "not_contians:"), encoding="utf-8")
    seen_file = tmp_path / "seen.json"
    environment = {
        **os.environ,
        "WAZA_CLIENT": str(ROOT / "editor-client" / "neovim"),
        "WAZA_EVAL": str(eval_file),
        "WAZA_PYTHON": sys.executable,
        "WAZA_SEEN": str(seen_file),
    }
    script = ROOT / "tests" / "editors" / "neovim" / "drive.lua"
    result = subprocess.run(
        ["nvim", "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", f"luafile {script}"],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    seen = json.loads(seen_file.read_text(encoding="utf-8"))
    assert seen["diagnostic"]["message"] == "Unknown key 'not_contians'. Did you mean 'not_contains'?"
    assert seen["diagnostic"]["line"] == source.split("\n").index("      not_contains:")
    assert (seen["diagnostic"]["from"], seen["diagnostic"]["to"]) == (6, 18)
    assert "contains" in seen["completion"]
    assert "trials_per_task" in seen["hover"]
    assert "Run all" in seen["lens"]
    assert seen["verdict"]["status"] == "passed"
    assert len(seen["verdict"]["tasks"]) == 4
    assert seen["progress"][0] == "begin"
    assert seen["progress"][-1] == "end"
