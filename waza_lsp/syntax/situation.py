"""A place where something can be written: the word that features and the cursor have in common."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from waza_engine.findings import Pointer
from waza_lsp.syntax.text import Span


class At(StrEnum):
    """What would be written at a cursor."""

    KEY = "key"
    """A key of the map at the pointer."""
    VALUE = "value"
    """The value at the pointer, whatever its type."""
    ITEM = "item"
    """An item of the list at the pointer, with its dash."""
    ALIAS = "alias"
    """The name of an anchor."""


@dataclass(frozen=True, slots=True)
class Situation:
    """A place where something can be written.

    `data` is plain data along the pointer: beside the way to the place there are keys with one-line values only. A
    key at the cursor is left out of it. `span` is replaced, `typed` the part of it before the cursor. The first
    character of a key, dash or value comes to stand in `column`; `lead` has to be written before it to get there.
    """

    at: At
    pointer: Pointer
    data: Any
    span: Span
    typed: str = ""
    column: int = 0
    lead: str = ""
    close: str = ""
    """What must be written behind a value: the closing quote, or a blank before a comment."""
    comma: str = ""
    """What must be written behind all, because another entry follows in the same brackets."""
    quote: str = ""
    """The quotes that surround the span."""
    flow: bool = False
    has_colon: bool = False
    """The key at the cursor needs no colon."""
    has_children: bool = False
    """Deeper lines follow that would be the value of a key written here."""
    below: int | None = None
    """A value beside its key, which stands in this column: a map or list must start on a new line."""
    is_guess: bool = False
    """Meant only where nothing fits in the situations before it."""
