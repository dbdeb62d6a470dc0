"""A form that older versions of waza, or its documentation, had.

## Why
It is understood here and still means what it meant. Newer versions of waza do not know it: they refuse the file, or
fail when the agent has already run.

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
from typing import Any

from waza_engine.checking.conversion import LEGACY_TYPES, converted
from waza_engine.checking.document import Document
from waza_engine.findings import (
    Change,
    Finding,
    Fix,
    InsertKey,
    MoveKey,
    Pointer,
    RemoveKey,
    Rule,
    SetValue,
    Severity,
)

LEGACY_SHAPE = Rule(
    "legacy-shape", "form of an older version", Severity.INFORMATION, frozenset(["deprecated"])
)
APPLIES = {"waza": {"eval", "task"}}
_RUBRIC_KEYS = ("threshold", "score_type", "response_format")
_MOVES = {"code": {"assertions": "assertions"}, "prompt": {"rubric": "prompt", "model": "model"}}
"""What used to stand beside the type of a grader, and its key under `config`."""
_BESIDE = ("assertions", "script", "rubric", "model")


def check(document: Document) -> Iterator[Finding]:
    if document.kind == "eval":
        yield from _globs(document)
    for task, _ in document.tasks():
        yield from _plain_files(document, task)
        yield from _expected_graders(document, task)


def check_grader(entry: Document, _executor: str) -> Iterator[Finding]:
    grader = entry.mapping()
    kind, config = grader.get("type"), grader.get("config")
    if not isinstance(kind, str):
        return
    if kind in LEGACY_TYPES:
        changes = converted(grader, ())
        fixes = (
            [Fix(f"Convert to '{LEGACY_TYPES[kind].type_name}'", changes, preferred=True)] if changes else []
        )
        yield LEGACY_SHAPE.at(("type",), LEGACY_TYPES[kind].message, fixes=fixes)
        return
    for key in _BESIDE:
        if grader.get(key) not in (None, "", []):
            yield _beside_type((), kind, key, config)
    place = ("config",)
    match kind:
        case "tool_calls":
            yield from _tool_patterns(entry, place)
        case "tool_constraint":
            yield from _tool_names(entry, place)
        case "prompt":
            yield from _rubric_style(entry, place)
        case _:
            return


def _beside_type(pointer: Pointer, kind: str, key: str, config: Any) -> Finding:
    place, name = (*pointer, key), _MOVES.get(kind, {}).get(key)
    if name is None:
        fix = Fix(f"Remove '{key}'", (RemoveKey(place),))
        return LEGACY_SHAPE.at(
            place, f"'{key}' is from older versions; a '{kind}' grader ignores it", on="key", fixes=[fix]
        )
    is_free = config is None or (isinstance(config, Mapping) and name not in config)
    fix = Fix(f"Move it to 'config.{name}'", (MoveKey(place, (*pointer, "config", name)),), preferred=True)
    message = f"'{key}' beside 'type' is an old form; it is now 'config.{name}'"
    return LEGACY_SHAPE.at(place, message, on="key", fixes=[fix] if is_free else [])


def _tool_patterns(document: Document, place: Pointer) -> Iterator[Finding]:
    """`required` and `forbidden` of the Python generation: patterns on "<tool> <arguments>"."""
    for old in ("required", "forbidden"):
        if not isinstance(document.value(*place, old), list):
            continue
        names = [
            it.get("pattern") if isinstance(it, Mapping) else it for _, it in document.items(*place, old)
        ]
        are_names = all(isinstance(it, str) and it.replace("_", "a").isalnum() for it in names)
        changes = (RemoveKey((*place, old)), InsertKey(place, f"{old}_tools", names))
        fix = Fix(f"Change to '{old}_tools'", changes, preferred=True)
        message = (
            f"'{old}' with patterns is an old form; it is now '{old}_tools' with names (or 'tool_constraint')"
        )
        is_free = not document.has(*place, f"{old}_tools")
        yield LEGACY_SHAPE.at((*place, old), message, on="key", fixes=[fix] if are_names and is_free else [])


def _tool_names(document: Document, place: Pointer) -> Iterator[Finding]:
    """Plain names, `max_turns` and `max_tokens`: `tool_constraint` as it was for three days in February 2026."""
    for option in ("expect_tools", "reject_tools"):
        names = [it for _, it in document.texts(*place, option)]
        if names and len(names) == len(list(document.items(*place, option))):
            specs = [{"tool": f"^{it}$"} for it in names]
            changes: tuple[Change, ...] = (RemoveKey((*place, option)), InsertKey(place, option, specs))
            fix = Fix("Change to mappings with 'tool'", changes, preferred=True)
            message = (
                f"Plain names are an old form; each item is now a mapping, such as {{tool: ^{names[0]}$}}"
            )
            yield LEGACY_SHAPE.at((*place, option, 0), message, fixes=[fix])
    for option in ("max_turns", "max_tokens"):
        if document.has(*place, option):
            instead = (
                "a 'behavior' grader has 'max_tokens'"
                if option == "max_tokens"
                else "nothing limits turns now"
            )
            yield LEGACY_SHAPE.at((*place, option), f"'{option}' is from older versions; {instead}", on="key")


def _rubric_style(document: Document, place: Pointer) -> Iterator[Finding]:
    given = [it for it in _RUBRIC_KEYS if document.has(*place, it)]
    if given:
        fix = Fix(
            f"Remove {', '.join(repr(it) for it in given)}", tuple(RemoveKey((*place, it)) for it in given)
        )
        message = f"'{given[0]}' was only ever planned: the judge of a 'prompt' grader says pass or fail"
        yield LEGACY_SHAPE.at((*place, given[0]), message, on="key", fixes=[fix])


def _globs(document: Document) -> Iterator[Finding]:
    for place, item in document.items("tasks"):
        if isinstance(item, str) and item.startswith("include:"):
            fix = Fix(
                "Remove 'include:'",
                (SetValue(place, item.removeprefix("include:").strip()),),
                preferred=True,
                safe=True,
            )
            yield LEGACY_SHAPE.at(place, "'include:' is an old form; the glob alone is enough", fixes=[fix])
        elif isinstance(item, Mapping) and ("include" in item or "task_files" in item):
            yield _glob_in_mapping(place, item)
        elif isinstance(item, Mapping) and ("inputs" in item or "id" in item):
            message = "waza reads tasks from files only; put this task into a file that a glob names"
            key = next(it for it in ("id", "inputs") if it in item)
            yield LEGACY_SHAPE.at((*place, key), message, on="key", severity=Severity.WARNING)


def _glob_in_mapping(place: Pointer, item: Mapping[str, Any]) -> Finding:
    key = "include" if "include" in item else "task_files"
    globs = item[key] if isinstance(item[key], list) else [item[key]]
    is_one = len(item) == 1 and len(globs) == 1 and isinstance(globs[0], str)
    fix = Fix("Change to the glob alone", (SetValue(place, globs[0]),), preferred=True) if is_one else None
    message = f"waza never had '{key}'; a glob stands in the list as it is"
    return LEGACY_SHAPE.at(
        (*place, key), message, on="key", severity=Severity.WARNING, fixes=[fix] if fix else []
    )


def _plain_files(document: Document, task: Pointer) -> Iterator[Finding]:
    for place, text in document.texts(*task, "inputs", "files"):
        fix = Fix(
            "Change to a mapping with 'path'", (SetValue(place, {"path": text}),), preferred=True, safe=True
        )
        yield LEGACY_SHAPE.at(place, f"A plain name is an old form; write '- path: {text}'", fixes=[fix])


def _expected_graders(document: Document, task: Pointer) -> Iterator[Finding]:
    place = (*task, "expected", "graders")
    items = document.value(*place)
    if not items:
        return
    are_graders = isinstance(items, list) and all(isinstance(it, Mapping) for it in items)
    if are_graders and not document.has(*task, "graders"):
        fixes = [Fix("Move it to 'graders'", (MoveKey(place, (*task, "graders")),), preferred=True)]
    else:
        fixes = [] if are_graders else [Fix("Remove it", (RemoveKey(place),))]
    message = "waza never read this; the eval's graders always run, the task's own stand under 'graders'"
    yield LEGACY_SHAPE.at(place, message, on="key", severity=Severity.WARNING, fixes=fixes)
