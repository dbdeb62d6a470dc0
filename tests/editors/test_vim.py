"""A real Vim with ALE and the shipped linter: finding, fix, hover, run, live verdict."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.editors.programs import needs
from tests.editors.workspaces import CLIENTS, edited_example, marked_folders, variables

SCRIPT = Path(__file__).parent / "vim" / "drive.vim"
ROOTS = SCRIPT.with_name("roots.vim")
ALE = Path("/usr/share/vim-ale")
"""The Debian location of ALE, which is outside the runtime path."""


@pytest.mark.editor
def test_ale_edits_and_runs_an_eval(tmp_path: Path) -> None:
    needs("vim")
    if not ALE.is_dir():
        needs("vim-ale")
    eval_file = edited_example(tmp_path)
    seen_file = tmp_path / "seen.json"
    result = subprocess.run(
        ["vim", "-N", "-u", "NONE", "-i", "NONE", "-n", "-es", "-S", str(SCRIPT)],
        env={
            **variables(CLIENTS / "vim", eval_file, trusted=False),
            "WAZA_TRUSTED": str(tmp_path),
            "WAZA_SEEN": str(seen_file),
            "WAZA_ALE": str(ALE),
            "WAZA_RUNS": f"'{sys.executable}' -P -m waza_lsp runs list --store '{tmp_path / '.waza-lsp'}'",
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
    assert (seen["line"], seen["column"]) == (1 + lines.index("      not_contains:"), 7)
    assert "Number of runs per task" in seen["hover"]


@pytest.mark.editor
def test_the_root_is_the_nearest_folder_with_a_mark(tmp_path: Path) -> None:
    needs("vim")
    wanted = marked_folders(tmp_path)
    for name, function in (("ale", "Set"), ("ale/linter", "Define")):
        path = tmp_path / "stand-in" / "autoload" / f"{name}.vim"
        path.parent.mkdir(parents=True, exist_ok=True)
        text = f"function! {name.replace('/', '#')}#{function}(...) abort\nendfunction\n"
        path.write_text(text, encoding="utf-8")
    subprocess.run(
        ["vim", "-N", "-u", "NONE", "-i", "NONE", "-n", "-es", "-S", str(ROOTS)],
        env={
            **variables(CLIENTS / "vim", next(iter(wanted))),
            "WAZA_FILES": "\n".join(map(str, wanted)),
            "WAZA_STAND_IN": str(tmp_path / "stand-in"),
            "WAZA_SEEN": str(tmp_path / "seen.json"),
        },
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        timeout=60,
        check=True,
    )
    roots = json.loads((tmp_path / "seen.json").read_text(encoding="utf-8"))
    assert [Path(it) for it in roots] == list(wanted.values())
