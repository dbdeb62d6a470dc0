"""What is wrong with a text that is not YAML: in words, where, and what the author seems to have done."""

from dataclasses import dataclass
from enum import StrEnum

from waza_lsp.syntax.text import Place, Span


class Cause(StrEnum):
    """What the author did, as far as the text tells."""

    DASH = "no blank after a dash"
    COLON = "no blank after a colon"
    TAB = "tab in the indentation"
    BLANKS = "blanks in the indentation, or behind a dash or colon, that are no blanks to YAML"
    QUOTE = "quote without its end"
    BRACKET = "bracket without its end"
    HALF_KEY = "key without a colon"
    INDENTATION = "line in no column of its neighbours"
    TEXT_AFTER = "text after a complete value"
    SECOND_COLON = "colon in a value"
    FIRST_CHARACTER = "character that cannot start a value"
    ESCAPE = "unknown escape in double quotes"
    TEMPLATE = "template without quotes"
    SHALLOW_BLOCK = "text of a block in the column of its key"
    BLOCK_LINE = "text on the line of the mark that begins a block"
    FORBIDDEN = "character that YAML does not allow"
    OTHER = "something else"


@dataclass(frozen=True, slots=True)
class Problem:
    """A syntax problem: what is wrong and what to do, and where (relative to its piece)."""

    message: str
    span: Span
    cause: Cause = Cause.OTHER


def on_line(message: str, line: int, columns: tuple[int, int], cause: Cause) -> Problem:
    """A problem with a stretch of one line."""
    return Problem(message, Span(Place(line, columns[0]), Place(line, columns[1])), cause)
