"""What a grader entry has that waza could not read apart from the file, as its reader sees it."""

from collections.abc import Iterator, Mapping

from waza_engine.model.findings import Finding
from waza_lsp.syntax.tree.node import Kind, Node


def apart(entry: Node, anchors: Mapping[str, Node]) -> Iterator[Finding]:
    """The findings point into the entry."""
    if not any(_is_doubtful(it) for it in entry.walk()):
        return
    # Imported late: nearly all files do without.
    from waza_engine.lib.yaml.roundtrip import config_problems
    from waza_engine.rules.unreadable_config import unreadable_config
    from waza_lsp.syntax.tree.engine_nodes import compose

    data = entry.data(dict(anchors))
    for problem in config_problems(compose(entry, anchors)):
        yield unreadable_config(problem, data)


def _is_doubtful(node: Node) -> bool:
    return node.kind is Kind.ALIAS or (node.flow and any(value.is_empty for _, value in node.pairs))
