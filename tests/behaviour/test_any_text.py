"""Read requests respond for any text, with properly nested ranges."""

import itertools
import random

import pytest
from lsprotocol import types

from tests.behaviour.harness import snapshot_of
from tests.behaviour.layout_harness import decoded, format_text
from tests.lenses import code_lens
from waza_lsp.features.definition import definition
from waza_lsp.features.document_highlight import document_highlight
from waza_lsp.features.document_link import document_link
from waza_lsp.features.document_symbol import document_symbol
from waza_lsp.features.folding_range import folding_range
from waza_lsp.features.hover import hover
from waza_lsp.features.inlay_hint import EnabledHints, inlay_hint
from waza_lsp.features.linked_editing_range import linked_editing_range
from waza_lsp.features.on_type_formatting import on_type_formatting
from waza_lsp.features.prepare_rename import prepare_rename
from waza_lsp.features.references import references
from waza_lsp.features.rename import rename
from waza_lsp.features.selection_range import selection_range
from waza_lsp.features.semantic_tokens import semantic_tokens
from waza_lsp.snapshot import Snapshot
from waza_lsp.workspace.workspace import WorkspaceFiles

SUITE = """\
name: &n notes
skill: *n
config: {trials_per_task: 1, executor: mock}
graders:
  - &g
    type: text
    name: "😀 one"
    config:
      contains: [a, 'b']
  - <<: *g
    type: diff
tasks:
  - tasks/*.yaml
  - id: t1
    inputs:
      prompt: |
        # text
        more
    requirements: [{id: R1, checks: [{scope: task, grader: one}]}]
# the end
"""
PIECES = [
    "\t",
    "- ",
    ": ",
    "[",
    "]",
    "{",
    "}",
    '"',
    "'",
    "|\n",
    "\n",
    "\r\n",
    "#",
    "&a ",
    "*a",
    "<<: ",
    "---\n",
    "😀",
    "? ",
]


@pytest.mark.parametrize("seed", range(60))
def test_every_request_answers(seed: int) -> None:
    chance = random.Random(seed)  # noqa: S311  # which texts are tried is no secret
    source = SUITE
    for _ in range(chance.randint(1, 4)):
        start = chance.randrange(len(source))
        end = start + chance.choice([0, 0, 1, 5, 30])
        source = source[:start] + chance.choice(PIECES) + source[end:]
    snapshot = snapshot_of(source)
    _check_ranges(snapshot)
    for _ in range(20):
        line = chance.randrange(len(snapshot.text.lines))
        _check_place(snapshot, types.Position(line, chance.randint(0, 40)))


def _check_ranges(snapshot: Snapshot) -> None:
    code_lens(snapshot)
    document_link(snapshot, WorkspaceFiles())
    format_text(str(snapshot.text))
    last = len(snapshot.text.lines)
    whole = types.Range(types.Position(0, 0), types.Position(last, 0))
    inlay_hint(snapshot, whole, WorkspaceFiles(), EnabledHints(defaults=True))
    tokens = decoded(semantic_tokens(snapshot))
    for (first, kind), (second, _) in itertools.pairwise(tokens):
        assert first.end <= second.start, kind
    count = len(snapshot.text.lines)
    assert all(0 <= it.start_line < it.end_line < count for it in folding_range(snapshot))
    waiting = list(document_symbol(snapshot))
    while waiting:
        symbol = waiting.pop()
        assert symbol.name
        assert _holds(symbol.range, symbol.selection_range)
        for child in symbol.children or ():
            assert _holds(symbol.range, child.range)
            waiting.append(child)


def _check_place(snapshot: Snapshot, position: types.Position) -> None:
    workspace = WorkspaceFiles()
    hover(snapshot, position, workspace)
    definition(snapshot, position, workspace)
    references(snapshot, position, workspace)
    linked_editing_range(snapshot, position)
    on_type_formatting(snapshot, position)
    renamable = prepare_rename(snapshot, position, workspace)
    if renamable is not None:
        assert rename(snapshot, position, "unheard-of", workspace) is not None
    document_highlight(snapshot, position)
    (step,) = selection_range(snapshot, [position])
    while step.parent is not None:
        assert _holds(step.parent.range, step.range)
        step = step.parent


def _holds(outer: types.Range, inner: types.Range) -> bool:
    return outer.start <= inner.start and inner.end <= outer.end
