"""Whether a tree has the same data as the engine's loader reads, so that nobody has to read the text again.

Where only a reading of the whole text can tell (an error, an alias, a tag), it counts as different.
"""

from waza_engine.lib.queries.store import kept
from waza_lsp.syntax.tree.node import MOST_LEVELS, Kind, Node
from waza_lsp.syntax.tree.parse import Parsed
from waza_lsp.syntax.tree.piece import Piece
from waza_lsp.syntax.tree.split import PieceKind
from waza_lsp.syntax.tree.tree import Tree


def is_plain(tree: Tree) -> bool:
    """Whether the loader reads the same data. Duplicate keys of the top level are not looked for."""
    if tree.whole is not None or tree.is_ragged or tree.is_cut_off or tree.is_fillable or tree.has_alias:
        return False
    if tree.second_document >= 0 or tree.conflict >= 0 or tree.anchors or not tree.entries:
        return False
    return all(map(_is_plain_or_blank, tree.pieces))


def _is_plain_or_blank(piece: Piece) -> bool:
    parsed = piece.parsed
    if parsed.root is None:
        return piece.kind is PieceKind.SKIPPED and not parsed.problems
    return kept(parsed.root.memory, _is_plain_piece, lambda: _is_plain_piece(parsed))


def _is_plain_piece(parsed: Parsed) -> bool:
    root = parsed.root
    is_whole = not (
        parsed.problems
        or parsed.anchors
        or parsed.duplicates
        or parsed.templates
        or parsed.tags
        or parsed.merges
        or parsed.nested_keys
        or parsed.unterminated
        or parsed.stray_key
        or parsed.filled
    )
    return (
        is_whole and root is not None and all(_is_plain_node(it) for it in root.walk()) and _is_shallow(root)
    )


def _is_shallow(root: Node) -> bool:
    """Whether no value is nested so deeply that `Node.data` leaves it out; the loader reads more levels."""
    level = [root]
    for _ in range(MOST_LEVELS):
        level = [it for node in level for it in (*node.items, *(value for _, value in node.pairs))]
        if not level:
            return True
    return False


def _is_plain_node(node: Node) -> bool:
    """Whether nothing about a node could be read in another way in its document, or in the round trip of a config."""
    if node.kind is Kind.ALIAS or (node.flow and any(value.is_empty for _, value in node.pairs)):
        return False
    return all(
        key.kind is Kind.SCALAR and isinstance(key.value, str) and key.source != "<<" for key, _ in node.pairs
    )
