"""`waza.exportSchemas {directory?}`: the JSON Schemas as files, for editors and CI without this server.

Nothing of the workspace has a say in what is written, and the user asks for it: it is done in workspaces that are not
trusted, too. Where it is written is another matter: folders and links there may be somebody else's.
"""

import asyncio
import json
import os
from pathlib import Path
from typing import Any

from waza_lsp.server.app import WazaServer
from waza_lsp.server.given import given, text_in


async def export_schemas(server: WazaServer, *arguments: Any) -> dict[str, Any] | None:
    """Write the schemas; answers where they are. A relative directory is one of the workspace."""
    root = server.folders[0] if server.folders else Path.cwd()
    target = _cleaned(root / (text_in(given(arguments), "directory") or "schemas"))
    # A path that leads elsewhere by its own words is the user's choice.
    bounds = root if target.is_relative_to(root) else target
    try:
        count = await asyncio.to_thread(_write, target, bounds)
    except (OSError, ValueError) as error:
        server.say(f"The schemas cannot be written to {target}: {error}")
        return None
    return {"directory": str(target), "count": count}


def _cleaned(path: Path) -> Path:
    return Path(os.path.normpath(path))


def _write(target: Path, bounds: Path) -> int:
    from waza_engine.schema_files import published_schema, schema_names
    from waza_engine.written_places import refuse_elsewhere

    paths = {name: target / f"{name}.schema.json" for name in schema_names()}
    for path in paths.values():
        refuse_elsewhere(path, bounds)
    for name, path in paths.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        text = json.dumps(published_schema(name), indent=2, ensure_ascii=False) + "\n"
        path.write_text(text, encoding="utf-8")
    return len(paths)
