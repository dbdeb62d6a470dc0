"""Findings at graders that gave different verdicts on the same work."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from waza_engine.lib.pointer import Pointer
from waza_lsp.runnables.commands import Verdict
from waza_lsp.server.results.annotations.annotation import FLAKY_GRADER, Annotation, entry_span, short_span
from waza_lsp.server.results.annotations.annotations import Annotations
from waza_lsp.server.results.reader import LastResult
from waza_lsp.snapshot import Snapshot

_MOST_TASKS = 3
_Place = tuple[Path, Pointer]


def with_news(known: Verdict, stored: Verdict) -> Verdict:
    """Return a verdict that came with events, with what only the store knows."""
    return replace(
        known,
        tokens=stored.tokens,
        since_green=stored.since_green,
        flaky=stored.flaky,
        flaky_note=stored.flaky_note,
        quarantine=stored.quarantine,
    )


@dataclass(slots=True)
class FlakyFindings:
    """Shows the findings of evals, and replaces them when other runs tell something else."""

    annotations: Annotations
    _shown: dict[Path, Mapping[_Place, str]] = field(default_factory=dict)

    def show(self, eval_path: Path, tasks: Mapping[str, LastResult]) -> None:
        """Show the flaky graders of an eval. Those in files that have changed since the last run have no place."""
        messages = dict(_messages(tasks))
        if messages == self._shown.get(eval_path, {}):
            return
        self._shown[eval_path] = messages
        self.annotations.clear(lambda _, it: (it.code, it.eval_path) == (FLAKY_GRADER, eval_path))
        texts = {path: text for it in tasks.values() for path, text in it.texts.items()}
        for (path, pointer), message in messages.items():
            if text := texts.get(path):
                self.annotations.add(text, list(_annotations(text, pointer, message, eval_path)))


def _annotations(text: Snapshot, pointer: Pointer, message: str, eval_path: Path) -> Iterator[Annotation]:
    span = short_span(text, (*pointer, "type"), len(pointer))
    if span is not None:
        yield Annotation(span, message, FLAKY_GRADER, eval_path, cover=entry_span(text, pointer))


def _messages(tasks: Mapping[str, LastResult]) -> Iterator[tuple[_Place, str]]:
    from waza_engine.reports.flakiness import grader_text

    found: dict[_Place, list[tuple[str, str]]] = {}
    for task, result in tasks.items():
        for it in result.flaky_graders:
            if it.path is not None:
                found.setdefault((it.path, it.pointer), []).append((task, grader_text(it)))
    for place, its in found.items():
        more = len(its) - _MOST_TASKS
        lines = [f"{task}: {text}" for task, text in its[:_MOST_TASKS]]
        yield place, "\n".join(["Flaky grader.", *lines, *([f"and {more} more tasks"] if more > 0 else [])])
