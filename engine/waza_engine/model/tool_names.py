"""One tool has several names: which of them mean the same (`allow_only`).

See docs/reference/waza-graders.md, section 5.11.
"""

from collections.abc import Iterable, Iterator

from waza_engine.lib.go.text import fold, trim

_SAME = {
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

    Names of foreign tools (`mcp:`, `custom:`) stay as they are; such a declared name also means the bare name.
    """
    if canonical(declared) == canonical(observed):
        return True
    name = fold(trim(declared))
    bare = fold(trim(observed))
    prefix = next((it for it in _FOREIGN if name.startswith(it)), "")
    return bool(prefix) and not bare.startswith((_BUILT_IN, *_FOREIGN)) and name.removeprefix(prefix) == bare


def names_of(declared: Iterable[str]) -> Iterator[str]:
    """Every name that the declared ones may have, for lists that compare by letter."""
    for it in declared:
        yield it
        yield from (name for name, meaning in _SAME.items() if meaning == canonical(it))
        if canonical(it) != fold(trim(it)):
            yield canonical(it)


def canonical(name: str) -> str:
    """The one name for all that mean the same tool."""
    known = fold(trim(name))
    if known.startswith(_FOREIGN):
        return known
    known = known.removeprefix(_BUILT_IN)
    return _SAME.get(known, known)
