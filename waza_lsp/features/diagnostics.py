"""`textDocument/publishDiagnostics`: a document's findings as LSP diagnostics."""

from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache

from lsprotocol import types

from waza_engine.addresses import rule_page
from waza_engine.checking.levels import Levels
from waza_engine.findings import Severity
from waza_engine.rules.unknown_grader_type import UNKNOWN_GRADER_TYPE
from waza_lsp.schema.check import marks
from waza_lsp.schema.form import Form
from waza_lsp.schema.mark import Mark
from waza_lsp.schema.related import places_elsewhere
from waza_lsp.schema.suppress import not_suppressed
from waza_lsp.schema.world import World
from waza_lsp.schema.written_diagnostic import members, related
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.inside import part_of
from waza_lsp.syntax.text import written as written_range

SOURCE = "waza-lsp"

_MOST = 5_000
_SEVERITIES = {
    Severity.ERROR: 1,
    Severity.WARNING: 2,
    Severity.INFORMATION: 3,
    Severity.HINT: 4,
}
_TAGS = {"unused": 1, "deprecated": 2}
"""As LSP numbers them."""


def findings(snapshot: Snapshot, world: World) -> list[Mark]:
    """What people want to hear of a document, in the order of the text; nothing of a file that is no eval."""
    form = snapshot.form
    if form is None or world.excluded:
        return []
    found = marks(snapshot.tree, form, world)
    kept = not_suppressed(found, snapshot.tree, snapshot.text.lines, complete=world.complete)
    if world.target:
        kept = list(_seen_by(kept, form, world.target))
    if world.extra_types:
        kept = list(_with_extra_types(kept, snapshot, world.extra_types))
    kept = [_pointed(it, snapshot) if it.finding.part is not None else it for it in kept]
    return list(_at_levels(kept, world.levels)) if world.levels else kept


def _pointed(mark: Mark, snapshot: Snapshot) -> Mark:
    """The mark with the part of its text that is at fault; what an alias stands for is written elsewhere."""
    part = mark.finding.part if not snapshot.text.slice(mark.span).startswith(("*", "<<")) else None
    found = part_of(snapshot.text.lines, mark.span.start, part) if part is not None else None
    return mark._replace(part=found) if found is not None else mark


def diagnostics(snapshot: Snapshot, world: World) -> "list[types.Diagnostic]":
    """The document's findings as the client gets them."""
    return [_diagnostic(snapshot, it, world) for it in _few(findings(snapshot, world))]


Writings = dict[int, tuple[Mark, str]]
"""What was written last of a document, by the identity of what it was made of."""


def written_diagnostics(snapshot: Snapshot, world: World, last: Writings | None = None) -> list[str]:
    """The same, each as JSON: of a long document there are many at every edit, and they go out as they are.

    `last` is brought up to date. A mark that is the same object says the same: pieces that an edit did not touch, and
    that stand where they stood, keep theirs.
    """
    known = last if last is not None else {}
    marks = _few(findings(snapshot, world))
    written = [
        before[1] if (before := known.get(id(it))) is not None else _written(snapshot, it, world)
        for it in marks
    ]
    if last is not None:
        # What stands in other files may move there.
        now = {id(it): (it, text) for it, text in zip(marks, written, strict=True) if not it.finding.related}
        last.clear()
        last.update(now)
    return written


def _few(found: list[Mark]) -> list[Mark]:
    """As many as an editor bears, the gravest wherever they stand; the last one says how many there are."""
    if len(found) <= _MOST:
        return found
    by_weight = sorted(range(len(found)), key=lambda at: _SEVERITIES[found[at].finding.severity])
    *kept, last = [found[at] for at in sorted(by_weight[:_MOST])]
    more = f"{len(found) - _MOST} more findings are shown once some of these are mended"
    return [*kept, last._replace(finding=replace(last.finding, message=f"{last.finding.message}. {more}"))]


def _written(snapshot: Snapshot, mark: Mark, world: World) -> str:
    it, text = mark.finding, snapshot.text
    about = _about(it.code, it.severity, it.message, it.rule.tags)
    if not it.related and not mark.related:
        return f'{{"range":{text.written(mark.shown)},{about}}}'
    places = [(snapshot.uri, text.written(span), said) for span, said in mark.related]
    if any(other.path is not None for other in it.related):
        found = places_elsewhere(it, world.files, text.encoding)
        places += [(path.as_uri(), written_range(span), said) for path, span, said in found]
    return f'{{"range":{text.written(mark.shown)},{about}{related(places)}}}'


@lru_cache(maxsize=4096)
def _about(code: str, severity: Severity, message: str, tags: frozenset[str]) -> str:
    """All but the place."""
    return members(
        {
            "severity": _SEVERITIES[severity],
            "code": code,
            "codeDescription": {"href": rule_page(code)},
            "source": SOURCE,
            "message": message,
            "tags": [_TAGS[it] for it in sorted(tags)] or None,
        }
    )


def _with_extra_types(found: list[Mark], snapshot: Snapshot, names: frozenset[str]) -> Iterator[Mark]:
    """Where plug-ins add grader types (`x-open`), nothing is said of those that are named, and less of the others."""
    for mark in found:
        if mark.finding.rule is UNKNOWN_GRADER_TYPE:
            pointer = mark.in_document.pointer
            schema, located = snapshot.schema_at(pointer), snapshot.tree.find(pointer)
            if schema is not None and located is not None and "x-open" in schema:
                if located.node.source in names:
                    continue
                if mark.finding.severity is not Severity.ERROR:
                    mark = mark._replace(finding=replace(mark.finding, severity=Severity.HINT))  # noqa: PLW2901  # the same, said lower
        yield mark


def _seen_by(found: list[Mark], form: Form, target: str) -> Iterator[Mark]:
    for mark in found:
        seen = form.seen_by(mark.in_document, target)
        if seen is not None:
            changed = replace(mark.finding, severity=seen.severity, message=seen.message)
            yield mark._replace(finding=changed)


def _at_levels(found: list[Mark], levels: Levels) -> Iterator[Mark]:
    for mark in found:
        level = levels.get(mark.finding.code, mark.finding.severity)
        if level is mark.finding.severity:
            yield mark
        elif level is not None:
            yield mark._replace(finding=replace(mark.finding, severity=level))


def _diagnostic(snapshot: Snapshot, mark: Mark, world: World) -> "types.Diagnostic":
    finding = mark.finding
    here = (
        types.DiagnosticRelatedInformation(types.Location(snapshot.uri, snapshot.range(span)), text)
        for span, text in mark.related
    )
    elsewhere = (
        types.DiagnosticRelatedInformation(types.Location(path.as_uri(), span), text)
        for path, span, text in places_elsewhere(finding, world.files, snapshot.text.encoding)
    )
    return types.Diagnostic(
        range=snapshot.range(mark.shown),
        message=finding.message,
        severity=types.DiagnosticSeverity(_SEVERITIES[finding.severity]),
        code=finding.code,
        code_description=types.CodeDescription(rule_page(finding.code)),
        source=SOURCE,
        tags=[types.DiagnosticTag(_TAGS[it]) for it in sorted(finding.rule.tags)] or None,
        related_information=[*here, *elsewhere] or None,
    )
