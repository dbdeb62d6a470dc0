"""Names for graders of vally, whose files and results may have one name several times.

See docs/reference/vally.md, sections 5 and 6.
"""

from collections import Counter
from collections.abc import Iterator, Sequence


def names_apart(names: Sequence[str]) -> Iterator[str]:
    """The names, in order: of several alike each after the first gets a number, and none that another one has."""
    taken, seen = set(names), Counter[str]()
    for label in names:
        seen[label] += 1
        name = label
        while seen[label] > 1 and (name := f"{label} ({seen[label]})") in taken:
            seen[label] += 1
        taken.add(name)
        yield name
