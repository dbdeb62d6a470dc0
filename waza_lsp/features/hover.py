"""`textDocument/hover`: the meaning of the key or value under the cursor.

The text comes from the schema, with facts from other files. Unknown keys, free names, comments and multi-line text
have no hover.
"""

from collections.abc import Iterator, Sequence, Set
from typing import NamedTuple

from lsprotocol import types

from waza_engine.lib.links import manual_page
from waza_engine.reports.inert import visible
from waza_lsp.schema.describe import NO_EXAMPLE, Meaning, Option, meaning_of, meaning_of_value
from waza_lsp.schema.markup import fenced, plain_text
from waza_lsp.schema.type_words import code
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.cursor.rows import row_of
from waza_lsp.syntax.edit.emit import block, flow
from waza_lsp.syntax.text import Place, Span
from waza_lsp.syntax.tree.anchors import anchor_of_alias, anchored_text
from waza_lsp.syntax.tree.located import Located
from waza_lsp.syntax.tree.node import Kind
from waza_lsp.workspace.audit_notes import AuditNote, audit_paragraphs
from waza_lsp.workspace.hover_facts import CheckFailure, RunNote, failure_paragraphs, hover_facts
from waza_lsp.workspace.template_facts import template_fact
from waza_lsp.workspace.workspace import WorkspaceFiles

_MAX_LINES = 30
_MAX_WIDTH = 80


class HoverNotes(NamedTuple):
    """What runs and audits found at a position: failed checks, whose recorded lines come first, and other notes."""

    failed: Sequence[CheckFailure] = ()
    audited: Sequence[AuditNote] = ()
    of_runs: Sequence[RunNote] = ()

    def paragraphs(self) -> list[str]:
        """Return what the hover says about them."""
        failures = (it for one in self.failed for it in failure_paragraphs(one))
        return [*failures, *audit_paragraphs(self.audited), *(it.text for it in self.of_runs)]

    def spans(self) -> list[Span]:
        """Return the text that each of them is about."""
        return [it.span for them in self for it in them]


_NO_NOTES = HoverNotes()


def hover(
    snapshot: Snapshot,
    position: types.Position,
    workspace: WorkspaceFiles,
    notes: HoverNotes = _NO_NOTES,
    *,
    generic: bool = True,
    markdown: bool = True,
) -> types.Hover | None:
    """Return the hover at a position. Without `generic`, plain keys and values are left to another YAML server.

    Without `markdown`, the text is plain.
    """
    if snapshot.form is None:
        return None
    place = snapshot.place(position)
    if (template := template_fact(snapshot, place)) is not None and not notes.failed:
        kind = types.MarkupKind.Markdown if markdown else types.MarkupKind.PlainText
        text = template.text if markdown else plain_text(template.text)
        return types.Hover(types.MarkupContent(kind, text), snapshot.range(template.span))
    located = snapshot.tree.at(place) or _key_before(snapshot, place)
    if located is not None and _is_long(located):
        located = None
    tasks = {it.task for it in notes.failed}
    known = [] if located is None else [*_explanation(snapshot, located, place, workspace, generic, tasks)]
    paragraphs = notes.paragraphs()
    paragraphs += ["---", *known] if paragraphs and known else known
    if not paragraphs:
        return None
    text = visible("\n\n".join(paragraphs))
    return types.Hover(
        contents=types.MarkupContent(types.MarkupKind.Markdown, text)
        if markdown
        else types.MarkupContent(types.MarkupKind.PlainText, plain_text(text)),
        range=snapshot.range(_span(located) if located is not None and known else notes.spans()[0]),
    )


def _explanation(
    snapshot: Snapshot,
    located: Located,
    place: Place,
    workspace: WorkspaceFiles,
    generic: bool,
    failed_tasks: Set[str],
) -> Iterator[str]:
    """Return the paragraphs from the schema and from other files."""
    meaning = _meaning(snapshot, located)
    if meaning is not None and (generic or meaning.page):
        yield from _paragraphs(meaning)
    if generic:
        yield from _alias_target(snapshot, located)
    yield from hover_facts(snapshot, located, place, workspace, failed_tasks=failed_tasks)


def _key_before(snapshot: Snapshot, place: Place) -> Located | None:
    """Return the key before the cursor if its value is missing."""
    line = snapshot.text.line(place.line)
    before = line[: place.column].rstrip()
    if not before.endswith(":") or line[place.column :].strip():
        return None
    key = Place(place.line, len(before[:-1].rstrip()))
    if not before[:-1].strip() and place.line:
        above = row_of(place.line - 1, snapshot.text.line(place.line - 1), 1)
        key = Place(above.line, above.key_end) if above.explicit and above.mark == len(before) - 1 else key
    located = snapshot.tree.at(key)
    return located if located is not None and located.on_key and located.node.is_empty else None


def _is_long(located: Located) -> bool:
    return not located.on_key and located.value.start.line < located.value.end.line


def _meaning(snapshot: Snapshot, located: Located) -> Meaning | None:
    if snapshot.form is None:
        return None
    schema, tree = snapshot.form.schema, snapshot.tree
    if not located.on_key and not located.node.is_empty:
        value = meaning_of_value(schema, tree, located.pointer)
        if value is not None:
            return value
    return meaning_of(schema, tree, located.pointer)


def _span(located: Located) -> Span:
    on_key = located.on_key or located.node.is_empty
    return located.key if located.key is not None and on_key else located.value


def _paragraphs(meaning: Meaning) -> Iterator[str]:
    yield _heading(meaning)
    if meaning.instead:
        yield f"Use {code(meaning.instead)} instead."
    if meaning.no_effect:
        yield "This key has no effect."
    if meaning.description:
        yield meaning.description
    yield from _contents(meaning)
    if meaning.example is not NO_EXAMPLE:
        yield _example(meaning)
    if page := meaning.page or meaning.place:
        yield f"[Manual]({manual_page(page)})"


def _heading(meaning: Meaning) -> str:
    facts = [
        meaning.type,
        "required" if meaning.required else "recommended" if meaning.recommended else "",
        f"since {meaning.since}" if meaning.since else "",
        *meaning.dates,
        "deprecated" if meaning.deprecated and not any("since" in it for it in meaning.dates) else "",
    ]
    return " · ".join([f"**{meaning.title}**", *filter(None, facts)])


def _contents(meaning: Meaning) -> Iterator[str]:
    """Return the allowed values, the score, and the options."""
    if any(meaning.values.values()):
        lines = (f"- {code(it)}: {text}" if text else f"- {code(it)}" for it, text in meaning.values.items())
        yield "\n".join(lines)
    if meaning.facts:
        yield "  \n".join(f"{it}." for it in meaning.facts)
    if meaning.score:
        yield f"**Score:** {meaning.score}"
    if meaning.options:
        yield _table(meaning.options)
    if meaning.others:
        yield "Other values: " + ", ".join(code(it) for it in meaning.others)


def _table(options: tuple[Option, ...]) -> str:
    rows = ["| option | type | meaning |", "| --- | --- | --- |"]
    for it in options:
        notes = ["required"] if it.required else []
        notes += [f"default {code(it.default)}"] if it.default else []
        notes += [f"since {it.since}"] if it.since else []
        cells = (code(it.name), ", ".join([it.type, *notes]), it.description.replace("\n", " "))
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(rows)


def _example(meaning: Meaning) -> str:
    line = f"{meaning.title}: {flow(meaning.example)}"
    if len(line) <= _MAX_WIDTH and "{" not in line and "\\n" not in line:
        return f"Example: {code(line)}"
    lines = "\n".join(block({meaning.title: meaning.example}))
    return f"Example:\n```yaml\n{lines}\n```"


def _alias_target(snapshot: Snapshot, located: Located) -> Iterator[str]:
    """Return the text that an alias refers to."""
    if located.node.kind is not Kind.ALIAS or located.on_key:
        return
    anchor = anchor_of_alias(snapshot.tree, snapshot.text, located.node.source, located.value.start)
    if anchor is not None:
        yield fenced(anchored_text(snapshot.text, anchor, _MAX_LINES), "yaml")
