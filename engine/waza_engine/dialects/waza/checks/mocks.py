"""The mocked commands and MCP servers of a file (docs/reference/waza-formats.md, section 4.6)."""

from collections.abc import Iterator

from waza_engine.lib.pointer import Pointer
from waza_engine.project.document import Document


def command_mocks(document: Document) -> Iterator[Pointer]:
    """Yield the pointers of the lists of command mocks, of the eval and of its tasks."""
    if document.kind == "eval":
        yield ("command_mocks",)
    yield from ((*task, "command_mocks") for task, _ in document.tasks_with("command_mocks"))


def command_responses(document: Document) -> Iterator[Pointer]:
    """Yield the pointers of all responses of mocked commands."""
    for mocks in command_mocks(document):
        for mock, _ in document.mappings(*mocks):
            yield from (pointer for pointer, _ in document.mappings(*mock, "responses"))


def mcp_mocks(document: Document) -> Iterator[Pointer]:
    """Yield the pointers of the lists of mocked MCP servers, of the eval and of its tasks."""
    if document.kind == "eval":
        yield ("mcp_mocks",)
    yield from ((*task, "mcp_mocks") for task, _ in document.tasks_with("mcp_mocks"))


def mcp_responses(document: Document) -> Iterator[Pointer]:
    """Yield the pointers of all responses of mocked MCP tools."""
    for mocks in mcp_mocks(document):
        for mock, _ in document.mappings(*mocks):
            for tool in document.mapping(*mock, "tools"):
                yield from (pointer for pointer, _ in document.mappings(*mock, "tools", tool, "responses"))
