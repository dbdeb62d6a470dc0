"""Leave out features that another YAML server already provides (docs/coexistence.md).

Only features about YAML in general or from a JSON Schema are left out. Features that only this server has stay.
"""

from collections.abc import Set as AbstractSet
from typing import Any

from lsprotocol import types

from waza_engine.project.levels import Levels

FEATURES = {
    "diagnostics": "YAML syntax errors and duplicate keys",
    "schema": "errors that a JSON Schema finds: unknown and missing keys, wrong types and values",
    "completion": "keys, values and skeletons; paths, names and anchors are still offered",
    "hover": "the meaning of keys and values; grader types, paths, weights and names still have one",
    "symbols": "the outline",
    "folding": "folding",
    "selection": "expanding the selection",
    "definition": "from an alias to its anchor",
    "rename": "renaming anchors",
    "formatting": "formatting",
}
"""The names that `waza.beside` accepts, and what each leaves out."""

CODES = {
    "diagnostics": ("syntax-error", "duplicate-key"),
    "schema": (
        "unknown-key",
        "missing-key",
        "wrong-type",
        "unknown-value",
        "unknown-grader-type",
        "out-of-range",
        "bad-format",
        "empty-value",
    ),
}
_WHOLE = {
    "symbols": (types.TEXT_DOCUMENT_DOCUMENT_SYMBOL,),
    "folding": (types.TEXT_DOCUMENT_FOLDING_RANGE,),
    "selection": (types.TEXT_DOCUMENT_SELECTION_RANGE,),
}
_OURS = frozenset(
    [
        types.CompletionItemKind.File,
        types.CompletionItemKind.Folder,
        types.CompletionItemKind.Reference,
        types.CompletionItemKind.Variable,
    ]
)


def read_beside(value: Any) -> frozenset[str]:
    """Return the known names of a list. Anything else counts as an empty list."""
    names = value if isinstance(value, (list, tuple)) else ()
    return frozenset(it for it in names if is_feature(it))


def is_feature(value: Any) -> bool:
    """Whether a value is one of the names. Clients may send anything."""
    return isinstance(value, str) and value in FEATURES


def levels(beside: AbstractSet[str]) -> Levels:
    """Return the levels that turn findings off which another server reports."""
    return dict.fromkeys(code for name, codes in CODES.items() if name in beside for code in codes)


def whole_requests(beside: AbstractSet[str]) -> list[str]:
    """Return the requests that only the other server answers."""
    return [method for name, methods in _WHOLE.items() if name in beside for method in methods]


def own_items(found: types.CompletionList | None, beside: AbstractSet[str]) -> types.CompletionList | None:
    """Return the completion items that only this server offers."""
    if found is None or "completion" not in beside:
        return found
    return types.CompletionList(found.is_incomplete, [it for it in found.items if it.kind in _OURS])
