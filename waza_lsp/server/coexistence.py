"""What another YAML server already gives beside us, which we then leave out (docs/coexistence.md).

Only what is said about YAML in general, or from a JSON Schema, is left out; what only we know stays.
"""

from collections.abc import Set as AbstractSet
from typing import Any

from lsprotocol import types

from waza_engine.checking.levels import Levels

FEATURES = {
    "diagnostics": "mistakes of YAML syntax and keys that stand twice",
    "schema": "what a JSON Schema finds: unknown and missing keys, wrong types and values",
    "completion": "keys, values and skeletons; paths, names and anchors are still offered",
    "hover": "the meaning of keys and values; grader types, paths, weights and names still have one",
    "symbols": "the outline",
    "folding": "folding",
    "selection": "expanding the selection",
    "definition": "from an alias to its anchor",
    "rename": "renaming anchors",
    "formatting": "formatting",
}
"""The names that `waza.beside` takes, and what each leaves out."""

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
    """The known names of a list; anything else counts as empty."""
    names = value if isinstance(value, (list, tuple)) else ()
    return frozenset(it for it in names if is_feature(it))


def is_feature(value: Any) -> bool:
    """Whether it is one of the names; clients may send anything."""
    return isinstance(value, str) and value in FEATURES


def levels(beside: AbstractSet[str]) -> Levels:
    """The findings that are left out."""
    return dict.fromkeys(code for name, them in CODES.items() if name in beside for code in them)


def whole_requests(beside: AbstractSet[str]) -> list[str]:
    """The requests that are left to the other server altogether."""
    return [method for name, methods in _WHOLE.items() if name in beside for method in methods]


def own_items(found: types.CompletionList | None, beside: AbstractSet[str]) -> types.CompletionList | None:
    """The completion items that only we have."""
    if found is None or "completion" not in beside:
        return found
    return types.CompletionList(found.is_incomplete, [it for it in found.items if it.kind in _OURS])
