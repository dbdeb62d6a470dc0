"""A real VS Code with a YAML and an Ansible extension that claim the same files."""

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.editors.vscode_host import running_vscode
from tests.editors.vscode_package import build_yaml_stand_in
from tests.editors.vscode_screen import open_window
from tests.editors.workspaces import FAILING_TASK, copy_of_example
from tests.editors.yaml_server import require_yaml_server

if TYPE_CHECKING:
    from playwright.async_api import Browser

pytestmark = [pytest.mark.editor, pytest.mark.slow, pytest.mark.asyncio(loop_scope="session")]


async def test_each_mistake_is_told_once_and_ansible_s_schema_stays_away(
    vsix: Path, browser: "Browser", shots: Path, tmp_path: Path
) -> None:
    server = require_yaml_server()
    home = tmp_path / "vscode"
    build_yaml_stand_in(home / "extensions")
    suite = copy_of_example(tmp_path)
    file = suite / FAILING_TASK
    text = file.read_text(encoding="utf-8").replace("regex_match:", "regex_mach:", 1)
    # Two mistakes: one that only we know, and one of YAML that both would tell.
    file.write_text(
        text.replace("tags: [python, explain]", "tags: [python, explain]\ntags: [again]"), "utf-8"
    )
    ansible = tmp_path / "ansible.json"
    ansible.write_text(json.dumps({"type": "array", "items": {"type": "object"}}), encoding="utf-8")
    settings = {
        "waza.server.interpreter": sys.executable,
        "yaml.schemas": {str(ansible): "**/tasks/*.yaml"},
        "yaml.schemaStore.enable": False,
    }
    environment = {"WAZA_TEST_YAML_SERVER": str(server)}
    with running_vscode(home, vsix, settings, environment=environment) as vscode:
        async with open_window(browser, vscode.page_url(suite, FAILING_TASK), shots) as screen:
            await screen.language("Ansible")
            await screen.problem("regex_mach")
            await screen.problem("Map keys must be unique")
            # The list is drawn anew whenever a server says something: both must have settled in it.
            told = await screen.problems_with("regex_mach", "Map keys must be unique")
            await screen.shot("beside")
            assert sum("regex_mach" in it for it in told) == 1
            assert sum("Map keys must be unique" in it for it in told) == 1
            # Ours about the same, and what a schema for Ansible would say.
            assert not any("duplicate-key" in it or "array" in it for it in told)
