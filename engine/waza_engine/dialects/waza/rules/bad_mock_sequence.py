"""A recovery sequence that waza refuses.

## Why
A `sequence` gives a mock a different answer for each call, to show how an agent copes with a dependency that fails for
a while. waza refuses to start if a sequence is empty, or if a step has no output or two that exclude each other. The
response must not have outputs of its own beside the sequence, and only steps may have `delay_ms`. In an eval, a sequence
needs `scenario` and `schemaVersion: "2.0"`. The same holds for the JSON files under `fixtures`.

## Example
```yaml
name: tickets-eval
scenario: file a ticket although the tracker is down
schemaVersion: "2.0"
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
tasks: ["tasks/*.yaml"]
mcp_mocks:
  - name: tracker
    tools:
      create_ticket:
        responses:
          - sequence:
              - {error: temporarily unavailable}
              - {delay_ms: 20}
```

## Instead
```yaml
name: tickets-eval
scenario: file a ticket although the tracker is down
schemaVersion: "2.0"
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
tasks: ["tasks/*.yaml"]
mcp_mocks:
  - name: tracker
    tools:
      create_ticket:
        responses:
          - sequence:
              - {error: temporarily unavailable}
              - {return: {id: 7}, delay_ms: 20}
```
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

from waza_engine.dialects.waza.checks.mocks import command_responses, mcp_mocks, mcp_responses
from waza_engine.dialects.waza.checks.run_paths import may_be_read, suite_folder
from waza_engine.dialects.waza.checks.sequences import (
    SCENARIO_VERSION,
    SEQUENCE,
    SEQUENCE_NEEDS_SCENARIO,
    command_problems,
    tool_problems,
)
from waza_engine.dialects.waza.formats.loading.mock_fixtures import (
    FixtureError,
    fixture_problems,
    fixture_tools,
    has_sequence,
)
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import HERE, Finding, Fix, InsertKey, Related, Rule, SetValue
from waza_engine.project.document import Document
from waza_engine.project.reading import pointer_text
from waza_engine.project.suite_files import text_of

BAD_MOCK_SEQUENCE = Rule("bad-mock-sequence", "recovery sequence that waza refuses", needs=frozenset([HERE]))
APPLIES = frozenset(["eval", "task"])


def check(document: Document) -> Iterator[Finding]:
    for responses, problems in (
        (command_responses(document), command_problems),
        (mcp_responses(document), tool_problems),
    ):
        for place in responses:
            for it in problems(document.mapping(*place)):
                found = BAD_MOCK_SEQUENCE.at(it.pointer, it.message, on=it.on, fixes=it.fixes)
                yield found.below(place)
    for place in _fixtures(document):
        yield from _fixture_findings(document, place)
    if document.kind == "eval":
        yield from _version(document)


def _version(document: Document) -> Iterator[Finding]:
    """Report the first sequence of an eval of another version. waza checks those of tasks for their shape only."""
    version = text_of(document.value("schemaVersion"))
    if version == SCENARIO_VERSION or document.text("scenario").strip():
        return  # `bad-schema-version` reports one without the other.
    place = next(_sequences(document), None)
    if place is None:
        return
    schema_version = (
        SetValue(("schemaVersion",), SCENARIO_VERSION)
        if version
        else InsertKey((), "schemaVersion", SCENARIO_VERSION)
    )
    fix = Fix("Make this a scenario eval", (schema_version, InsertKey((), "scenario", None)))
    on: Literal["key", "value"] = "key" if place[-1] == SEQUENCE else "value"
    yield BAD_MOCK_SEQUENCE.at(place, SEQUENCE_NEEDS_SCENARIO, on=on, fixes=[fix])


def _sequences(document: Document) -> Iterator[Pointer]:
    """Yield the sequences of the eval itself, and the `fixtures` of its mocks that have some."""
    for responses in (command_responses(document), mcp_responses(document)):
        for place in responses:
            if place[0] != "tasks" and SEQUENCE in document.mapping(*place):
                yield (*place, SEQUENCE)
    for place in _fixtures(document):
        if place[0] != "tasks" and any(has_sequence(tool) for _, _, tool in _tools(document, place)):
            yield place


def _fixtures(document: Document) -> Iterator[Pointer]:
    for mocks in mcp_mocks(document):
        yield from (
            (*mock, "fixtures") for mock, _ in document.mappings(*mocks) if document.text(*mock, "fixtures")
        )


def _fixture_findings(document: Document, place: Pointer) -> Iterator[Finding]:
    for file, base, tool in _tools(document, place):
        if isinstance(tool, FixtureError):
            message = f"The fixture '{file.name}' cannot be used: it is {tool}"
            yield BAD_MOCK_SEQUENCE.at(place, message, related=[Related((), "the fixture", file)])
            continue
        for it in fixture_problems(tool):
            pointer = (*base, *it.pointer)
            message = f"waza refuses '{pointer_text(pointer)}' of the fixture '{file.name}': {it.message}"
            yield BAD_MOCK_SEQUENCE.at(place, message, related=[Related(pointer, "in the fixture", file)])


def _tools(document: Document, place: Pointer) -> Iterator[tuple[Path, Pointer, Any]]:
    """Yield file, pointer and data of each tool in the fixtures of a mock, except those that the mock replaces.

    For a file that cannot be used, the data is the error.
    """
    folder = suite_folder(document)
    own = document.mapping(*place[:-1], "tools")
    fixtures = folder / document.text(*place) if folder is not None else None
    if fixtures is None or not may_be_read(document, fixtures):
        return
    for name in document.files.names(fixtures):
        if name.endswith(".json"):
            file = fixtures / name
            tools = document.files.read_as(file, _parse)
            if isinstance(tools, FixtureError):
                yield file, (), tools
                continue
            for tool, data in (tools or {}).items():
                if (tool or file.stem) not in own:
                    yield file, (("tools", tool) if tool else ()), data


def _parse(text: str) -> Mapping[str, Any] | FixtureError:
    """Return the tools of a fixture; the name of a file's only tool is empty."""
    try:
        return fixture_tools(text, "")
    except FixtureError as error:
        return error
