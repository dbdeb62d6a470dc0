"""Settings: parsing, and their documentation page."""

import json
import re
from pathlib import Path

import pytest

from waza_engine.model.findings import Severity
from waza_lsp.generate.extension import MANIFEST
from waza_lsp.generate.settings_page import PAGE, page, with_settings
from waza_lsp.server.settings import Settings, read_settings

ROOT = Path(__file__).parents[2]
COMMAND = "run: python -m waza_lsp.generate"


def test_the_page_and_the_manifest_are_those_of_the_code() -> None:
    assert (ROOT / PAGE).read_text("utf-8") == page(), COMMAND
    committed = (ROOT / MANIFEST).read_text("utf-8")
    assert committed == with_settings(committed), COMMAND
    # A link beside a setting is not looked for where the manifest is.
    settings = json.loads(committed)["contributes"]["configuration"]["properties"]
    told = [it.get("markdownDescription", "") for it in settings.values()]
    assert not re.findall(r"\]\((?!https:)", "".join(told))


def test_the_manifest_keeps_what_is_the_clients() -> None:
    kept = {"type": "string", "default": ""}
    before = {
        "name": "x",
        "contributes": {
            "commands": [],
            "configuration": {"title": "waza", "properties": {"waza.server.path": kept, "waza.gone": kept}},
        },
    }
    after = json.loads(with_settings(json.dumps(before)))
    properties = after["contributes"]["configuration"]["properties"]
    assert properties["waza.server.path"] == kept
    assert "waza.gone" not in properties
    assert properties["waza.lens.run"]["default"] is True
    assert after["contributes"]["commands"] == []


def test_nothing_set() -> None:
    nothing: list[object] = [None, {}, [], {"rules": None}, {"lens": []}]
    for values in nothing:
        assert read_settings(values) == (Settings(), [])


def test_what_is_no_section_is_reported() -> None:
    assert read_settings("x") == (Settings(), ["Setting waza must be an object; it is ignored"])
    assert read_settings({"lens": 1, "rules": {}}) == (
        Settings(),
        ["Setting waza.lens must be an object; it is ignored"],
    )


def test_values_that_fit() -> None:
    values = {
        "lens": {"run": False},
        "run": {"executor": "mock"},
        "rules": {"unknown-key": "off", "wrong-type": "hint"},
    }
    settings, problems = read_settings(values)
    assert problems == []
    assert (settings.lens_run, settings.run_executor, settings.run_model) == (False, "mock", "")
    assert settings.rules == {"unknown-key": None, "wrong-type": Severity.HINT}


def test_a_value_that_does_not_fit_costs_only_itself() -> None:
    values: dict[str, object] = {
        "lens": {"run": "no"},
        "run": {"executor": 1, "model": "m"},
        "rules": ["off"],
    }
    settings, problems = read_settings(values)
    assert settings == Settings(run_model="m")
    assert problems == [
        "Setting waza.rules must map codes to levels, such as cannot-fail = 'off'; it is ignored",
        "Setting waza.lens.run must be true or false; true is used",
        "Setting waza.run.executor must be a string; it is ignored",
    ]


def test_runs_get_the_sandbox_and_the_variables_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WAZA_LSP_PASS_ENV", "FIRST")
    values = {"run": {"passEnvironment": ["MY_KEY", "AZURE_*"], "sandbox": "bwrap", "sandboxNetwork": False}}
    settings, problems = read_settings(values)
    assert problems == []
    assert settings.run_environment == {
        "WAZA_LSP_PASS_ENV": "FIRST,MY_KEY,AZURE_*",
        "WAZA_LSP_SANDBOX": "bwrap",
        "WAZA_LSP_SANDBOX_NETWORK": "off",
    }
    monkeypatch.delenv("WAZA_LSP_PASS_ENV")
    assert Settings().run_environment == {}


def test_an_unknown_sandbox_is_handed_on_so_that_runs_refuse_it() -> None:
    settings, _ = read_settings({"run": {"sandbox": "bwarp", "passEnvironment": "MY_KEY"}})
    assert settings.run_environment == {"WAZA_LSP_SANDBOX": "bwarp", "WAZA_LSP_SANDBOX_NETWORK": "on"}
