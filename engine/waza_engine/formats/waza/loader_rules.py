"""What waza's loader refuses beyond the shape of an eval.

See docs/reference/waza-formats.md, sections 4.2, 4.6, 4.7 and 11.1.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from waza_engine.findings import Pointer
from waza_engine.formats.model import FileModel
from waza_engine.formats.waza.eval import EvalFile
from waza_engine.formats.waza.mock_rules import adversarial_refusals, command_refusals, mcp_refusals
from waza_engine.formats.waza.refusal import Refusal
from waza_engine.formats.waza.settings import REASONING_EFFORTS
from waza_engine.formats.waza.task import Requirement, TaskFile

NEEDS = {"mcp_mocks": (1, 1), "adversarial": (1, 2), "command_mocks": (1, 3)}
"""The oldest format version that has a key of an eval. It counts only against a version that is written down."""
TASK_NEEDS = {"checkpoints": (1, 1), "command_mocks": NEEDS["command_mocks"]}
"""The same for the keys of a task."""

WITHOUT_COPILOT = frozenset(["mock", "codex", "claude-cli"])
"""waza's executors that know neither command mocks nor reasoning efforts. Ours say themselves what they do not know."""
_MOCKS_NEED_COPILOT = "'command_mocks' work only with 'executor: copilot-sdk'"


@dataclass(frozen=True, slots=True)
class EvalKeys:
    """What an eval says that its tasks are held to."""

    executor: str
    schema_version: str


def refusals(spec: EvalFile) -> Iterator[Refusal]:
    """Everything that waza's loader would refuse in an eval whose shape is fine."""
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
    version = parsed_version(text)
    if version is None:
        yield Refusal(at, f"'schemaVersion' must be two numbers with a dot between them, not '{text}'")
    elif text == "2.0" and not spec.scenario.strip():
        yield Refusal(at, "'schemaVersion: \"2.0\"' is only for evals with 'scenario'; write \"1.4\"")
    elif version[0] != 1 and text != "2.0":
        yield Refusal(at, f"'schemaVersion' {text} is not supported; write \"1.4\"")
    else:
        yield from _too_new(spec, NEEDS, text)


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
    """Everything that waza's loader would refuse in a task whose shape is fine; the eval says what it may have."""
    yield from _too_new(task, TASK_NEEDS, of_eval.schema_version)
    yield from command_refusals(task.command_mocks or [])
    if task.command_mocks and of_eval.executor in WITHOUT_COPILOT:
        yield Refusal(("command_mocks",), _MOCKS_NEED_COPILOT)
    if task.inputs.responder is not None and task.inputs.follow_up_prompts:
        message = "'inputs' has both 'follow_up_prompts' and 'responder'; keep one"
        yield Refusal(("inputs", "responder"), message)
    for index, repository in enumerate(task.inputs.repos):
        yield from _no_word(repository, "type", ("inputs", "repos", index))
    for index, checkpoint in enumerate(task.checkpoints):
        yield from _no_word(checkpoint, "on_failure", ("checkpoints", index))
    for index, it in enumerate(task.requirements):
        yield from _requirement(it, ("requirements", index))


def _requirement(requirement: Requirement, place: Pointer) -> Iterator[Refusal]:
    yield from _no_word(requirement, "category", place)
    for index, it in enumerate(requirement.checks):
        below = (*place, "checks", index)
        yield from _no_word(it, "scope", below)
        if it.scope == "checkpoint" and it.after_turn is None:
            yield Refusal(below, "A check with the scope 'checkpoint' needs 'after_turn'")
        elif it.scope != "checkpoint" and it.after_turn is not None:
            yield Refusal((*below, "after_turn"), "'after_turn' is only for the scope 'checkpoint'")


def _no_word(part: FileModel, key: str, place: Pointer) -> Iterator[Refusal]:
    """A text that is none of the words which the schema lists for its key."""
    field, word = type(part).model_fields[key], getattr(part, key)
    extra = field.json_schema_extra
    known = extra.get("enum") if isinstance(extra, dict) else None
    # An empty text is as good as none, where none is needed.
    if (word or field.is_required()) and isinstance(known, list) and word not in known:
        listed = ", ".join(map(str, known))
        yield Refusal((*place, key), f"'{key}' must be one of {listed}, not '{word}'")


def _too_new(
    part: EvalFile | TaskFile, needs: Mapping[str, tuple[int, int]], declared: str
) -> Iterator[Refusal]:
    version = parsed_version(declared)
    for key, oldest in needs.items():
        if version is not None and version < oldest and getattr(part, key):
            needed = ".".join(str(it) for it in oldest)
            yield Refusal((key,), f"'{key}' needs schemaVersion {needed} or newer; the eval says {declared}")
