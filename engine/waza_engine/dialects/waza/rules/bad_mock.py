"""A mock that waza refuses.

## Why
waza refuses to load the suite in these cases: two mocks share a name (command names are case-insensitive), or an MCP mock
has no tools. A command's response needs exactly one of `args` and `args_regex`, and its paths must not be absolute or
contain `..`.

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
command_mocks:
  - name: kubectl
    responses:
      - stdout: healthy
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
command_mocks:
  - name: kubectl
    responses:
      - args: [status]
        stdout: healthy
```
"""

from collections.abc import Iterable, Iterator
from typing import Any

from waza_engine.dialects.waza.checks.mocks import (
    command_mocks,
    command_responses,
    mcp_mocks,
    mcp_responses,
)
from waza_engine.dialects.waza.formats.loading.conditions import is_elsewhere
from waza_engine.lib.go.regexp import regex_error, regex_error_span
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import HERE, Finding, Rule
from waza_engine.project.document import Document
from waza_engine.rules._patterns import regex_fixes
from waza_engine.rules.invalid_regex import INVALID_REGEX
from waza_engine.rules.missing_key import MISSING_KEY

BAD_MOCK = Rule("bad-mock", "mock that waza refuses", needs=frozenset([HERE]))
APPLIES = frozenset(["eval", "task"])


def check(document: Document) -> Iterator[Finding]:
    for mocks in command_mocks(document):
        yield from _same_names(document, mocks, fold=True)
    for response in command_responses(document):
        yield from _response(document, response)
    if document.kind == "eval":
        yield from _same_packs(document)
    for mocks in mcp_mocks(document):
        yield from _same_names(document, mocks, fold=False)
        for pointer, mock in document.mappings(*mocks):
            if not mock.get("fixtures") and not mock.get("tools"):
                yield BAD_MOCK.at(
                    (*pointer, "name"), "This mock has no tools. Add 'fixtures' or 'tools'", on="key"
                )
            for name, tool in document.mapping(*pointer, "tools").items():
                if tool is None:
                    message = f"The tool '{name}' has no value. Add a mapping with 'responses'"
                    yield MISSING_KEY.at((*pointer, "tools", name), message, on="key")
    for response in mcp_responses(document):
        yield from _patterns(document.mapping(*response, "match_regex").items(), (*response, "match_regex"))


def _same_names(document: Document, mocks: Pointer, *, fold: bool) -> Iterator[Finding]:
    seen: dict[str, Pointer] = {}
    for pointer, mock in document.mappings(*mocks):
        name = mock.get("name")
        if not isinstance(name, str) or not name:
            continue
        known = name.strip().lower() if fold else name.strip()
        if not known:
            yield BAD_MOCK.at((*pointer, "name"), "The name of this mock is blank")
        elif known in seen:
            related = [((*seen[known], "name"), "the other mock")]
            yield BAD_MOCK.at((*pointer, "name"), f"Another mock is already named '{name}'", related=related)
        seen.setdefault(known, pointer)


def _same_packs(document: Document) -> Iterator[Finding]:
    seen: set[str] = set()
    for pointer, pack in document.texts("adversarial", "packs"):
        if not pack.strip() or pack.strip() in seen:
            yield BAD_MOCK.at(pointer, f"The pack '{pack}' is blank or listed twice")
        seen.add(pack.strip())


def _response(document: Document, response: Pointer) -> Iterator[Finding]:
    keys = document.mapping(*response)
    if keys.get("args") is None and keys.get("args_regex") is None:
        message = "This response matches no call. Add 'args' or 'args_regex'"
        yield BAD_MOCK.at(response, message)
    for key in ("fixture", "workdir"):
        path = document.text(*response, key)
        if is_elsewhere(path):
            yield BAD_MOCK.at((*response, key), f"'{path}' must be a relative path without '..'")
    for name in document.mapping(*response, "environment"):
        if not name.strip() or "=" in name:
            message = f"The variable name '{name}' must not be blank or contain '='"
            yield BAD_MOCK.at((*response, "environment", name), message, on="key")
    patterns = keys.get("args_regex")
    yield from _patterns(enumerate(patterns) if isinstance(patterns, list) else (), (*response, "args_regex"))


def _patterns(patterns: Iterable[tuple[str | int, Any]], base: Pointer) -> Iterator[Finding]:
    for part, pattern in patterns:
        if isinstance(pattern, str) and (reason := regex_error(pattern)):
            yield INVALID_REGEX.at(
                (*base, part),
                f"Not a valid RE2 pattern: {reason}",
                part=regex_error_span(pattern),
                fixes=regex_fixes(pattern, (*base, part)),
            )
