"""A real Neovim with the shipped set-up: lenses, finding, fix, completion, hover, run, live verdict."""

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.editors.newer import newer
from tests.editors.programs import needs
from tests.editors.workspaces import CLIENTS, edited_example, marked_folders, variables
from waza_engine.runs.store.store import workspace_root

SCRIPTS = Path(__file__).parent / "neovim"


VERSIONS = pytest.mark.parametrize("version", ["of the system", "newer"])


def seen_by_neovim(version: str, script: str, eval_file: Path, folder: Path, **more: str) -> Any:
    """Return the output of a script, in a folder that nobody has trusted before."""
    if version == "newer":
        command, runtime = newer("nvim")
    else:
        needs("nvim")
        command, runtime = ["nvim"], {}
    seen_file = folder / "seen.json"
    result = subprocess.run(
        [*command, "--headless", "-u", "NONE", "-i", "NONE", "-n", "-c", f"luafile {SCRIPTS / script}"],
        env={
            **variables(CLIENTS / "neovim", eval_file, trusted=False),
            **runtime,
            "WAZA_SEEN": str(seen_file),
            **more,
        },
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    return json.loads(seen_file.read_text(encoding="utf-8"))


@pytest.mark.editor
@VERSIONS
def test_the_root_is_the_nearest_folder_with_a_mark(version: str, tmp_path: Path) -> None:
    """The root is the one that the server uses, also in a worktree and with spaces in names."""
    wanted = marked_folders(tmp_path)
    files = list(wanted)
    named = "\n".join(map(str, files))
    seen = seen_by_neovim(version, "roots.lua", files[0], tmp_path, WAZA_FILES=named)
    assert (
        [Path(it) for it in seen["module"]] == list(wanted.values()) == [workspace_root(it) for it in files]
    )
    # The file for nvim-lspconfig needs a newer Neovim.
    assert seen["lspconfig"] == (seen["module"] if version == "newer" else [])
    assert (seen["cmd"], seen["filetypes"][0]) == (["waza-lsp", "serve"], "yaml")


@pytest.mark.editor
@VERSIONS
def test_neovim_edits_and_runs_an_eval(version: str, tmp_path: Path) -> None:
    eval_file = edited_example(tmp_path)
    seen = seen_by_neovim(version, "drive.lua", eval_file, tmp_path)
    assert "Run all" in seen["first_lens"]
    assert version == "of the system" or "4 files" in seen["hints"]
    assert seen["diagnostic"]["message"] == "Unknown key 'not_contians'. Did you mean 'not_contains'?"
    line = eval_file.read_text(encoding="utf-8").split("\n").index("      not_contains:")
    assert (seen["diagnostic"]["line"], seen["diagnostic"]["from"], seen["diagnostic"]["to"]) == (line, 6, 18)
    assert "contains" in seen["completion"]
    assert "trials_per_task" in seen["hover"]
    assert "✓ 4 of 4 passed" in seen["verdict"]
    assert seen["progress"][0] == "begin"
    assert seen["live"][0].count('"e" found in the output') == 4
    assert seen["messages"] == []
