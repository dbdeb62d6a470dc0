"""One way to mend text that is not YAML."""

from typing import NamedTuple

from waza_lsp.syntax.edits import Edit


class Repair(NamedTuple):
    """One way to mend a problem. Its edits count from the first line of the piece.

    One that is a guess is meant only where the schema knows the key that it makes.
    """

    title: str
    edits: tuple[Edit, ...]
    safe: bool = False
    is_guess: bool = False
