"""The front matter of an open SKILL.md: the skill, and where its clauses are in the text."""

from bisect import bisect_right
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from waza_engine.lib.queries.store import derived
from waza_engine.model.file_names import SKILL_FILE
from waza_engine.project.skills import Skill
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.scalars import ScalarLine, scalar_lines
from waza_lsp.syntax.text import Place, Span
from waza_lsp.syntax.tree.located import Located
from waza_lsp.syntax.tree.node import Kind


@dataclass(frozen=True, slots=True)
class SkillText:
    """The skill of a document. Its description is as the text has it, with the line breaks and indentation of YAML.

    `place` is where lenses are: at `name`, or else at `description`.
    """

    skill: Skill
    place: Place
    lines: tuple[ScalarLine, ...] = ()

    def span(self, start: int, end: int) -> Span:
        """Return the span of the characters from `start` up to `end` of the description."""
        return Span(self._place_at(start), self._place_at(end))

    def _place_at(self, offset: int) -> Place:
        # One character for the break after each line.
        starts = [0, *accumulate(len(it.text) + 1 for it in self.lines)]
        number = min(bisect_right(starts, offset) - 1, len(self.lines) - 1)
        line = self.lines[number]
        return Place(line.line, line.columns[min(offset - starts[number], len(line.text))])


def is_skill_document(snapshot: Snapshot) -> bool:
    """Whether a document is a SKILL.md on disk."""
    return snapshot.path is not None and snapshot.path.name == SKILL_FILE


@derived
def skill_text(snapshot: Snapshot) -> SkillText | None:
    """Return the skill of a document; None if it is no SKILL.md, or its front matter has neither name nor description."""
    path = snapshot.path
    if path is None or path.name != SKILL_FILE:
        return None
    name, description = (snapshot.tree.find((key,)) for key in ("name", "description"))
    first = name or description
    if first is None:
        return None
    lines = tuple(_lines(snapshot, description))
    text = "\n".join(it.text for it in lines)
    place = first.key.start if first.key is not None else first.value.start
    return SkillText(Skill(path, _name(name, path), text), place, lines)


def _lines(snapshot: Snapshot, found: Located | None) -> list[ScalarLine]:
    if found is None or found.node.kind is not Kind.SCALAR or found.node.is_empty:
        return []
    # The span of a node counts from its piece.
    return [*scalar_lines(found.node, found.value.start.line - found.node.start.line, snapshot.text)]


def _name(found: Located | None, path: Path) -> str:
    text = found.node.source.strip() if found is not None and found.node.kind is Kind.SCALAR else ""
    return text or path.parent.name
