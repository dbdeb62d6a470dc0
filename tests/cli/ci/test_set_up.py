"""The set-up of the action: pinned dependencies, the action's own checkout, and what the next steps learn."""

import runpy
import subprocess
import venv
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]


def _set_up(folder: Path, monkeypatch: pytest.MonkeyPatch, extras: str = "") -> list[list[str]]:
    """Run the script without creating or installing anything, and return the commands."""
    commands: list[list[str]] = []
    packages = folder / "site-packages"
    packages.mkdir()

    def run(command: list[Any], **_: Any) -> subprocess.CompletedProcess[str]:
        commands.append([str(it) for it in command])
        return subprocess.CompletedProcess(command, 0, f"{packages}\n")

    monkeypatch.setattr(venv, "create", lambda *_, **__: None)
    monkeypatch.setattr(subprocess, "run", run)
    for name, value in {
        "GITHUB_OUTPUT": str(folder / "output"),
        "RUNNER_TEMP": str(folder),
        "EXTRAS": extras,
    }.items():
        monkeypatch.setenv(name, value)
    runpy.run_path(str(ROOT / ".ci/set_up_action.py"), run_name="__main__")
    return commands


def test_dependencies_are_pinned_and_nothing_is_built(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install, _ = _set_up(tmp_path, monkeypatch)
    assert {"--require-hashes", "--no-deps", "--only-binary"} <= set(install)
    assert install[-1] == str(ROOT / "editor-client/vscode/server/requirements.txt")
    paths = (tmp_path / "site-packages/waza_lsp_action.pth").read_text(encoding="utf-8").splitlines()
    assert all(
        (Path(path) / name).is_dir() for path, name in zip(paths, ("waza_lsp", "waza_engine"), strict=True)
    )
    output = dict(it.split("=") for it in (tmp_path / "output").read_text(encoding="utf-8").splitlines())
    assert set(output) == {"python", "folder"}
    assert Path(output["folder"]).is_relative_to(tmp_path)


def test_extras_are_ours(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _, extras, _ = _set_up(tmp_path, monkeypatch, "copilot, mcp")
    assert extras[extras.index("--") + 1].startswith("github-copilot-sdk")
    (tmp_path / "other").mkdir()
    with pytest.raises(SystemExit, match="Unknown extras"):
        _set_up(tmp_path / "other", monkeypatch, "--index-url=https://evil.example")
