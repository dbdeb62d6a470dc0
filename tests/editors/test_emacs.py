"""A real Emacs with the shipped set-up, for both clients: finding, fix, completion, hover, run, live verdict."""

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.editors.programs import needs
from tests.editors.workspaces import CLIENTS, edited_example, variables

DRIVERS = Path(__file__).parent / "emacs"


@pytest.mark.editor
@pytest.mark.parametrize(("client", "package"), [("eglot", "eglot"), ("lsp", "lsp-mode")])
def test_emacs_edits_and_runs_an_eval(client: str, package: str, tmp_path: Path) -> None:
    needs("emacs")
    if _lacks(package):
        needs(f"the Emacs package {package}")
    eval_file = edited_example(tmp_path)
    seen_file = tmp_path / "seen.json"
    result = subprocess.run(
        # -q, not -Q: Debian's site start brings in its packages.
        ["emacs", "-q", "--batch", "-f", "package-initialize", "-l", str(DRIVERS / f"drive-{client}.el")],
        env={
            **variables(_compiled(tmp_path), eval_file, trusted=False),
            "WAZA_SEEN": str(seen_file),
            "HOME": str(tmp_path),
        },
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=90,
        check=False,
    )
    assert result.returncode == 0, result.stderr
    seen = json.loads(seen_file.read_text(encoding="utf-8"))
    assert "Unknown key 'not_contians'. Did you mean 'not_contains'?" in seen["message"]
    assert seen["marked"] == "not_contians"
    assert "regex_match" in seen["completion"]
    assert "trials_per_task" in seen["hover"]
    # Said by the answer to a run that Emacs did not wait for.
    assert seen["told"] == "waza-lsp: passed, score 1.00"
    assert ("4 of 4 passed" in (seen["shown"] or "")) == (client == "lsp")
    assert seen["live"].count('"e" found in the output') == 4


def _compiled(folder: Path) -> Path:
    """Return a copy of the client that is compiled without a warning, as a package manager does it."""
    client = Path(shutil.copytree(CLIENTS / "emacs", folder / "client"))
    strict = ["--eval", "(setq byte-compile-error-on-warn t)", "-f", "batch-byte-compile"]
    command = ["emacs", "-Q", "--batch", *strict, str(client / "waza-lsp.el")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return client


def _lacks(package: str) -> bool:
    expression = f'(kill-emacs (if (locate-library "{package}") 0 1))'
    command = ["emacs", "-q", "--batch", "-f", "package-initialize", "--eval", expression]
    return subprocess.run(command, capture_output=True, check=False).returncode != 0
