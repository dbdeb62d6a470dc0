"""How large a pattern is, and how short a text it can match: asked before an engine unrolls its counts."""

from waza_engine.js_regex.syntax import Choice, Group, Look, Node, One, Repeat, Sequence


def size(node: Node) -> int:
    """The number of parts when everything that must be repeated is written out."""
    match node:
        case Sequence(parts) | Choice(parts):
            return 1 + sum(size(it) for it in parts)
        case Repeat(item, low):
            return 1 + size(item) * max(low, 1)
        case Group(item=item) | Look(item=item):
            return 1 + size(item)
        case _:
            return 1


def shortest(node: Node) -> int:
    """The fewest code units that a match consumes."""
    match node:
        case One():
            return 1
        case Sequence(items):
            return sum(shortest(it) for it in items)
        case Choice(options):
            return min(shortest(it) for it in options)
        case Repeat(item, low):
            return shortest(item) * low
        case Group(item=item):
            return shortest(item)
        case _:
            return 0
