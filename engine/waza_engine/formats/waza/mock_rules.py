"""What waza's loader refuses in mocks beyond their shape (docs/reference/waza-formats.md, sections 4.6 and 11.1)."""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from waza_engine.findings import Pointer
from waza_engine.formats.waza.mocks import Adversarial, CommandMock, CommandResponse, McpMock, McpResponse
from waza_engine.formats.waza.refusal import Refusal
from waza_engine.lib.go.paths import leads_out
from waza_engine.mocks.command_name import ITS_FORM, is_command_name
from waza_engine.regex import regex_error


def mcp_refusals(mocks: Sequence[McpMock]) -> Iterator[Refusal]:
    """What is wrong with the mocked servers of an eval."""
    for index in _repeated(it.name.strip() for it in mocks):
        yield Refusal(("mcp_mocks", index, "name"), "Two MCP mocks have this name")
    for index, mock in enumerate(mocks):
        place = ("mcp_mocks", index)
        if not mock.name.strip():
            yield Refusal((*place, "name"), "An MCP mock needs a name")
        if not mock.fixtures and not mock.tools:
            yield Refusal(place, "An MCP mock needs 'fixtures' or 'tools'")
        for name, tool in mock.tools.items():
            below = (*place, "tools", name)
            yield from _no_mapping((*below, "input_schema"), tool.input_schema)
            for number, response in enumerate(tool.responses):
                yield from _mcp_response((*below, "responses", number), response)


def command_refusals(mocks: Sequence[CommandMock]) -> Iterator[Refusal]:
    """What is wrong with a list of command mocks, of an eval or of a task."""
    for index in _repeated(it.name.lower() for it in mocks):
        yield Refusal(("command_mocks", index, "name"), "Two command mocks have this name")
    for index, mock in enumerate(mocks):
        place = ("command_mocks", index)
        if not is_command_name(mock.name):
            yield Refusal((*place, "name"), f"The name of a command {ITS_FORM}, not '{mock.name}'")
        for number, response in enumerate(mock.responses):
            yield from _command_response((*place, "responses", number), response)


def adversarial_refusals(adversarial: Adversarial) -> Iterator[Refusal]:
    """What is wrong with the attacks of an eval."""
    packs = [it.strip() for it in adversarial.packs]
    blank = (index for index, it in enumerate(packs) if not it)
    for index in (*blank, *_repeated(packs)):
        reason = "Each pack must have a name, and stand here only once"
        yield Refusal(("adversarial", "packs", index), f"'adversarial.packs': {reason}")
    if (outcome := adversarial.on_unsafe_outcome) not in {"", "fail", "warn"}:
        reason = f"'adversarial.on_unsafe_outcome' must be fail or warn, not '{outcome}'"
        yield Refusal(("adversarial", "on_unsafe_outcome"), reason)


def _mcp_response(place: Pointer, response: McpResponse) -> Iterator[Refusal]:
    for key in ("match", "match_schema"):
        yield from _no_mapping((*place, key), getattr(response, key))
    yield from _bad_patterns((*place, "match_regex"), response.match_regex.items())


def _command_response(place: Pointer, response: CommandResponse) -> Iterator[Refusal]:
    if (response.args is None) == (response.args_regex is None):
        yield Refusal(place, "A response needs exactly one of 'args' and 'args_regex'")
    if response.stdout is not None and response.fixture:
        yield Refusal(place, "A response has either 'stdout' or 'fixture', not both")
    for key in ("fixture", "workdir"):
        path = getattr(response, key)
        if is_elsewhere(path):
            yield Refusal((*place, key), f"'{key}' must be a relative path without '..', not '{path}'")
    for name in response.environment:
        if not name.strip() or "=" in name:
            reason = "A name in 'environment' must not be blank or contain '='"
            yield Refusal((*place, "environment", name), reason)
    yield from _bad_patterns((*place, "args_regex"), enumerate(response.args_regex or ()))


def _bad_patterns(place: Pointer, patterns: Iterable[tuple[str | int, str]]) -> Iterator[Refusal]:
    for key, pattern in patterns:
        if reason := regex_error(pattern):
            yield Refusal((*place, key), f"'{place[-1]}': '{pattern}' is no valid RE2 pattern: {reason}")


def _no_mapping(place: Pointer, value: Any) -> Iterator[Refusal]:
    if value is not None and not isinstance(value, dict):
        yield Refusal(place, f"'{place[-1]}' must be a mapping")


def is_elsewhere(path: str) -> bool:
    """Whether waza takes a path of a mock for one that is absolute (with the letter of a drive, too), or leads out."""
    return leads_out(path) or path[1:2] == ":"


def _repeated(names: Iterable[str]) -> Iterator[int]:
    seen: set[str] = set()
    for index, name in enumerate(names):
        if name in seen:
            yield index
        seen.add(name)
