"""Set up waza-lsp for the action: an environment with the pinned dependencies, and the action's own checkout in it.

Nothing is built, and no dependency is resolved: versions and hashes are those of the extension's server. Writes the path of
its Python and of a new folder for the reports to GITHUB_OUTPUT.
"""

import os
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

_ROOT = Path(__file__).parents[1]
_LOCKED = _ROOT / "editor-client/vscode/server/requirements.txt"
_PIP = (
    "-m",
    "pip",
    "install",
    "--quiet",
    "--disable-pip-version-check",
    "--no-input",
    "--only-binary",
    ":all:",
)


def main() -> None:
    """Create the environment and tell the next steps where it is."""
    work = Path(tempfile.mkdtemp(prefix="waza-lsp-", dir=os.environ.get("RUNNER_TEMP")))
    venv.create(work / "venv", with_pip=True)
    python = work / "venv" / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    subprocess.run([python, *_PIP, "--require-hashes", "--no-deps", "-r", _LOCKED], check=True)
    if wanted := _extras(os.environ.get("EXTRAS", "").replace(",", " ").split()):
        subprocess.run([python, *_PIP, "--", *wanted], check=True)
    where = subprocess.run(
        [python, "-I", "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        check=True,
        capture_output=True,
        text=True,
    )
    paths = f"{_ROOT}\n{_ROOT / 'engine'}\n"
    Path(where.stdout.strip(), "waza_lsp_action.pth").write_text(paths, encoding="utf-8")
    with Path(os.environ["GITHUB_OUTPUT"]).open("a", encoding="utf-8") as output:
        output.write(f"python={python}\nfolder={work / 'evals'}\n")


def _extras(names: list[str]) -> list[str]:
    """Return the packages of our extras."""
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    known: dict[str, list[str]] = project["optional-dependencies"]
    if unknown := [it for it in names if it not in known]:
        sys.exit(
            f"::error::Unknown extras. Known are {', '.join(known)}; {len(unknown)} of the input are not"
        )
    return [package for it in names for package in known[it]]


if __name__ == "__main__":
    main()
