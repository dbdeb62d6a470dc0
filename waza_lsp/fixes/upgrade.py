"""Find what a newer version of the runner breaks in a file, and apply the mechanical fixes.

The dated table of the dialect (`waza_engine.recognition.releases`) is the only source of what breaks: a file is checked
against the version that its project uses and against the newer one, and the difference is what breaks.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple

from waza_engine.analysis.pipeline import CheckContext
from waza_engine.analysis.schema.navigate import Schema
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.spelling import nearest
from waza_engine.model.findings import AppendItem, Fix, InsertKey, MoveKey, RemoveKey, Severity
from waza_engine.project.settings import read_target
from waza_engine.recognition.recognise import dialect, dialects, releases
from waza_engine.recognition.releases import is_newer
from waza_engine.rules.newer_than_target import NEWER_THAN_TARGET
from waza_lsp.diagnostics.pipeline import check_document
from waza_lsp.diagnostics.ranges import RangedFinding
from waza_lsp.fixes.fixes import AppliedFix, Solution, apply_fixes, solutions
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.edit.edits import Draft
from waza_lsp.syntax.text import Span

UPGRADE = "source.upgradeWorkspace.waza"
"""The kind of the code action."""
_OLDEST = "0"
"""Older than every release: without a target, everything that any version broke counts."""
_RANKS = {it: rank for rank, it in enumerate(reversed(Severity))}


class UpgradeError(Exception):
    """The version cannot be upgraded to. The message says why."""


class Goal(NamedTuple):
    """The version of a dialect's runner to upgrade to."""

    dialect: str
    version: str

    @classmethod
    def newest(cls) -> "list[Goal]":
        """Return the newest version of each dialect's runner."""
        return [cls(it.name, newest) for it in dialects() if (newest := releases(it.name).newest)]

    @classmethod
    def parse(cls, text: str) -> "Goal":
        """Read `DIALECT@VERSION`; without a version, the newest is meant.

        Raises:
            UpgradeError: the dialect has no dated table, or does not have this version yet.

        """
        name, _, wanted = text.partition("@")
        known = dict(cls.newest())
        if name not in known:
            close = nearest(name, list(known), most=1)
            guess = f". Did you mean '{close[0]}'?" if close else ""
            raise UpgradeError(f"'{name}' is not one of {', '.join(known)}{guess}")
        newest = known[name]
        if "@" not in text:
            return cls(name, newest)
        version, problems = read_target(wanted, "the version")
        if problems or not version:
            raise UpgradeError(f"'{wanted}' is not a version, such as {newest}")
        if is_newer(version, newest):
            raise UpgradeError(
                f"{name} {version} is unknown to this version of waza-lsp, which knows up to {newest}"
            )
        return cls(name, version)

    def is_after(self, version: str) -> bool:
        """Whether the goal is newer than a version of the same runner."""
        return is_newer(self.version, version)

    @property
    def pin(self) -> str:
        """The lines of `.waza-lsp.toml` that make this version the target of a project."""
        setting = f'target = "{self.version}"\n'
        return setting if dialect(self.dialect).is_default else f"[{self.dialect}]\n{setting}"


@dataclass(frozen=True, slots=True)
class UpgradedFile:
    """What a version breaks in a file.

    `remaining` are the findings that a person must solve; `after` is the text with the other ones fixed, and `removed`
    are sentences about values that the fixes dropped.
    """

    breaks: Sequence[RangedFinding]
    titles: Mapping[int, str] = field(default_factory=dict)
    """The title of the mechanical fix, by the index of its finding in `breaks`."""
    remaining: Sequence[RangedFinding] = ()
    after: Draft | None = None
    applied: Sequence[AppliedFix] = ()
    removed: Sequence[str] = ()


def breaks(snapshot: Snapshot, context: CheckContext, goal: Goal) -> list[RangedFinding]:
    """Return what the goal breaks in a document, compared with the version that its project uses."""
    form = snapshot.form
    if form is None or form.dialect != goal.dialect:
        return []
    present = context.target or _OLDEST
    if not goal.is_after(present):
        return []
    # The levels of the project must not hide what the runner refuses.
    context = replace(context, levels={})

    def found(target: str) -> list[RangedFinding]:
        return check_document(snapshot.tree, snapshot.text, form, replace(context, target=target))

    known: dict[Span, int] = {}
    for it in found(present):
        if it.finding.rule is not NEWER_THAN_TARGET:
            known[it.span] = max(known.get(it.span, 0), _RANKS[it.finding.severity])
    return [
        it
        for it in found(goal.version)
        if _is_break(it) and known.get(it.span, -1) < _RANKS[it.finding.severity]
    ]


def _is_break(mark: RangedFinding) -> bool:
    """Whether a finding says that the runner refuses the file, surely or probably."""
    finding = mark.finding
    is_probable = finding.rule.outdated or any(it.preferred for it in finding.fixes)
    return finding.severity is Severity.ERROR or (finding.severity is Severity.WARNING and is_probable)


def upgrade_file(snapshot: Snapshot, context: CheckContext, goal: Goal) -> UpgradedFile:
    """Return what the goal breaks in a document, and the text with all mechanical fixes."""
    form, found = snapshot.form, breaks(snapshot, context, goal)
    if form is None or not found:
        return UpgradedFile(found)
    start = Draft(snapshot.text, snapshot.tree)
    titles = {
        index: solution.title
        for index, it in enumerate(found)
        if (solution := mechanical_solution(it, start, form.schema)) is not None
    }
    dropped: dict[tuple[Pointer, str], str] = {}

    def find(draft: Draft) -> Sequence[RangedFinding]:
        return breaks(snapshot.with_text(draft.text, draft.tree), context, goal)

    def choose(mark: RangedFinding, draft: Draft, root: Schema) -> Solution | None:
        solution = mechanical_solution(mark, draft, root)
        if solution is not None:
            dropped.update(removed_values(mark, solution.title, draft))
        return solution

    end, applied = apply_fixes(start, form.schema, find, choose)
    return UpgradedFile(
        found,
        titles,
        find(end) if applied else found,
        end if applied else None,
        applied,
        tuple(dropped.values()),
    )


def mechanical_solution(mark: RangedFinding, draft: Draft, root: Schema) -> Solution | None:
    """Return the solution that needs no decision; None if a person must choose.

    A safe one comes first. The preferred one may be a guess, unless the table of releases made it, or it only removes
    what no version reads.
    """
    found = [it for it in solutions(mark, draft, root) if it.edits and not it.files]
    decided = {
        fix.title
        for fix in mark.finding.fixes
        if mark.finding.rule.outdated or all(isinstance(it, RemoveKey) for it in fix.changes)
    }
    preferred = (it for it in found if it.preferred and it.title in decided)
    return next((it for it in found if it.safe), next(preferred, None))


def removed_values(
    mark: RangedFinding, title: str, draft: Draft
) -> Iterator[tuple[tuple[Pointer, str], str]]:
    """Yield what a fix removes for good: its place with the fix's title, and a sentence."""
    for fix in mark.in_document.fixes:
        if fix.title == title:
            for pointer, value in _removed(fix, draft):
                note = f"'{'.'.join(map(str, pointer))}: {value}' was removed"
                yield (pointer, title), f"{note}: {mark.finding.message}"


def _removed(fix: Fix, draft: Draft) -> Iterator[tuple[Pointer, Any]]:
    """Yield what a fix removes and does not insert elsewhere."""
    inserted = [
        part
        for change in fix.changes
        if isinstance(change, AppendItem | InsertKey)
        for part in _values_in(change.value)
    ]
    moved = [it.pointer for it in fix.changes if isinstance(it, MoveKey)]
    for pointer in [it.pointer for it in fix.changes if isinstance(it, RemoveKey)]:
        if any(it[: len(pointer)] == pointer for it in moved):
            continue
        value = draft.tree.data()
        for part in pointer:
            value = value[part]
        if value in (None, "", [], {}):
            continue
        if value not in inserted and not (isinstance(value, list) and all(it in inserted for it in value)):
            yield pointer, value


def _values_in(value: Any) -> Iterator[Any]:
    """Yield a value and everything below it."""
    if value is not None:
        yield value
    for child in value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ():
        yield from _values_in(child)
