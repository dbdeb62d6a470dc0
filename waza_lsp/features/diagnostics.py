"""`textDocument/publishDiagnostics`: a document's findings as LSP diagnostics."""

from dataclasses import replace
from functools import lru_cache
from typing import Any

from lsprotocol import types

from waza_engine.analysis.pipeline import CheckContext
from waza_engine.lib.links import rule_page
from waza_engine.lib.queries.disk import disk
from waza_engine.lib.queries.store import kept_fresh, made_of
from waza_engine.model.findings import Severity
from waza_lsp.diagnostics.json_writer import members_json, related_json
from waza_lsp.diagnostics.pipeline import check_document
from waza_lsp.diagnostics.ranges import RangedFinding, related_in_other_files
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Span, Text

SOURCE = "waza-lsp"

_MAX_FINDINGS = 5_000
_SEVERITIES = {
    Severity.ERROR: 1,
    Severity.WARNING: 2,
    Severity.INFORMATION: 3,
    Severity.HINT: 4,
}
_TAGS = {"unused": 1, "deprecated": 2}
"""The LSP numbers of severities and tags."""


def findings(snapshot: Snapshot, context: CheckContext) -> list[RangedFinding]:
    """Return the visible findings of a document in text order. A file that is not an eval file has none."""
    if snapshot.form is None or context.excluded:
        return []
    tree, text, form = snapshot.tree, snapshot.text, snapshot.form
    disk.look_if_due()
    # A new version changes inputs of the rules. Before the check, or its result would be out of date at once.
    form.document(snapshot.data, context.path, context.scope.process_dir, context.files)
    memory = made_of(snapshot.memory, findings, context, dict[Any, Any])
    found: list[RangedFinding] = kept_fresh(
        memory, findings, lambda: check_document(tree, text, form, context)
    ).value
    return found


def diagnostics(snapshot: Snapshot, context: CheckContext) -> "list[types.Diagnostic]":
    """Return the document's findings as LSP diagnostics."""
    return [_diagnostic(snapshot, it, context) for it in _most_severe(findings(snapshot, context))]


_MOST_OLD = 200
"""So many diagnostics of earlier versions may stay cached besides as many as there are now."""
DiagnosticJsonCache = dict[int, tuple[RangedFinding, str]]
"""The JSON of a document's last diagnostics, by the identity of their findings."""


def diagnostics_json(
    snapshot: Snapshot, context: CheckContext, last: DiagnosticJsonCache | None = None
) -> list[str]:
    """Return the diagnostics as JSON, because a long document has many at every edit.

    `last` is the cache of the previous call and is updated. Pieces that an edit neither changed nor moved keep their
    finding objects, so their JSON is reused.
    """
    known = last if last is not None else {}
    marks = _most_severe(findings(snapshot, context))
    result: list[str] = []
    for it in marks:
        before = known.get(id(it))
        if before is not None:
            result.append(before[1])
            continue
        text = _diagnostic_json(snapshot, it, context)
        result.append(text)
        # Related places in other files can move, so these are not cached.
        if not it.finding.related or all(one.path is None for one in it.finding.related):
            # With the finding, so that no other one gets its id.
            known[id(it)] = it, text
    if len(known) > 2 * len(marks) + _MOST_OLD:
        current = {id(it) for it in marks}
        for place in known.keys() - current:
            del known[place]
    return result


def written(snapshot: Snapshot, marks: list[RangedFinding]) -> list[str]:
    """Return findings of a file that is no eval file as JSON."""
    context = CheckContext()
    return [_diagnostic_json(snapshot, it, context) for it in marks]


def _most_severe(found: list[RangedFinding]) -> list[RangedFinding]:
    """Limit the findings to the most severe ones. The last one states how many are left out."""
    if len(found) <= _MAX_FINDINGS:
        return found
    by_weight = sorted(range(len(found)), key=lambda at: _SEVERITIES[found[at].finding.severity])
    *kept, last = [found[at] for at in sorted(by_weight[:_MAX_FINDINGS])]
    more = f"{len(found) - _MAX_FINDINGS} more findings appear once you fix some of these"
    return [*kept, last._replace(finding=replace(last.finding, message=f"{last.finding.message}. {more}"))]


def _diagnostic_json(snapshot: Snapshot, mark: RangedFinding, context: CheckContext) -> str:
    it = mark.finding
    about = _shared_members(it.code, it.severity, it.message, it.rule.tags)
    places = [
        (uri, text.range_json(span), said)
        for uri, text, span, said in _related_places(snapshot, mark, context)
    ]
    return f'{{"range":{snapshot.text.range_json(mark.highlight)},{about}{related_json(places)}}}'


@lru_cache(maxsize=4096)
def _shared_members(code: str, severity: Severity, message: str, tags: frozenset[str]) -> str:
    return members_json(_fields(code, severity, message, tags))


def _fields(code: str, severity: Severity, message: str, tags: frozenset[str]) -> dict[str, Any]:
    """Return the members of an LSP diagnostic, except its range and related places."""
    return {
        "severity": _SEVERITIES[severity],
        "code": code,
        "codeDescription": {"href": rule_page(code)},
        "source": SOURCE,
        "message": message,
        "tags": [_TAGS[it] for it in sorted(tags)] or None,
    }


def _related_places(
    snapshot: Snapshot, mark: RangedFinding, context: CheckContext
) -> list[tuple[str, Text, Span, str]]:
    """Return the places that explain a finding, this file first: URI, text, span, explanation."""
    own = [(snapshot.uri, snapshot.text, span, text) for span, text in mark.related]
    if not any(it.path is not None for it in mark.finding.related):
        return own
    elsewhere = related_in_other_files(mark.finding, context.files, snapshot.text.encoding)
    return [*own, *((path.as_uri(), text, span, said) for path, text, span, said in elsewhere)]


def _diagnostic(snapshot: Snapshot, mark: RangedFinding, context: CheckContext) -> "types.Diagnostic":
    it = mark.finding
    fields = _fields(it.code, it.severity, it.message, it.rule.tags)
    places = [
        types.DiagnosticRelatedInformation(types.Location(uri, text.range(span)), said)
        for uri, text, span, said in _related_places(snapshot, mark, context)
    ]
    return types.Diagnostic(
        range=snapshot.range(mark.highlight),
        message=fields["message"],
        severity=types.DiagnosticSeverity(fields["severity"]),
        code=fields["code"],
        code_description=types.CodeDescription(**fields["codeDescription"]),
        source=fields["source"],
        tags=[types.DiagnosticTag(tag) for tag in fields["tags"] or ()] or None,
        related_information=places or None,
    )
