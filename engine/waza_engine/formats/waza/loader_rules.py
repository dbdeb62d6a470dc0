"""What waza's loader refuses beyond the shape of an eval (waza-formats.md, sections 4.2, 4.6, 4.7 and 11.1)."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from waza_engine.findings import Pointer
from waza_engine.formats.waza.eval import EvalFile
from waza_engine.formats.waza.mocks import CommandMock, CommandResponse
from waza_engine.formats.waza.settings import REASONING_EFFORTS

NEEDS = {"mcp_mocks": (1, 1), "adversarial": (1, 2), "command_mocks": (1, 3)}
"""The oldest format version that has a key of an eval. It counts only against a version that is written down."""
TASK_NEEDS = {"checkpoints": (1, 1), "command_mocks": NEEDS["command_mocks"]}
"""The same for the keys of a task."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """Why waza would not load the eval, and where."""

    pointer: Pointer
    message: str


def refusals(spec: EvalFile) -> Iterator[Refusal]:
    """Everything that waza's loader would refuse in an eval whose shape is fine."""
    yield from _version(spec)
    yield from _efforts(spec)
    yield from _mocks(spec)
    if spec.adversarial and len(set(spec.adversarial.packs)) < len(spec.adversarial.packs):
        yield Refusal(("adversarial", "packs"), "'adversarial.packs' names a pack twice")
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
    version = parsed_version(text)
    if version is None:
        yield Refusal(at, f"'schemaVersion' must be two numbers with a dot between them, not '{text}'")
    elif text == "2.0" and not spec.scenario.strip():
        yield Refusal(at, "'schemaVersion: \"2.0\"' is only for evals with 'scenario'; write \"1.4\"")
    elif version[0] != 1 and text != "2.0":
        yield Refusal(at, f"'schemaVersion' {text} is not supported; write \"1.4\"")
    else:
        for key, oldest in NEEDS.items():
            if getattr(spec, key) and version < oldest:
                needed = ".".join(str(it) for it in oldest)
                yield Refusal((key,), f"'{key}' needs schemaVersion {needed} or newer; the eval says {text}")


def parsed_version(text: str) -> tuple[int, int] | None:
    """Major and minor number of a format version, None when it is none."""
    parts = text.split(".")
    if len(parts) != 2 or not all(it.isascii() and it.isdigit() for it in parts):
        return None
    return int(parts[0]), int(parts[1])


def _efforts(spec: EvalFile) -> Iterator[Refusal]:
    for key in ("reasoning_effort", "judge_reasoning_effort"):
        effort = getattr(spec.config, key)
        if effort and effort not in REASONING_EFFORTS:
            allowed = ", ".join(REASONING_EFFORTS)
            yield Refusal(("config", key), f"'config.{key}' must be one of {allowed}, not '{effort}'")
        elif effort and spec.config.executor != "copilot-sdk":
            yield Refusal(("config", key), f"'config.{key}' works only with 'executor: copilot-sdk'")


def _mocks(spec: EvalFile) -> Iterator[Refusal]:
    for index in _repeated(it.name.strip() for it in spec.mcp_mocks):
        yield Refusal(("mcp_mocks", index, "name"), "Two MCP mocks have this name")
    for index, mock in enumerate(spec.mcp_mocks):
        if not mock.name.strip():
            yield Refusal(("mcp_mocks", index, "name"), "An MCP mock needs a name")
        if not mock.fixtures and not mock.tools:
            yield Refusal(("mcp_mocks", index), "An MCP mock needs 'fixtures' or 'tools'")
    if spec.command_mocks and spec.config.executor != "copilot-sdk":
        yield Refusal(("command_mocks",), "'command_mocks' work only with 'executor: copilot-sdk'")
    yield from command_mock_refusals(spec.command_mocks)


def command_mock_refusals(mocks: list[CommandMock]) -> Iterator[Refusal]:
    """What is wrong with a list of command mocks, of an eval or of a task."""
    for index in _repeated(it.name.lower() for it in mocks):
        yield Refusal(("command_mocks", index, "name"), "Two command mocks have this name")
    for index, mock in enumerate(mocks):
        for number, response in enumerate(mock.responses):
            if reason := _response_problem(response):
                yield Refusal(("command_mocks", index, "responses", number), reason)


def _response_problem(response: CommandResponse) -> str:
    if (response.args is None) == (response.args_regex is None):
        return "A response needs exactly one of 'args' and 'args_regex'"
    if response.stdout is not None and response.fixture:
        return "A response has either 'stdout' or 'fixture', not both"
    for key in ("fixture", "workdir"):
        path = getattr(response, key)
        if leads_out(path):
            return f"'{key}' must be a relative path without '..', not '{path}'"
    if any(not it.strip() or "=" in it for it in response.environment):
        return "A name in 'environment' must not be blank or contain '='"
    return ""


def leads_out(path: str) -> bool:
    """Whether waza takes a path of a mock for one that is absolute, or leads out of its folder."""
    return path.startswith("/") or ".." in path.split("/") or path[1:2] == ":"


def _repeated(names: Iterable[str]) -> Iterator[int]:
    seen: set[str] = set()
    for index, name in enumerate(names):
        if name in seen:
            yield index
        seen.add(name)
