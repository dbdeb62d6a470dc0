"""The text of `docs/settings.md`, and the settings of the VS Code extension."""

import dataclasses
import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from waza_engine.lib.links import PAGES
from waza_lsp.server.settings import Settings, documentation_of

PAGE = Path("docs/settings.md")
_OF_THE_CLIENT = ("waza.server.", "waza.trace.")
"""The extension's own settings, which stay as they are in the manifest."""

_HEAD = """\
# Settings

The language server reads these settings from the editor, under `waza`. It reports an invalid value and uses the default.
In VS Code you find them in the settings editor, beside those of the [extension](../editor-client/vscode/README.md) itself.
In other editors they are the server's `settings`.

"""
_TAIL = """
Settings for everybody who works on a project go into its `.waza-lsp.toml`, or the table `[tool.waza-lsp]` of its
`pyproject.toml`. They apply in the editor and in `waza-lsp check`: see
[Checking eval files](check.md#settings-of-a-project).
"""


def page() -> str:
    """Return the text of `docs/settings.md`."""
    rows = ["| setting | default | |", "| --- | --- | --- |"]
    rows += [
        f"| `{name}` | `{json.dumps(data['default'])}` | {data['markdownDescription']} |"
        for name, data in _properties()
    ]
    return _HEAD + "\n".join(rows) + "\n" + _TAIL


def with_settings(before: str) -> str:
    """Return the text of `package.json` with the current settings."""
    data: dict[str, Any] = json.loads(before)
    configuration = data["contributes"]["configuration"]
    client_settings = {
        name: data for name, data in configuration["properties"].items() if name.startswith(_OF_THE_CLIENT)
    }
    ours = {
        name: {
            **data,
            "markdownDescription": _with_absolute_links(data["markdownDescription"]),
            "order": len(client_settings) + index,
        }
        for index, (name, data) in enumerate(_properties())
    }
    configuration["properties"] = {**client_settings, **ours}
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _with_absolute_links(text: str) -> str:
    """Replace links to our pages with absolute ones."""
    return re.sub(r"\]\((?=[\w-]+\.md)", f"]({PAGES}/", text)


def _properties() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Yield each setting as it is in the manifest."""
    defaults = Settings()
    for setting_field in dataclasses.fields(Settings):
        setting = documentation_of(setting_field)
        yield (
            f"waza.{setting.name}",
            {
                **setting.schema,
                "default": getattr(defaults, setting_field.name),
                "scope": "window",
                "markdownDescription": setting.description,
            },
        )
