"""Check `never-applied` in tasks: limits under `expected.behavior`.

It is a hint if a `behavior` grader has the same limits, and under the mock executor, which calls no tools. See docs/reference/waza-formats.md, section 5.2.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from waza_engine.dialects.waza.generations.meanings import newest_meaning
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.findings import AppendItem, Finding, Fix, RemoveKey, Severity
from waza_engine.project.document import Document
from waza_engine.rules.never_applied import NEVER_APPLIED

APPLIES = frozenset(["task", "eval"])
_GRADER = "behavior"
_NAME = "within-limits"
_OPTIONS = {"max_response_time_ms": "max_duration_ms"}
"""The grader's names of limits that have another name under `expected`."""


def check(document: Document) -> Iterator[Finding]:
    for task, values in document.tasks_with("expected/behavior"):
        expected = values.get("expected")
        if not isinstance(expected, Mapping) or "behavior" not in expected:
            continue
        place = (*task, "expected", "behavior")
        remove = Fix("Remove 'behavior'", (RemoveKey(place),))
        message = "'behavior' has no effect: no version of waza checks it. "
        if _is_graded(expected["behavior"], document, values):
            message += f"A `{_GRADER}` grader has the same limits"
            yield NEVER_APPLIED.at(place, message, on="key", fixes=[remove], severity=Severity.HINT)
            continue
        yield NEVER_APPLIED.at(
            place,
            f"{message}Use a `{_GRADER}` grader",
            on="key",
            fixes=[*_as_grader(expected["behavior"], task), remove],
            severity=Severity.HINT if document.executor == "mock" else None,
        )


def _as_grader(limits: Any, task: Pointer) -> Iterator[Fix]:
    """Yield the fix that moves the limits to a grader, if it has an option for each."""
    kind = newest_meaning(_GRADER)
    if kind is None or not isinstance(limits, Mapping):
        return
    config = {_OPTIONS.get(str(key), str(key)): plain(value) for key, value in limits.items()}
    if config and config.keys() <= kind.model_fields.keys():
        entry = {"type": _GRADER, "name": _NAME, "config": config}
        changes = (
            RemoveKey((*task, "expected", "behavior"), comments_to=(*task, "expected")),
            AppendItem((*task, "graders"), entry),
        )
        yield Fix(f"Check these limits with a '{_GRADER}' grader", changes, preferred=True)


def _is_graded(limits: Any, document: Document, task: Mapping[str, Any]) -> bool:
    """Whether graders of the task or of its eval have all of the limits."""
    if not isinstance(limits, Mapping) or not limits:
        return False
    of_eval = document.value("graders") if document.kind == "eval" else None
    if document.kind == "task" and document.suite is not None:
        of_eval = document.suite.eval.get("graders")
    set_: dict[str, list[Any]] = {}
    for graders in (task.get("graders"), of_eval):
        for it in graders if isinstance(graders, list) else ():
            config = it.get("config") if isinstance(it, Mapping) and it.get("type") == _GRADER else None
            for key, value in config.items() if isinstance(config, Mapping) else ():
                set_.setdefault(str(key), []).append(value)
    return all(value in set_.get(_OPTIONS.get(str(key), str(key)), ()) for key, value in limits.items())
