"""waza's releases, and what each of them changed in files (docs/reference/waza-newest.md, docs/reference/waza-formats.md).

To add a release, add its row and its facts. Tests check that each place exists and each source is a section of a page.
"""

from typing import Any

from waza_engine.recognition.releases import Fact, Release, Releases, at_each

_PAGE = "docs/reference/waza-newest.md, section "
_FORMATS = "docs/reference/waza-formats.md, section "

_RELEASES = (
    Release("0.3.2", "2026-02-06"),
    Release("0.21.0"),
    Release("0.23.0", "2026-03-24"),
    Release("0.24.0", "2026-03-25"),
    Release("0.25.0"),
    Release("0.26.0"),
    Release("0.27.0"),
    Release("0.28.0"),
    Release("0.29.0"),
    Release("0.30.0"),
    Release("0.31.0"),
    Release("0.33.0"),
    Release("0.34.0"),
    Release("0.35.0"),
    Release("0.36.0"),
    Release("0.37.0", "2026-06-18"),
    Release("0.38.0", "2026-06-30"),
    Release("0.39.0"),
    Release("0.40.0"),
    Release("0.40.1", "2026-11-06"),
    Release("0.41.0", "2026-11-13"),
)

_TASK = ("task: ", "eval: tasks[].")


def _key(place: str, since: str, source: str = _FORMATS + "1", **more: Any) -> Fact:
    return Fact(place, since=since, source=source, **more)


def _task(place: str, since: str, source: str = _FORMATS + "5", **more: Any) -> tuple[Fact, ...]:
    """Return the facts about a key of a task, in a file of its own and in an eval."""
    return at_each(_TASK, _key(place, since, source, **more))


def _applied(place: str) -> tuple[Fact, ...]:
    return at_each(_TASK, Fact(place, applied_since="0.27", source=_FORMATS + "5.2"))


_TASKS = (
    *_task("golden", "0.36"),
    *_task("first_event_timeout_seconds", "0.36"),
    *_task("inputs.prompt_file", "0.27"),
    *_task("inputs.context.fixture", "0.36"),
    *_task("inputs.follow_up_prompts", "0.28"),
    *_task("inputs.responder", "0.36"),
    *_task("inputs.repos", "0.35"),
    *_task("inputs.workdir", "0.35"),
    *_task("expected.output_contains_any", "0.27"),
    *_task("expected.behavior.max_response_time_ms", "0.27"),
    *_applied("expected.output_contains"),
    *_applied("expected.output_not_contains"),
    *_task("checkpoints", "0.36"),
    *_task("requirements", "0.36"),
    *_task("skill_directories", "0.29"),
    *_task("instruction_files", "0.33"),
    *_task("command_mocks", "0.36"),
    *_task("mcp_mocks", "0.40", _PAGE + "2"),
)

_SEQUENCE = _key("responses[].sequence", "0.39", _PAGE + "5", before="refused")
"""Files with `scenario` are read strictly. The version is that of the first source revision with sequences."""
_MOCKS = (
    *at_each((*(f"{it}command_mocks[]." for it in _TASK), "eval: command_mocks[]."), _SEQUENCE),
    *at_each((*(f"{it}mcp_mocks[].tools.*." for it in _TASK), "eval: mcp_mocks[].tools.*."), _SEQUENCE),
)

_EVALS = (
    _key("eval: scenario", "0.36"),
    _key("eval: schemaVersion", "0.36"),
    _key("eval: mcp_mocks", "0.36"),
    _key("eval: command_mocks", "0.36"),
    _key("eval: adversarial", "0.36"),
    _key("eval: config.first_event_timeout_seconds", "0.36"),
    _key("eval: config.workers", "0.24"),
    _key("eval: config.reasoning_effort", "0.36"),
    _key("eval: config.judge_reasoning_effort", "0.36"),
    _key("eval: config.disabled_skills", "0.29"),
    _key("eval: config.instruction_files", "0.33"),
    _key("eval: config.inject_skill_body", "0.34"),
    _key("eval: config.trigger_skill_routing", "0.36"),
    _key("eval: graders[].ref", "0.36"),
    _key("eval: config.group_by = tags", "0.40.1", _PAGE + "2", before="ignored"),
)

_PROJECT = (
    _key("project: files", "0.33"),
    _key("project: files.evalFile", "0.33"),
    _key("project: files.taskGlob", "0.33"),
    _key("project: files.taskFileSuffix", "0.33"),
)

_GRADERS = (
    _key("grader diff.update_snapshots", "0.21"),
    _key("grader json_schema.extract_json", "0.36"),
    _key("grader prompt.rubric", "0.36"),
    _key("grader prompt.reasoning_effort", "0.36"),
    _key("grader skill_invocation.forbidden_skills", "0.34"),
    _key("grader tool_calls", "0.27"),
    _key("grader tool_calls.expect", "0.36"),
    _key("grader tool_constraint.expect_tools[].args", "0.36"),
    _key("grader tool_constraint.reject_tools[].args", "0.36"),
    _key("grader tool_constraint.allow_only", "0.36"),
    _key("grader tool_constraint.allow_only[].args", "0.36"),
    _key("grader trigger", "0.21"),
)

_CHECKS = (
    Fact(
        "rule unknown-key",
        refused_since="0.24",
        before="ignored",
        source=_FORMATS + "1",
    ),
    Fact(
        "rule legacy-shape *.max_workers",
        "The key was renamed; older versions do not know the new name.",
        since="0.24",
        source=_FORMATS + "1",
    ),
    Fact(
        "rule legacy-shape (refused)",
        "Older versions accept the old form.",
        refused_since="0.24",
        before="accepted",
        source=_FORMATS + "19",
    ),
    Fact("rule injected-skill-body", since="0.25", source=_FORMATS + "1"),
    Fact(
        "rule out-of-range timeout_seconds",
        "Only the limit of a task. The eval's limit was always checked.",
        refused_since="0.35",
        before="ignored",
        source=_FORMATS + "11",
    ),
)

RELEASES = Releases(
    _RELEASES,
    _TASKS + _MOCKS + _EVALS + _PROJECT + _GRADERS + _CHECKS,
    unknown_keys=(("0", "ignored"), ("0.24", "refused"), ("0.36", "warned")),
)
