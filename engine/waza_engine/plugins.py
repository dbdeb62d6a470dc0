"""Finds what other distributions add by entry points. Cheap, because the language server does it at start."""

import contextlib
import importlib
import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

GRADER_GROUP = "waza_lsp.graders"
"""The group of grader types: each entry names a `Grader` class."""
EXECUTOR_GROUP = "waza_lsp.executors"
"""The group of executors: each entry has the executor's name and names an `Executor` class (`executors/base.py`)."""
DIALECT_GROUP = "waza_lsp.dialects"
"""The group of dialects: each entry names a package, whose module `dialect` has the record `DIALECT`."""
MUTATION_GROUP = "waza_lsp.mutations"
"""The group of mutations for the audit: each entry names a `Mutation` class."""
_GROUPS = (GRADER_GROUP, EXECUTOR_GROUP, DIALECT_GROUP, MUTATION_GROUP)
_SCHEMA_EXPORT = "waza_engine.generate.schemas.export", "export"
"""The function that generates all schemas. Its layer is above those that read schemas, so it is imported by name."""


@cache
def has_plugins() -> bool:
    """Whether any distribution adds anything. Cached, because it scans everything that is installed."""
    return any(plugin_entry_points(it) for it in _GROUPS)


def plugin_entry_points(group: str) -> "list[EntryPoint]":
    """Return the entry points of a group without loading them."""
    # `importlib.metadata` takes longer to import than all schemas take to read, so it is imported only if a search of
    # the metadata files finds the name of a group.
    if group not in _declared_groups():
        return []
    from importlib.metadata import entry_points

    return list(entry_points(group=group))


def schemas_with_plugins() -> dict[str, dict[str, Any]]:
    """Generate all schemas by name, including plug-ins. This imports pydantic and all grader types."""
    module, name = _SCHEMA_EXPORT
    made: dict[str, dict[str, Any]] = getattr(importlib.import_module(module), name)()
    return made


@cache
def _declared_groups() -> frozenset[str]:
    """Return those of our groups that the metadata of any distribution contains."""
    return frozenset(it for text in _declared_entry_points() for it in _GROUPS if f"[{it}]" in text)


def _declared_entry_points() -> Iterator[str]:
    for folder in sys.path:
        with contextlib.suppress(OSError):
            for name in os.listdir(folder or "."):  # noqa: PTH208  # names are wanted, not paths
                if name.endswith((".dist-info", ".egg-info")):
                    with contextlib.suppress(OSError, UnicodeDecodeError):
                        yield Path(folder, name, "entry_points.txt").read_text(encoding="utf-8")
