"""The names of graders that vally accepts since 0.16: kebab-case, short, unique in the stimulus.

A file of its own: the rule reports other names, and the conversion writes these. See docs/reference/vally-newest.md,
section 2.5.
"""

import re
import unicodedata
from collections.abc import Collection

MAX_LENGTH = 60
_LETTERS = str.maketrans(
    {"ß": "ss", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe", "ø": "o", "Ø": "O", "ł": "l", "Ł": "L"}
    | {"đ": "d", "Đ": "D", "ð": "d", "Ð": "D", "þ": "th", "Þ": "Th"}
)
"""Latin letters that Unicode does not decompose into a base letter and a mark."""
SLUG = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")


def slug_of(name: str, taken: Collection[str] = ()) -> str:
    """Return the kebab-case form of a name that no other grader has."""
    ascii_name = unicodedata.normalize("NFKD", name.translate(_LETTERS)).encode("ascii", "ignore").decode()
    # "saysHello" becomes "says-hello".
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", ascii_name)
    base = re.sub(r"[^a-z0-9]+", "-", spaced.lower()).strip("-") or "grader"
    base = _cut(base, MAX_LENGTH)
    number, slug = 1, base
    while slug in taken:
        number += 1
        slug = numbered(base, number)
    return slug


def numbered(slug: str, number: int) -> str:
    """Return the name with a number at its end, still short enough."""
    end = f"-{number}"
    return _cut(slug, MAX_LENGTH - len(end)) + end


def _cut(slug: str, most: int) -> str:
    """Return the slug without the words that do not fit; a single long word is cut."""
    if len(slug) <= most:
        return slug
    whole, dash, _ = slug[: most + 1].rpartition("-")
    return whole if dash else slug[:most]
