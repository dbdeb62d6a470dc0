"""What makes objects of messages: pygls's converter, with each class of the protocol made ready when it is first used."""

import attrs
from cattrs import Converter
from lsprotocol import _hooks, types
from pygls.protocol import default_converter

_RESOLVED = "_resolved_forward_references"
"""What lsprotocol keeps in mind; there is no public way to say so."""


def message_converter() -> Converter:
    """The converter of pygls.

    lsprotocol resolves the types of all its 554 classes whenever a process starts, a tenth of the time until the first
    hover, and a session meets a fifth of them. Where another version knows nothing of this flag, it does so as ever.
    """
    # One of its hooks is registered for the type of this field.
    _is_seen(types.NotebookCellTextDocumentFilter)
    before = getattr(_hooks, _RESOLVED, False)
    setattr(_hooks, _RESOLVED, True)
    converter: Converter = default_converter()  # type: ignore[no-untyped-call]  # the library gives no type
    # A converter that is made later, without our hook, needs the types of them all.
    setattr(_hooks, _RESOLVED, before)
    converter.register_structure_hook_func(_is_seen, _never)
    converter.register_unstructure_hook_func(_is_seen, _never)
    return converter


def _is_seen(met: type) -> bool:
    """Resolve the types of a class, for the hooks that are asked next: this one is for none."""
    if attrs.has(met) and met.__module__ == types.__name__:
        attrs.resolve_types(met, types.ALL_TYPES_MAP, {})
    return False


def _never(*_: object) -> None:
    raise AssertionError("a hook for no class was called")
