"""Writes what people read about the settings: `docs/settings.md` and the `configuration` of the VS Code extension.

`python -m waza_lsp.server.settings_page` writes both in the working directory, a checkout; a test compares.
"""

import dataclasses
import json
import re
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from waza_engine.addresses import PAGES
from waza_lsp.server.settings import Settings, setting_of

PAGE = Path("docs/settings.md")
MANIFEST = Path("editor-client/vscode/package.json")
_OF_THE_CLIENT = ("waza.server.", "waza.trace.")
"""Settings that the extension itself has; they are kept as they stand in the manifest."""

_HEAD = """\
# Settings

The language server takes these from the editor, under `waza`. A value that cannot be used is reported, and the default
is used. In VS Code they stand in the settings editor, beside those of the [extension](../editor-client/vscode/README.md)
itself; in other editors they are the server's `settings`.

"""
_TAIL = """
A project says in a `.waza-lsp.toml`, or in the table `[tool.waza-lsp]` of its `pyproject.toml`, what counts for everybody who works
on it, in the editor and in `waza-lsp check`: see [Checking eval files](check.md#settings-of-a-project).
"""


def page() -> str:
    """The text of `docs/settings.md`."""
    rows = ["| setting | default | |", "| --- | --- | --- |"]
    rows += [
        f"| `{name}` | `{json.dumps(it['default'])}` | {it['markdownDescription']} |"
        for name, it in _properties()
    ]
    return _HEAD + "\n".join(rows) + "\n" + _TAIL


def manifest(before: str) -> str:
    """The text of `package.json` with the settings of today."""
    data: dict[str, Any] = json.loads(before)
    configuration = data["contributes"]["configuration"]
    kept = {name: it for name, it in configuration["properties"].items() if name.startswith(_OF_THE_CLIENT)}
    ours = {
        name: {**it, "markdownDescription": _linked(it["markdownDescription"]), "order": len(kept) + index}
        for index, (name, it) in enumerate(_properties())
    }
    configuration["properties"] = {**kept, **ours}
    return json.dumps(data, indent=2, ensure_ascii=False) + "\n"


def _linked(text: str) -> str:
    """The text with links that lead to our pages from wherever they are shown."""
    return re.sub(r"\]\((?=[\w-]+\.md)", f"]({PAGES}/", text)


def _properties() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each setting as the manifest has it."""
    defaults = Settings()
    for it in dataclasses.fields(Settings):
        setting = setting_of(it)
        yield (
            f"waza.{setting.name}",
            {
                **setting.schema,
                "default": getattr(defaults, it.name),
                "scope": "window",
                "markdownDescription": setting.description,
            },
        )


def write(root: Path) -> None:
    """Write both files of a checkout."""
    (root / PAGE).write_text(page(), encoding="utf-8")
    path = root / MANIFEST
    path.write_text(manifest(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    write(Path(sys.argv[1] if len(sys.argv) > 1 else "."))
