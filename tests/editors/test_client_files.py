"""Files for editors that cannot be started here agree with the server: its command, its files, its settings."""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.editors.workspaces import CLIENTS
from waza_engine.lib.yaml.reader import read_yaml

_ROOT = Path(__file__).parents[2]
_COMMAND = ["waza-lsp", "serve"]
_MARKS = {".git", ".waza.yaml"}


def _json(name: str) -> Any:
    return json.loads((CLIENTS / name).read_text(encoding="utf-8"))


def _capabilities() -> dict[str, Any]:
    text = (_ROOT / "waza_lsp/server/startup/capabilities.json").read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)["capabilities"]
    return found


def test_emacs_does_not_wait_for_commands_that_exist() -> None:
    source = (CLIENTS / "emacs" / "waza-lsp.el").read_text(encoding="utf-8")
    listed = re.search(r"waza-lsp-run-commands '\(([^)]*)\)", source)
    assert listed is not None
    names = set(re.findall(r'"([^"]+)"', listed.group(1)))
    assert {"waza.runTask", "waza.runEval", "waza.runFailed", "waza.grade"} <= names
    assert names <= set(_capabilities()["executeCommandProvider"]["commands"])


def test_jetbrains_maps_yaml_files_to_the_server() -> None:
    template = _json("jetbrains/template.json")
    assert template["programArgs"]["default"].split() == _COMMAND
    (mapping,) = template["fileTypeMappings"]
    assert mapping == {"fileType": {"patterns": ["*.yaml", "*.yml"]}, "languageId": "yaml"}
    assert _json("jetbrains/initializationOptions.json") == {}


def test_sublime_kate_and_coc_start_the_server_for_yaml() -> None:
    sublime = _json("sublime/LSP.sublime-settings")["clients"]["waza-lsp"]
    assert (sublime["command"], sublime["selector"]) == (_COMMAND, "source.yaml")
    kate = _json("kate/lsp.json")["servers"]["yaml"]
    assert kate["command"] == _COMMAND
    coc = _json("vim/coc-settings.json")["languageserver"]["waza-lsp"]
    assert [coc["command"], *coc["args"]] == _COMMAND
    assert coc["filetypes"][0] == "yaml"
    assert set(kate["rootIndicationFileNames"]) == set(coc["rootPatterns"]) == _MARKS


def test_zed_starts_the_server_that_its_settings_name() -> None:
    folder = CLIENTS / "zed"
    extension = tomllib.loads((folder / "extension.toml").read_text(encoding="utf-8"))
    package = tomllib.loads((folder / "Cargo.toml").read_text(encoding="utf-8"))
    settings = _json("zed/settings.json")
    ((server, about),) = extension["language_servers"].items()
    assert (server, about["languages"], extension["schema_version"]) == ("waza-lsp", ["YAML"], 1)
    assert server in settings["languages"]["YAML"]["language_servers"]
    assert server in settings["lsp"]
    assert package["lib"]["crate-type"] == ["cdylib"]
    source = (folder / "src" / "lib.rs").read_text(encoding="utf-8")
    assert f'PROGRAM: &str = "{_COMMAND[0]}"' in source
    assert f'vec!["{_COMMAND[1]}".to_string()]' in source


def test_mason_installs_the_package_and_the_program_of_this_project() -> None:
    project = tomllib.loads((_ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    text = (CLIENTS / "neovim" / "mason-package.yaml").read_text(encoding="utf-8")
    package = read_yaml(text)
    assert package["source"]["id"].startswith(f"pkg:pypi/{project['name']}@")
    assert package["bin"] == {"waza-lsp": f"pypi:{project['name']}"}
    assert package["bin"].keys() <= project["scripts"].keys()
    assert (CLIENTS / "neovim" / "lsp" / f"{package['neovim']['lspconfig']}.lua").is_file()


def _settings() -> Iterator[tuple[str, Any]]:
    yield "jetbrains", _json("jetbrains/settings.json")
    yield "kate", _json("kate/lsp.json")["servers"]["yaml"]["settings"]
    yield "coc", _json("vim/coc-settings.json")["languageserver"]["waza-lsp"]["settings"]
    yield "zed", _json("zed/settings.json")["lsp"]["waza-lsp"]["settings"]
    yield "sublime", _json("sublime/LSP.sublime-settings")["clients"]["waza-lsp"]["settings"]


@pytest.mark.parametrize(("editor", "settings"), [pytest.param(*it, id=it[0]) for it in _settings()])
def test_settings_exist_and_have_their_default(editor: str, settings: dict[str, Any]) -> None:
    """A file that is taken over as it is changes nothing."""
    manifest = _json("vscode/package.json")["contributes"]["configuration"]["properties"]
    flat = settings if editor == "sublime" else dict(_flat("", settings))
    assert flat
    assert flat == {name: manifest[name]["default"] for name in flat}


def _flat(above: str, value: Any) -> Iterator[tuple[str, Any]]:
    if not isinstance(value, dict):
        yield above, value
        return
    for key, item in value.items():
        yield from _flat(f"{above}.{key}" if above else key, item)
