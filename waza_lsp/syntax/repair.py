"""One way to mend text that is not YAML."""

from typing import NamedTuple

from waza_lsp.syntax.edits import Edit


class Repair(NamedTuple):
    """One way to mend a problem. Its edits count from the first line of the piece."""

    title: str
    edits: tuple[Edit, ...]
    safe: bool = False
