"""Decide which names mean the same tool, for `allow_only` (docs/reference/waza-graders.md, section 5.11).

A module of its own because graders, executors and runs share it.
"""

from collections.abc import Iterable, Iterator

from waza_engine.lib.go.text import fold, trim

_SYNONYMS = {
    "readfile": "read",
    "fileread": "read",
    "view": "read",
    "writefile": "write",
    "filewrite": "write",
    "edit": "write",
    "runcommand": "bash",
    "web_fetch": "fetch",
}
_BUILT_IN = "builtin:"
_FOREIGN = ("mcp:", "custom:")


def is_same_tool(declared: str, observed: str) -> bool:
    """Whether a declared name means the tool that was called.

    A name with a prefix of foreign tools (`mcp:`, `custom:`) has no synonyms, but also means the name without prefix.
    """
    if canonical_name(declared) == canonical_name(observed):
        return True
    name = fold(trim(declared))
    bare = fold(trim(observed))
    prefix = next((it for it in _FOREIGN if name.startswith(it)), "")
    return bool(prefix) and not bare.startswith((_BUILT_IN, *_FOREIGN)) and name.removeprefix(prefix) == bare


def all_names(declared: Iterable[str]) -> Iterator[str]:
    """Yield the declared names and all their synonyms, for lists that are compared exactly."""
    for name in declared:
        canonical = canonical_name(name)
        yield name
        yield from (synonym for synonym, meaning in _SYNONYMS.items() if meaning == canonical)
        if canonical != fold(trim(name)):
            yield canonical


def canonical_name(name: str) -> str:
    """Return the name that all synonyms of a tool's name share."""
    known = fold(trim(name))
    if known.startswith(_FOREIGN):
        return known
    known = known.removeprefix(_BUILT_IN)
    return _SYNONYMS.get(known, known)
