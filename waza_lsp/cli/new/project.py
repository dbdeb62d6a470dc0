"""The project of the working directory: its dialect, and its folders of evals and skills."""

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from waza_engine.lib.files.safe_read import regular_bytes
from waza_engine.lib.paths import is_inside
from waza_engine.lib.yaml.reader import YamlError, read_yaml
from waza_engine.lib.yaml.scalars import plain
from waza_engine.recognition.recognise import default_dialect, dialects

_MAX_BYTES = 1_000_000


def project_dialect() -> str:
    """Return the dialect whose project file is the nearest, else the default one."""
    found = _nearest()
    return found[0] if found is not None else default_dialect().name


def project_folder(kind: Literal["evals", "skills"]) -> Path:
    """Return the folder that the project file sets below `paths`, else the usual one.

    A folder outside of the project is not used: the file may come with a repository.
    """
    found = _nearest()
    if found is None:
        return Path(kind)
    root = found[1].parent
    given = _paths(found[1]).get(kind)
    first = given[0] if isinstance(given, list) and given else given
    chosen = root / first if isinstance(first, str) and first else root / kind
    return Path(os.path.relpath(chosen if is_inside(chosen, root) else root / kind))


def _nearest() -> tuple[str, Path] | None:
    """Return the dialect and path of the nearest project file."""
    for folder in (Path.cwd(), *Path.cwd().parents):
        for it in dialects():
            if it.project_file and (folder / it.project_file).is_file():
                return it.name, folder / it.project_file
    return None


def _paths(path: Path) -> Mapping[str, object]:
    try:
        data = plain(read_yaml(regular_bytes(path, _MAX_BYTES).decode("utf-8-sig")))
    except (OSError, UnicodeDecodeError, YamlError):
        return {}
    paths = data.get("paths") if isinstance(data, Mapping) else None
    return paths if isinstance(paths, Mapping) else {}
