"""A form from older versions of waza, or from its older documentation.

## Why
Newer versions of waza do not know this form: they refuse the file, or fail after the agent has run. waza-lsp still
understands most of these forms, so the level is information. It is an error where runs refuse the form, and a warning
where graders are silently never applied.

## Example
```yaml
type: keyword
name: greets
config:
  must_contain: [hello]
```

## Instead
```yaml
type: text
name: greets
config:
  contains: [hello]
```
"""

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from waza_engine.analysis.schema.messages import LEGACY_SHAPE
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Finding, Fix, InsertKey, MoveKey, RemoveKey, SetValue, Severity
from waza_engine.project.document import Document

APPLIES = frozenset(["eval", "task"])
refused_shape = partial(LEGACY_SHAPE.at, refused=True, severity=Severity.ERROR)
"""A finding about a form that runs refuse; information for versions that still accept it.

See docs/reference/waza-formats.md, section 19.
"""


def check(document: Document) -> Iterator[Finding]:
    if document.kind == "eval":
        yield from document.item_findings("tasks", _old_item)
    for task, _ in document.tasks_with("inputs/files", "expected/graders"):
        yield from _plain_files(document, task)
        yield from _expected_graders(document, task)


def check_grader(entry: Document, _document: Document) -> Iterator[Finding]:
    # Imported late: the rule's constant is used where pydantic must not be loaded.
    from waza_engine.dialects.waza.checks.conversion import (
        conversion_changes,
        misplaced_options,
        outdated_type,
        task_grader_with,
    )

    name, outdated = entry.value("type"), outdated_type(entry.value("type"))
    if outdated is not None:
        changes = conversion_changes(entry.mapping())
        fixes = [Fix(f"Convert to '{outdated.successor}'", changes, preferred=True)] if changes else []
        yield LEGACY_SHAPE.at(("type",), outdated.outdated, fixes=fixes)
    elif name is None and isinstance(entry.value("assertions"), list):
        yield _untyped_assertions(task_grader_with("assertions").type_name)
    elif isinstance(name, str):
        for key, option in misplaced_options(entry.mapping()).items():
            yield _misplaced(entry, name, key, option)


def _misplaced(entry: Document, name: str, key: str, option: str) -> Finding:
    """Report a key next to `type` that is now the `option` under `config`, or ignored if `option` is empty."""
    config = entry.value("config")
    if not option:
        fix = Fix(f"Remove '{key}'", (RemoveKey((key,)),), safe=True)
        message = f"A '{name}' grader ignores '{key}', which is from older versions"
        return LEGACY_SHAPE.at((key,), message, on="key", fixes=[fix])
    is_free = config is None or (isinstance(config, Mapping) and option not in config)
    fix = Fix(f"Move to 'config.{option}'", (MoveKey((key,), ("config", option)),), preferred=True, safe=True)
    refused = is_free and _is_required(name, option)
    message = (
        f"'{key}' next to 'type' was moved to 'config.{option}'{', and runs refuse the old form' * refused}"
    )
    report = refused_shape if refused else LEGACY_SHAPE.at
    return report((key,), message, on="key", fixes=[fix] if is_free else [])


def _is_required(name: str, option: str) -> bool:
    from waza_engine.graders.registry import current_grader

    kind = current_grader("waza", name)
    return kind is not None and option in kind.model_fields and kind.model_fields[option].is_required()


def _untyped_assertions(name: str) -> Finding:
    """Report a grader without `type`, which waza's Python version took to be of this one type."""
    changes = (InsertKey((), "type", name), MoveKey(("assertions",), ("config", "assertions")))
    fix = Fix(f"Change to a '{name}' grader", changes, preferred=True)
    message = f"'type' is missing. Older versions assumed '{name}'; now the type is required"
    return LEGACY_SHAPE.at(("assertions",), message, on="key", fixes=[fix])


def _old_item(item: Any) -> tuple[Finding, ...]:
    """Return what is old about an item of `tasks`."""
    if isinstance(item, str) and item.startswith("include:"):
        change = SetValue((), item.removeprefix("include:").strip())
        fix = Fix("Remove 'include:'", (change,), preferred=True, safe=True)
        return (LEGACY_SHAPE.at((), "'include:' in a glob is an old form. Write only the glob", fixes=[fix]),)
    if isinstance(item, Mapping) and ("include" in item or "task_files" in item):
        return (_glob_in_mapping(item),)
    if isinstance(item, Mapping) and ("inputs" in item or "id" in item):
        message = "waza reads tasks only from files. Move this task to a file that a glob matches"
        return (LEGACY_SHAPE.at(("id" if "id" in item else "inputs",), message, on="key"),)
    return ()


def _glob_in_mapping(item: Mapping[str, Any]) -> Finding:
    key = "include" if "include" in item else "task_files"
    globs = item[key] if isinstance(item[key], list) else [item[key]]
    is_one = len(item) == 1 and len(globs) == 1 and isinstance(globs[0], str)
    fix = Fix("Change to the glob", (SetValue((), globs[0]),), preferred=True, safe=True) if is_one else None
    message = f"waza does not know '{key}'. Write the glob itself as the list item"
    return LEGACY_SHAPE.at((key,), message, on="key", fixes=[fix] if fix else [])


def _plain_files(document: Document, task: Pointer) -> Iterator[Finding]:
    for place, text in document.texts(*task, "inputs", "files"):
        fix = Fix(
            "Change to a mapping with 'path'", (SetValue(place, {"path": text}),), preferred=True, safe=True
        )
        yield LEGACY_SHAPE.at(
            place, f"A plain file name under 'files' is an old form. Write '- path: {text}'", fixes=[fix]
        )


def _expected_graders(document: Document, task: Pointer) -> Iterator[Finding]:
    place = (*task, "expected", "graders")
    items = document.value(*place)
    if not items:
        return
    are_graders = isinstance(items, list) and all(isinstance(it, Mapping) for it in items)
    if are_graders and not document.has(*task, "graders"):
        fixes = [Fix("Move to 'graders'", (MoveKey(place, (*task, "graders")),), preferred=True)]
    else:
        fixes = [] if are_graders else [Fix("Remove 'graders'", (RemoveKey(place),))]
    message = (
        "waza ignores 'expected.graders'. List a task's own graders under 'graders'; the eval's always run"
    )
    # Names refer to the eval's graders, which run anyway.
    severity = Severity.WARNING if any(isinstance(it, Mapping) for it in _as_list(items)) else None
    yield LEGACY_SHAPE.at(place, message, on="key", severity=severity, fixes=fixes)


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]
