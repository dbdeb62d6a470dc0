"""What waza's loader refuses in evals, tasks and mocks that match their schemas.

See docs/reference/waza-formats.md, sections 4.2, 4.6, 4.7 and 11.1.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from waza_engine.dialects.waza.formats.eval import EvalFile
from waza_engine.dialects.waza.formats.loading.conditions import (
    NEEDS,
    TASK_NEEDS,
    WITHOUT_COPILOT,
    is_elsewhere,
    parse_version,
)
from waza_engine.dialects.waza.formats.mocks import (
    Adversarial,
    CommandMock,
    CommandResponse,
    McpMock,
    McpResponse,
)
from waza_engine.dialects.waza.formats.settings import REASONING_EFFORTS
from waza_engine.dialects.waza.formats.task import Requirement, TaskFile
from waza_engine.lib.go.regexp import regex_error
from waza_engine.lib.pointer import Pointer
from waza_engine.mocks.command_name import COMMAND_NAME_RULE, is_command_name
from waza_engine.model.schema_marks import FileModel


@dataclass(frozen=True, slots=True)
class Refusal:
    """The reason for which waza refuses a file, and the position in the file."""

    pointer: Pointer
    message: str


def mcp_refusals(mocks: Sequence[McpMock]) -> Iterator[Refusal]:
    """Report what waza refuses in a list of mocked servers, of an eval or of a task."""
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
            yield from _require_mapping((*below, "input_schema"), tool.input_schema)
            for number, response in enumerate(tool.responses):
                yield from _mcp_response((*below, "responses", number), response)


def command_refusals(mocks: Sequence[CommandMock]) -> Iterator[Refusal]:
    """Report what waza refuses in a list of command mocks, of an eval or of a task."""
    for index in _repeated(it.name.lower() for it in mocks):
        yield Refusal(("command_mocks", index, "name"), "Two command mocks have this name")
    for index, mock in enumerate(mocks):
        place = ("command_mocks", index)
        if not is_command_name(mock.name):
            yield Refusal((*place, "name"), f"The name of a command {COMMAND_NAME_RULE}, not '{mock.name}'")
        for number, response in enumerate(mock.responses):
            yield from _command_response((*place, "responses", number), response)


def adversarial_refusals(adversarial: Adversarial) -> Iterator[Refusal]:
    """Report what waza refuses in the adversarial section of an eval."""
    packs = [it.strip() for it in adversarial.packs]
    blank = (index for index, it in enumerate(packs) if not it)
    for index in (*blank, *_repeated(packs)):
        reason = "Each pack needs a name and may be listed only once"
        yield Refusal(("adversarial", "packs", index), f"'adversarial.packs': {reason}")
    if (outcome := adversarial.on_unsafe_outcome) not in {"", "fail", "warn"}:
        reason = f"'adversarial.on_unsafe_outcome' must be fail or warn, not '{outcome}'"
        yield Refusal(("adversarial", "on_unsafe_outcome"), reason)


def _mcp_response(place: Pointer, response: McpResponse) -> Iterator[Refusal]:
    for key in ("match", "match_schema"):
        yield from _require_mapping((*place, key), getattr(response, key))
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
            yield Refusal((*place, key), f"'{place[-1]}': '{pattern}' is not a valid RE2 pattern: {reason}")


def _require_mapping(place: Pointer, value: Any) -> Iterator[Refusal]:
    if value is not None and not isinstance(value, dict):
        yield Refusal(place, f"'{place[-1]}' must be a mapping")


def _repeated(names: Iterable[str]) -> Iterator[int]:
    seen: set[str] = set()
    for index, name in enumerate(names):
        if name in seen:
            yield index
        seen.add(name)


_MOCKS_NEED_COPILOT = "'command_mocks' work only with 'executor: copilot-sdk'"


@dataclass(frozen=True, slots=True)
class EvalKeys:
    """The settings of an eval that its tasks must fit."""

    executor: str
    schema_version: str


def refusals(spec: EvalFile) -> Iterator[Refusal]:
    """Report what waza's loader refuses in an eval that matches its schema."""
    yield from _version(spec)
    yield from _efforts(spec)
    yield from _mocks(spec)
    settings = spec.config
    if (
        spec.scenario.strip()
        and not spec.skill
        and settings.required_skills
        and not settings.skill_directories
    ):
        yield Refusal(
            ("config", "required_skills"),
            "A scenario with 'config.required_skills' needs 'config.skill_directories', or 'skill'",
        )


def _version(spec: EvalFile) -> Iterator[Refusal]:
    text, at = spec.schema_version, ("schemaVersion",)
    if spec.scenario.strip() and text != "2.0":
        yield Refusal(at if text else ("scenario",), "'scenario' needs 'schemaVersion: \"2.0\"'")
        return
    if not text:
        return
    version = parse_version(text)
    if version is None:
        yield Refusal(at, f"'schemaVersion' must be two numbers with a dot between them, not '{text}'")
    elif text == "2.0" and not spec.scenario.strip():
        yield Refusal(at, "'schemaVersion: \"2.0\"' is only for evals with 'scenario'; write \"1.4\"")
    elif version[0] != 1 and text != "2.0":
        yield Refusal(at, f"'schemaVersion' {text} is not supported; write \"1.4\"")
    else:
        yield from _too_new(spec, NEEDS, text)


def _efforts(spec: EvalFile) -> Iterator[Refusal]:
    for key in ("reasoning_effort", "judge_reasoning_effort"):
        effort = getattr(spec.config, key)
        if effort and effort not in REASONING_EFFORTS:
            allowed = ", ".join(REASONING_EFFORTS)
            yield Refusal(("config", key), f"'config.{key}' must be one of {allowed}, not '{effort}'")
        elif effort and spec.config.executor in WITHOUT_COPILOT:
            yield Refusal(("config", key), f"'config.{key}' works only with 'executor: copilot-sdk'")


def _mocks(spec: EvalFile) -> Iterator[Refusal]:
    yield from mcp_refusals(spec.mcp_mocks)
    if spec.command_mocks and spec.config.executor in WITHOUT_COPILOT:
        yield Refusal(("command_mocks",), _MOCKS_NEED_COPILOT)
    yield from command_refusals(spec.command_mocks)
    if spec.adversarial:
        yield from adversarial_refusals(spec.adversarial)


def task_refusals(task: TaskFile, of_eval: EvalKeys) -> Iterator[Refusal]:
    """Report what waza's loader refuses in a task that matches its schema, given the settings of its eval."""
    yield from _too_new(task, TASK_NEEDS, of_eval.schema_version)
    yield from mcp_refusals(task.mcp_mocks or [])
    yield from command_refusals(task.command_mocks or [])
    if task.command_mocks and of_eval.executor in WITHOUT_COPILOT:
        yield Refusal(("command_mocks",), _MOCKS_NEED_COPILOT)
    if task.inputs.responder is not None and task.inputs.follow_up_prompts:
        message = "'inputs' has both 'follow_up_prompts' and 'responder'; keep one"
        yield Refusal(("inputs", "responder"), message)
    for index, repository in enumerate(task.inputs.repos):
        yield from _require_known_word(repository, "type", ("inputs", "repos", index))
    for index, checkpoint in enumerate(task.checkpoints):
        yield from _require_known_word(checkpoint, "on_failure", ("checkpoints", index))
    for index, it in enumerate(task.requirements):
        yield from _requirement(it, ("requirements", index))


def _requirement(requirement: Requirement, place: Pointer) -> Iterator[Refusal]:
    yield from _require_known_word(requirement, "category", place)
    for index, it in enumerate(requirement.checks):
        below = (*place, "checks", index)
        yield from _require_known_word(it, "scope", below)
        if it.scope == "checkpoint" and it.after_turn is None:
            yield Refusal(below, "A check with the scope 'checkpoint' needs 'after_turn'")
        elif it.scope != "checkpoint" and it.after_turn is not None:
            yield Refusal((*below, "after_turn"), "'after_turn' is only for the scope 'checkpoint'")


def _require_known_word(part: FileModel, key: str, place: Pointer) -> Iterator[Refusal]:
    """Report a value that is not among the words that the schema lists for its key."""
    field, word = type(part).model_fields[key], getattr(part, key)
    extra = field.json_schema_extra
    known = extra.get("enum") if isinstance(extra, dict) else None
    # An empty string counts as missing where the key is optional.
    if (word or field.is_required()) and isinstance(known, list) and word not in known:
        listed = ", ".join(map(str, known))
        yield Refusal((*place, key), f"'{key}' must be one of {listed}, not '{word}'")


def _too_new(
    part: EvalFile | TaskFile, needs: Mapping[str, tuple[int, int]], declared: str
) -> Iterator[Refusal]:
    version = parse_version(declared)
    for key, oldest in needs.items():
        if version is not None and version < oldest and getattr(part, key):
            needed = ".".join(str(it) for it in oldest)
            yield Refusal((key,), f"'{key}' needs schemaVersion {needed} or newer; the eval says {declared}")
