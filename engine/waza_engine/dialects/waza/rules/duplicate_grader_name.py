"""A grader that overwrites the result of another grader in the same task.

## Why
waza stores results by grader name. If two graders share a name, including the eval's own graders, only the later one
counts towards the verdict and the score; the result of the earlier one is lost. The names `_output_contains`,
`_output_not_contains` and `_output_contains_any` are reserved for the checks under `expected`. Without such a check
the level is information.

## Example
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
tasks: ["tasks/*.yaml"]
graders:
  - type: text
    name: greets
    config:
      contains: [hello]
  - type: text
    name: greets
    config:
      contains: [world]
```

## Instead
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
tasks: ["tasks/*.yaml"]
graders:
  - type: text
    name: greets
    config:
      contains: [hello]
  - type: text
    name: greets-all
    config:
      contains: [world]
```
"""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Finding, Fix, Related, Rule, SetValue, Severity
from waza_engine.model.suite import EXPECTED_TEXTS
from waza_engine.project.document import Document
from waza_engine.project.names import free_name

DUPLICATE_GRADER_NAME = Rule(
    "duplicate-grader-name", "grader that overwrites another one's result", Severity.WARNING
)
APPLIES = frozenset(["eval", "task"])
_RESERVED = frozenset(f"_{it}" for it in EXPECTED_TEXTS)
_MOST_SHOWN = 3


class _Owner(NamedTuple):
    """A task: its place in its file, its data, and its file if that is not the eval's."""

    pointer: Pointer
    data: Mapping[str, Any]
    path: Path | None = None

    def checks(self, key: str) -> bool:
        """Whether the task has a check under `expected`."""
        expected = self.data.get("expected")
        return isinstance(expected, Mapping) and bool(expected.get(key))


def check(document: Document) -> Iterator[Finding]:
    if document.kind == "eval":
        names = [(index, name) for index, _, name in document.entry_results("graders", _name)]
        different = {it for _, it in names}
        if len(different) < len(names):
            # Most edits leave the names alone.
            source = names, _all_names(document)
            yield from document.as_before(check, source, lambda: [*_duplicates(document, (), {})])
        if different & _RESERVED:
            yield from _reserved_names(document, (), _tasks_of_suite(document))
    for task, data, _ in document.task_results(_may_collide):
        yield from _duplicates(document, task, document.once(_eval_names, lambda: _eval_names(document)))
        yield from _reserved_names(document, task, [_Owner(task, data)])


def _name(_: Document, grader: Mapping[str, Any]) -> str:
    name = grader.get("name")
    return name if isinstance(name, str) else ""


def _may_collide(document: Document, task: Mapping[str, Any]) -> bool:
    """Whether names of a task's graders are used twice, or by the eval, or are reserved."""
    entries = task.get("graders")
    graders = [it for it in entries if isinstance(it, Mapping)] if isinstance(entries, list) else []
    names = [name for it in graders if (name := _name(document, it))]
    inherited = document.once(_eval_names, lambda: _eval_names(document)) if names else {}
    return len({*names}) < len(names) or any(it in _RESERVED or it in inherited for it in names)


def _duplicates(document: Document, base: Pointer, inherited: Mapping[str, Related]) -> Iterator[Finding]:
    seen: dict[str, Pointer] = {}
    free: dict[str, str] = {}
    taken: set[str] = set()
    for pointer, grader in document.mappings(*base, "graders"):
        name = _name(document, grader)
        if not name:
            continue
        first = inherited.get(name)
        if first is None and name in seen:
            first = Related((*seen[name], "name"), "its result is lost")
        place = (*pointer, "name")
        if name in inherited and first is inherited[name]:
            if not _is_repeated(document, grader, first):
                # Tasks do that on purpose: their own check replaces the one for all.
                message = f"In this task, this grader replaces the eval's grader '{name}'"
                related, severity = [first], Severity.INFORMATION
                yield DUPLICATE_GRADER_NAME.at(place, message, related=related, severity=severity)
        elif first is not None:
            message = f"This grader overwrites the result of the grader '{name}' above. Give it another name"
            # Computed once: a long file may repeat many names, or one name often.
            taken = taken or {*inherited, *_all_names(document)}
            if name not in free:
                free[name] = free_name(name, taken)
            fixes = [_rename_fix(place, free[name])]
            yield DUPLICATE_GRADER_NAME.at(place, message, related=[first], fixes=fixes)
        seen.setdefault(name, pointer)


def _is_repeated(document: Document, grader: Mapping[str, Any], first: Related) -> bool:
    """Whether a task's grader says word for word what the eval's grader says: then both results are the same."""
    suite = document.suite
    entries: Any = (
        document.value("graders") if document.kind == "eval" else suite and suite.eval.get("graders")
    )
    return bool(entries[int(first.pointer[1])] == grader)


def _all_names(document: Document) -> set[str]:
    return {name for _, _, name in document.grader_results(_name)}


def _rename_fix(place: Pointer, free: str) -> Fix:
    """Rename the grader to a name that no other grader has, including those further down."""
    return Fix(f"Change to '{free}'", (SetValue(place, free),), preferred=True)


def _eval_names(document: Document) -> dict[str, Related]:
    """Return the names of the eval's graders, each with its place."""
    suite = document.suite
    entries: Any = (
        document.value("graders") if document.kind == "eval" else suite and suite.eval.get("graders")
    )
    path = suite.eval_path if document.kind == "task" and suite is not None else None
    taken: dict[str, Related] = {}
    for index, it in enumerate(entries if isinstance(entries, list) else ()):
        name = it.get("name") if isinstance(it, Mapping) else None
        if isinstance(name, str) and name:
            taken.setdefault(name, Related(("graders", index, "name"), "its result is lost", path))
    return taken


def _reserved_names(document: Document, owner: Pointer, tasks: Iterable[_Owner]) -> Iterator[Finding]:
    """Report graders with the name of a check under `expected`, which overwrites their result in the given tasks."""
    named = [
        (pointer, name.removeprefix("_"))
        for pointer, grader in document.mappings(*owner, "graders")
        if (name := _name(document, grader)) in _RESERVED
    ]
    checked = list(tasks) if named else []
    for pointer, key in named:
        places = [
            Related((*it.pointer, "expected", key), "this check", it.path) for it in checked if it.checks(key)
        ]
        fate = "overwrites the result of" if places else "would overwrite the result of"
        message = f"The check 'expected.{key}' {fate} '_{key}'. Rename the grader"
        place = (*pointer, "name")
        fix = _rename_fix(place, free_name(key, {*_RESERVED, *_all_names(document)}))
        severity = Severity.WARNING if places else Severity.INFORMATION
        yield DUPLICATE_GRADER_NAME.at(
            place, message, related=places[:_MOST_SHOWN], fixes=[fix], severity=severity
        )


def _tasks_of_suite(document: Document) -> Iterator[_Owner]:
    """Yield the tasks that the eval's graders apply to."""
    yield from (_Owner(it, data) for it, data in document.tasks())
    suite = document.suite
    yield from (_Owner((), it.data, it.path) for it in (suite.tasks if suite is not None else ()))
