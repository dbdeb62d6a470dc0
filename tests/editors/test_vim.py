"""A real Vim with ALE and the shipped linter: finding and hover."""

import json
import subprocess
from pathlib import Path

import pytest

from tests.editors.programs import needs
from tests.editors.workspaces import CLIENTS, edited_example, variables

SCRIPT = Path(__file__).parent / "vim" / "drive.vim"
ALE = Path("/usr/share/vim-ale")
"""Where Debian puts it, outside the runtime path."""


@pytest.mark.editor
def test_ale_finds_and_explains(tmp_path: Path) -> None:
    needs("vim")
    if not ALE.is_dir():
        needs("vim-ale")
    eval_file = edited_example(tmp_path)
    seen_file = tmp_path / "seen.json"
    result = subprocess.run(
        ["vim", "-N", "-u", "NONE", "-i", "NONE", "-n", "-es", "-S", str(SCRIPT)],
        env={
            **variables(CLIENTS / "vim", eval_file),
            "WAZA_SEEN": str(seen_file),
            "WAZA_ALE": str(ALE),
            "HOME": str(tmp_path),
        },
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    problem = seen_file.with_suffix(".json.problem")
    said = problem.read_text(encoding="utf-8") if problem.exists() else ""
    assert result.returncode == 0, said + result.stdout + result.stderr
    seen = json.loads(seen_file.read_text(encoding="utf-8"))
    assert "Unknown key 'not_contians'. Did you mean 'not_contains'?" in seen["message"]
    lines = eval_file.read_text(encoding="utf-8").split("\n")
    assert (seen["line"], seen["column"]) == (1 + lines.index("      not_contians:"), 7)
    assert "How often each task is run" in seen["hover"]
