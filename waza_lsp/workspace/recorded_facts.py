"""Hover paragraphs (Markdown) from recorded runs: what a pattern matches, how a check ended, the last scores.

The schema names the text that a pattern applies to (`x-applies-to`). Nothing is executed here.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence, Set
from typing import Any, NamedTuple

from waza_engine.analysis.schema.navigate import DISCRIMINATOR, Schema, schema_at
from waza_engine.lib.go.regexp import regex_error, regex_span
from waza_engine.lib.pointer import Pointer
from waza_engine.runs.recordings.preview import RecordingPreview, VerdictPreview
from waza_lsp.schema.describe import data_along
from waza_lsp.schema.markup import escaped
from waza_lsp.schema.type_words import code
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.tree.located import Located
from waza_lsp.syntax.tree.node import Kind
from waza_lsp.workspace.workspace import WorkspaceFiles

_CONTEXT_CHARS = 30
"""The number of characters shown on either side of a match."""
_MAX_MATCH = 80
_MAX_TASKS = 5


def _js_span(pattern: str, text: str) -> tuple[int, int] | None:
    # Imported late, here and below: it loads a regular expression engine, and the server must start fast.
    from waza_engine.lib.js_regex import js_span

    return js_span(pattern, text)


def _js_error(pattern: str) -> object:
    from waza_engine.lib.js_regex import js_error

    return js_error(pattern)


_FIND_SPAN: Mapping[str, Callable[[str, str], tuple[int, int] | None]] = {
    "regex": regex_span,
    "regex-js": _js_span,
}
_FIND_ERROR: Mapping[str, Callable[[str], object]] = {"regex": regex_error, "regex-js": _js_error}


def recorded_facts(
    snapshot: Snapshot, located: Located, workspace: WorkspaceFiles, failed_tasks: Set[str] = frozenset()
) -> Iterator[str]:
    """Return what the last recorded runs say about a value, except failures of `failed_tasks`, which are shown already."""
    form, node = snapshot.form, located.node
    if form is None or node.kind is not Kind.SCALAR or not node.source:
        return
    data = data_along(snapshot.tree, located.pointer)
    schema = schema_at(form.schema, located.pointer, data)
    language = str(schema.get("x-language", "")) if schema is not None else ""
    if schema is None or not (language or "x-limit" in schema):
        return
    if schema.get("x-limit") == "metric":
        yield from _metric_facts(snapshot, located.pointer, workspace)
        return
    trials = _recorded_trials(snapshot, workspace)
    if language in _FIND_SPAN:
        if not located.on_key:
            subjects = _subjects(snapshot, form.schema, located.pointer, data, schema, trials)
            # The count over all tasks is still useful if some of them did not fail.
            if not subjects.texts.keys() <= failed_tasks:
                yield from _match_facts(language, str(node.source), subjects)
    elif trials:
        trials = [it for it in trials if not language or it.task not in failed_tasks]
        yield from _outcome_facts(snapshot, form.schema, located.pointer, data, trials, whole=not language)


def _metric_facts(snapshot: Snapshot, pointer: Pointer, workspace: WorkspaceFiles) -> Iterator[str]:
    """Return the last value of the metric that a threshold belongs to. The schema says which key names the metric."""
    schema, eval_path = snapshot.schema_at(pointer[:-1]), workspace.eval_path(snapshot)
    if schema is None or eval_path is None:
        return
    named = (snapshot.tree.find((*pointer[:-1], key)) for key in schema.get("x-title-from", ()))
    name = next((str(it.node.source) for it in named if it is not None), "")
    value = workspace.metric_values(eval_path).get(name)
    if value is not None:
        yield f"Last value: **{value:.4g}**."


def _recorded_trials(snapshot: Snapshot, workspace: WorkspaceFiles) -> list[RecordingPreview]:
    """Return the last recorded trials of a document: those of its own task, or of all tasks of its eval."""
    form = snapshot.form
    eval_path = workspace.eval_path(snapshot)
    if eval_path is None or form is None:
        return []
    trials = workspace.recordings(eval_path)
    if not trials or form.runnable != "task":
        return list(trials)
    located = snapshot.tree.find((str(form.schema.get("x-id-from", "id")),))
    return [it for it in trials if located is not None and it.task == located.node.source]


class _Subjects(NamedTuple):
    """The texts that a pattern applies to, per task, and what kind of text they are."""

    what: str
    texts: Mapping[str, Sequence[str]]


def _subjects(
    snapshot: Snapshot,
    root: Schema,
    pointer: Pointer,
    data: Any,
    schema: Schema,
    trials: list[RecordingPreview],
) -> _Subjects:
    """Return the texts that a pattern applies to, as the schema says. Of several trials, the first counts."""
    applies = schema.get("x-applies-to")
    if applies == "output":
        return _Subjects("output", {it.task: (it.output,) for it in reversed(trials)})
    if applies == "file":
        name = _sibling_file(snapshot, root, pointer[:-2], data)
        return _Subjects(name, {it.task: (it.files[name],) for it in reversed(trials) if name in it.files})
    if schema.get("x-reference") == "tool":
        return _Subjects("tools", {it.task: it.tools for it in reversed(trials)})
    return _Subjects("", {})


def _sibling_file(snapshot: Snapshot, root: Schema, pointer: Pointer, data: Any) -> str:
    """Return the file that the mapping at a pointer names."""
    holder = schema_at(root, pointer, data)
    keys = holder.get("properties", {}) if holder is not None else {}
    named = (snapshot.tree.find((*pointer, key)) for key, it in keys.items() if "x-path" in it)
    return next((it.node.source for it in named if it is not None), "")


def _match_facts(language: str, pattern: str, subjects: _Subjects) -> Iterator[str]:
    what, texts = subjects
    if not texts or _FIND_ERROR[language](pattern) is not None:
        return
    from waza_engine.lib.js_regex import TooSlowError

    try:
        found = {
            task: _excerpt(text, place)
            for task, them in texts.items()
            for text in reversed(them)
            if (place := _FIND_SPAN[language](pattern, text)) is not None
        }
    except TooSlowError:
        return
    recorded = f"last recorded {what}" if what in {"output", "tools"} else f"last recorded {code(what)}"
    if len(texts) == 1:
        task = next(iter(texts))
        start = f"ound in the {recorded} of {code(task)}"
        yield f"F{start}: {found[task]}" if found else f"Not f{start}."
        return
    yield f"Found in the {recorded} of {len(found) or 'none'} of {len(texts)} tasks."
    if found:
        shown = [f"- {code(task)}: {text}" for task, text in list(found.items())[:_MAX_TASKS]]
        more = [f"- and {len(found) - _MAX_TASKS} more"] if len(found) > _MAX_TASKS else []
        yield "\n".join([*shown, *more])


def _excerpt(text: str, place: tuple[int, int]) -> str:
    """Return the match as code, with the text before and after it on its line."""
    start, end = place
    match = text[start:end].replace("\n", "⏎")
    shown = (
        code(match if len(match) <= _MAX_MATCH else match[:_MAX_MATCH] + "…") if match else "(empty string)"
    )
    before = text[max(0, start - _CONTEXT_CHARS) : start].rpartition("\n")[2]
    after = text[end : end + _CONTEXT_CHARS].partition("\n")[0]
    return f"{escaped(before)}{shown}{escaped(after)}"


def _outcome_facts(
    snapshot: Snapshot,
    root: Schema,
    pointer: Pointer,
    data: Any,
    trials: list[RecordingPreview],
    *,
    whole: bool,
) -> Iterator[str]:
    """Return the last result of the check at a pointer; with `whole`, the score of its grader."""
    entry = _grader_entry(root, pointer, data)
    if entry is None:
        return
    lines: list[str] = []
    for task, verdicts in _verdicts(snapshot, entry, trials).items():
        if whole:
            lines.append(f"- {code(task)}: {_scores(verdicts)}")
        else:
            outcomes = Counter(_outcome(it, pointer[len(entry) :]) for it in verdicts)
            parts = (f"{text} ({count} of {len(verdicts)} trials)" for text, count in outcomes.items())
            lines.append(
                f"- {code(task)}: " + (", ".join(parts) if len(outcomes) > 1 else next(iter(outcomes)))
            )
    if lines:
        title = "Last scores of this grader:" if whole else "Last run:"
        more = [f"- and {len(lines) - _MAX_TASKS} more tasks"] if len(lines) > _MAX_TASKS else []
        yield "\n".join([title, "", *lines[:_MAX_TASKS], *more])


def _grader_entry(root: Schema, pointer: Pointer, data: Any) -> Pointer | None:
    """Return the pointer of the grader entry (one with a discriminator) that contains a pointer."""
    for end in range(len(pointer), 0, -1):
        schema = schema_at(root, pointer[:end], data)
        if schema is not None and DISCRIMINATOR in schema:
            return pointer[:end]
    return None


def _verdicts(
    snapshot: Snapshot, entry: Pointer, trials: list[RecordingPreview]
) -> dict[str, list[VerdictPreview]]:
    """Return the verdicts of the grader at `entry`, per task. A grader with another name does not count."""
    found: dict[str, list[VerdictPreview]] = {}
    located = snapshot.tree.find((*entry, "name"))
    name = located.node.source if located is not None else ""
    for trial in trials:
        for it in trial.verdicts:
            if it.path == snapshot.path and it.pointer == entry and (not name or it.name == name):
                found.setdefault(trial.task, []).append(it)
    return found


def _outcome(verdict: VerdictPreview, inside: Pointer) -> str:
    for it in verdict.failed:
        if it.pointer in {inside, inside[1:]}:
            return f"**not true**; {escaped(it.found)}" if it.found else "**not true**"
    return "the grader ended with an error" if verdict.status == "error" else "**true**"


def _scores(verdicts: list[VerdictPreview]) -> str:
    return ", ".join(f"**{it.score:.2f}**" for it in verdicts)
