"""Which server the extension starts, and how it installs its own: its code in Node, with a stand-in for VS Code and for uv."""

import json
import os
import shutil
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tests.editors.extension_modules import bundled, require_modules

pytestmark = pytest.mark.editor

STUB = Path(__file__).with_name("vscode_stub.cjs")
SYSTEM = "/usr/bin:/bin"


@pytest.fixture(scope="module")
def extension(tmp_path_factory: pytest.TempPathFactory) -> Path:
    require_modules()
    return bundled(tmp_path_factory.mktemp("server"), ["locate"], f"--alias:vscode={STUB}")


class SearchError(Exception):
    """The search for a server has ended with an error."""


@dataclass
class Machine:
    """A user's machine with a workspace."""

    extension: Path
    home: Path
    settings: dict[str, str] = field(default_factory=dict)
    environment: dict[str, str] = field(default_factory=dict)
    selected: str = ""
    trusted: bool = True

    @property
    def workspace(self) -> Path:
        return self.home / "workspace"

    @property
    def storage(self) -> Path:
        return self.home / "storage"

    @property
    def programs(self) -> Path:
        return self.home / "bin"

    @property
    def calls(self) -> list[str]:
        """The calls of uv."""
        log = self.home / "calls"
        return log.read_text(encoding="utf-8").splitlines() if log.exists() else []

    def locate(self, times: int = 1, search: str = "locateServer") -> Any:
        """Return what the search ends with; if it is done several times at once, a list."""
        scene = {
            "settings": self.settings,
            "selected": self.selected,
            "trusted": self.trusted,
            "folder": str(self.workspace),
        }
        places = {"bundle": str(self.home / "bundle"), "storage": str(self.storage)}
        script = f"""\
const {{ {search} }} = require({json.dumps(str(self.extension))});
const quiet = {{ info() {{}}, error() {{}} }};
const closing = {{ isCancellationRequested: false, onCancellationRequested: () => ({{ dispose() {{}} }}) }};
const places = {{ ...{json.dumps(places)}, log: quiet, closing }};
Promise.all(Array.from({{ length: {times} }}, () => {search}(places)))
  .then((found) => process.stdout.write(JSON.stringify(found)));
"""
        variables = {"PATH": f"{self.programs}:{SYSTEM}", **self.environment, "SCENE": json.dumps(scene)}
        node = shutil.which("node")
        assert node
        done = subprocess.run([node, "-e", script], env=variables, capture_output=True, check=False)
        if done.returncode:
            raise SearchError(done.stderr.decode())
        found = json.loads(done.stdout)
        return found if times > 1 else found[0]

    def bundle(self, version: str) -> None:
        folder = self.home / "bundle"
        folder.mkdir(exist_ok=True)
        (folder / "pip-26.3-py3-none-any.whl").touch()
        lock = f"attrs==26.1.0 --hash=sha256:0\n./waza_lsp-{version}-py3-none-any.whl --hash=sha256:0\n"
        (folder / "requirements.txt").write_text(lock, encoding="utf-8")

    def uv(self, pip: str = "", python: Path = Path("/bin/true")) -> None:
        """A stand-in for uv: it makes an environment with this Python; `pip` is what its installation does."""
        make = f'for it; do :; done; mkdir -p "$it/bin"; ln -s {python} "$it/bin/python"'
        script = f'echo "$*" >> {self.home}/calls; case "$1" in venv) {make};; pip) {pip or ":"};; esac'
        self.program(self.programs / "uv", script)

    def program(self, file: Path, script: str = "") -> Path:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(f"#!/bin/sh\n{script}\n", encoding="utf-8")
        file.chmod(0o755)
        return file


@pytest.fixture
def machine(extension: Path, tmp_path: Path) -> Machine:
    made = Machine(extension, tmp_path)
    made.bundle("1.0.0")
    made.uv()
    return made


@pytest.mark.parametrize("how", ["selected", "VIRTUAL_ENV", "CONDA_PREFIX", ".venv", "PATH"])
def test_a_server_in_the_environment_is_preferred(machine: Machine, how: str) -> None:
    environment = machine.workspace / ".venv" if how == ".venv" else machine.home / "environment"
    program = machine.program(environment / "bin" / "waza-lsp")
    if how == "selected":
        machine.selected = str(environment)
    elif how == "PATH":
        machine.environment = {"PATH": f"{program.parent}:{machine.programs}:{SYSTEM}"}
    elif how != ".venv":
        machine.environment = {how: str(environment)}
    found = machine.locate()
    assert (found["command"], found["isOurs"]) == (str(program), False)
    assert found["origin"] == f"from {program}"
    machine.settings = {"importStrategy": "useBundled"}
    assert machine.locate()["isOurs"]


@pytest.mark.parametrize("how", ["VIRTUAL_ENV", ".venv", "PATH"])
def test_nothing_inside_an_untrusted_workspace_is_started(machine: Machine, how: str) -> None:
    started = machine.home / "started"
    programs = machine.workspace / ".venv" / "bin"
    for name in ("waza-lsp", "python", "python3", "uv"):
        machine.program(programs / name, f": > {started}")
    if how == "VIRTUAL_ENV":
        machine.environment = {how: str(programs.parent)}
    elif how == "PATH":
        machine.environment = {how: f"{programs}:{machine.programs}:{SYSTEM}"}
    machine.trusted = False
    assert machine.locate()["isOurs"]
    assert not started.exists()
    machine.trusted = True
    assert not machine.locate()["isOurs"]


def test_settings_and_the_variable_come_first(machine: Machine) -> None:
    chosen, variable = machine.program(machine.home / "chosen"), machine.program(machine.home / "variable")
    machine.program(machine.programs / "waza-lsp")
    machine.environment = {"WAZA_LSP_SERVER": str(variable)}
    assert machine.locate()["command"] == str(variable)
    machine.settings = {"interpreter": str(chosen)}
    assert machine.locate()["args"] == ["-P", "-m", "waza_lsp", "serve"]
    machine.settings |= {"path": str(chosen)}
    assert machine.locate()["args"] == ["serve"]
    machine.settings = {"path": str(machine.home / "gone")}
    found = machine.locate()
    assert found["setting"] == "waza.server.path"
    assert "names no program" in found["problem"]


def test_the_server_is_installed_once_with_a_python_that_is_new_enough(machine: Machine) -> None:
    python = machine.program(
        machine.home / "environment" / "bin" / "python", "printf 'cpython\\n3\\n12\\n%s\\n' $0"
    )
    machine.environment = {"CONDA_PREFIX": str(python.parent.parent)}
    found = machine.locate()
    [made] = machine.storage.iterdir()
    assert made.name.startswith("1.0.0-")
    assert (found["command"], found["isOurs"]) == (str(made / "bin" / "python"), True)
    assert [it.partition(" ")[0] for it in machine.calls] == ["venv", "pip"]
    assert f"--python {python} " in machine.calls[0]
    assert machine.locate() == found
    assert len(machine.calls) == 2


def test_a_chosen_python_without_the_package_is_used_for_the_installation(machine: Machine) -> None:
    without = "[ $1 = -P ] && exit 1; printf 'cpython\\n3\\n%s\\n%s\\n' "
    chosen = machine.program(machine.home / "chosen", f"{without} 12 $0")
    automatic = machine.locate()
    machine.settings = {"interpreter": str(chosen)}
    found = machine.locate()
    assert found["isOurs"]
    assert found["command"] != automatic["command"]
    assert f"--python {chosen} " in machine.calls[2]
    assert machine.locate() == found

    shutil.rmtree(machine.storage)
    machine.program(chosen, f"{without} 10 $0")
    assert machine.locate() == {
        "problem": f"waza-lsp needs Python 3.11 or newer. You chose Python 3.10 ({chosen}).",
        "setting": "waza.server.interpreter",
    }


def test_a_failed_installation_leaves_nothing_behind(machine: Machine) -> None:
    # Neither uv nor the pip of the extension, whose wheel is empty.
    machine.uv(pip='echo "error: Hash mismatch for attrs"; exit 1')
    assert machine.locate() == {
        "problem": "The package index has another file than expected. Nothing was installed."
    }
    assert list(machine.storage.iterdir()) == []
    # Without the network, uv takes everything from its cache.
    machine.uv(pip='case "$*" in *--offline*) :;; *) echo "dns error"; exit 1;; esac')
    assert machine.locate()["isOurs"]


def test_two_windows_install_one_server(machine: Machine) -> None:
    machine.uv(pip="sleep 0.2")
    one, other = machine.locate(times=2)
    assert one == other
    [made] = machine.storage.iterdir()
    assert one["command"] == str(made / "bin" / "python")
    assert len(machine.calls) == 4
    # Asked to, they install it again, however their steps meet.
    first = made.stat().st_ino
    assert machine.locate(times=4, search="reinstallServer") == [one] * 4
    [again] = machine.storage.iterdir()
    assert again == made
    assert again.stat().st_ino != first


def test_an_update_of_the_extension_updates_the_server(machine: Machine) -> None:
    old = Path(machine.locate()["command"])
    remains = machine.storage / "1.0.0-0.partial"
    remains.mkdir()
    machine.bundle("1.1.0")
    new = Path(machine.locate()["command"])
    assert new.parents[1].name.startswith("1.1.0-")
    machine.locate()
    # Another window may still run it.
    assert old.exists()
    eight_days_ago = time.time() - 8 * 24 * 60 * 60
    for it in (old.parents[1], remains):
        os.utime(it, (eight_days_ago, eight_days_ago))
    machine.locate()
    assert list(machine.storage.iterdir()) == [new.parents[1]]


def test_what_the_user_has_added_comes_again_with_an_update(machine: Machine) -> None:
    log = machine.home / "installed"
    real = machine.program(machine.home / "real", f'exec {sys.executable} "$@"')
    machine.uv(python=real)
    assert "/1.0.0-" in machine.locate()["command"]
    machine.bundle("1.1.0")
    machine.uv(python=machine.program(machine.home / "recording", f'echo "$*" >> {log}'))
    updated = machine.locate()["command"]
    assert "/1.1.0-" in updated
    command = log.read_text(encoding="utf-8").split()
    assert command[:4] == ["-I", "-m", "pip", "install"]
    assert {"--no-deps", "--only-binary", f"pytest=={pytest.__version__}"} <= set(command)
    assert not [it for it in command if it.startswith(("attrs==", "waza"))]
    # A package that cannot be installed does not keep the server from starting.
    shutil.rmtree(Path(updated).parents[1])
    machine.bundle("1.2.0")
    machine.uv(python=machine.program(machine.home / "failing", "exit 1"))
    assert "/1.2.0-" in machine.locate()["command"]


def test_an_environment_whose_python_is_gone_is_made_again(machine: Machine) -> None:
    python = Path(machine.locate()["command"])
    python.unlink()
    python.symlink_to("/gone/python3")
    assert machine.locate()["command"] == str(python)
    assert python.exists()
    assert len(machine.calls) == 4


def test_an_incomplete_extension_is_reported(machine: Machine) -> None:
    (machine.home / "bundle" / "pip-26.3-py3-none-any.whl").unlink()
    with pytest.raises(SearchError, match="Reinstall the extension"):
        machine.locate()
