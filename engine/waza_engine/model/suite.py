"""A loaded suite, independent of its dialect: everything that a run needs. Each dialect's loader creates one.

All values are final: globs are resolved, defaults applied, prompts read from their files, templates rendered.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from waza_engine.lib.pointer import Pointer
from waza_engine.lib.process.sandbox_choice import Sandbox

EXPECTED_TEXTS = ("output_contains", "output_not_contains", "output_contains_any")
"""The expectations of a task on its output. Each of these lists is one check."""
HOOKS = ("before_run", "after_run", "before_task", "after_task")
"""The events that hooks are executed at."""
GROUPINGS = ("model", "tags")
"""How the results of a run can be grouped."""
CONSTRAINT = "constraint"
"""The type of verdicts on constraints in results."""


@dataclass(frozen=True, slots=True)
class GraderEntry:
    """One grader as the file has it. `config` is raw data (strings and `Scalar`s), which the grader type reads.

    `extras` are the other keys of the entry (legacy `script`, `rubric`, `model`, `assertions`). `path` and `pointer` are
    its place, so that a verdict can refer to its line. `dialect` is the dialect of the type. With `turn` (from 0) the
    grader judges only that turn of the conversation. Verdicts are stored by name, so `name` is unique: vally's files may
    omit a name or repeat it, and then `name_in_file` is the original ("" if missing).
    """

    type: str
    name: str
    weight: float = 1.0
    config: Any = None
    extras: Mapping[str, Any] = field(default_factory=dict)
    path: Path | None = None
    pointer: Pointer = ()
    dialect: str = "waza"
    turn: int | None = None
    name_in_file: str | None = field(default=None, repr=False)

    @property
    def original_name(self) -> str:
        """The name as the file has it, "" if it has none."""
        return self.name if self.name_in_file is None else self.name_in_file


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file that is put into the workspace before the agent starts. `target` is relative to the workspace."""

    target: str
    content: bytes
    is_executable: bool = False


@dataclass(frozen=True, slots=True)
class Repository:
    """A git repository that is checked out in the workspace at `dest`, at `commit` or the source's HEAD.

    With `is_workspace` the checkout is the workspace itself, to which files are added.
    """

    source: Path
    dest: str
    commit: str = ""
    is_workspace: bool = False


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Graders that judge the state after turn `after_turn` (the prompt is turn 1).

    With `stops`, a failed checkpoint skips the task's remaining turns.
    """

    after_turn: int
    graders: tuple[GraderEntry, ...]
    stops: bool = False


@dataclass(frozen=True, slots=True)
class Responder:
    """A model that plays the user and replies after each turn, at most `most_followups` times.

    `model` "" is the eval's model.
    """

    instructions: str
    most_followups: int
    model: str = ""


@dataclass(frozen=True, slots=True)
class McpMock:
    """A mock MCP server: `description`, `input_schema` and `responses` of each tool, as in the eval's file.

    The `sequence` of a response is a list of steps; an empty list means that the response has none.
    """

    name: str
    tools: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CommandMock:
    """A mock program: its `responses` as in the eval's file, with `stdout` as a string. `sequence` as in `McpMock`."""

    name: str
    responses: tuple[Mapping[str, Any], ...] = ()
    expect_calls: int | None = None


@dataclass(frozen=True, slots=True)
class CustomAgent:
    """A custom agent under test. `tools` None allows all tools, () allows none. `body` is its text."""

    path: Path
    name: str
    body: str
    tools: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Hook:
    """A command that runs before or after a run or a task. It is split on white space; no shell is used."""

    command: str
    working_directory: str = ""
    exit_codes: tuple[int, ...] = (0,)
    error_on_fail: bool = False


@dataclass(frozen=True, slots=True)
class Constraint:
    """A limit on a trial, or names that it must or must not use. Its check does not affect scores.

    `key` is the kind (docs/reference/vally.md, section 3); `value` is a number, milliseconds, or a tuple of names.
    """

    key: str
    value: Any
    pointer: Pointer = ()

    @property
    def verdict_name(self) -> str:
        """The name of its verdict in results."""
        return f"{CONSTRAINT}:{self.key}"


@dataclass(frozen=True, slots=True)
class Scoring:
    """How the scores of a trial's graders are combined in vally (docs/reference/vally.md, section 5).

    The weights are in the grader entries. Without a `threshold` every grader must pass.
    """

    threshold: float | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """One task for the agent. `timeout_seconds` is per turn; `path` and `pointer` are the task's place.

    `skill_directories` (absolute) and `mcp_mocks` replace the suite's if they are not None. `instructions` are targets of `files` whose
    text is added to the system message. `mcp_servers` and `environment` extend the suite's. `setup` are shell commands
    that prepare the workspace, `rubric` are criteria for judges. `blocked` is the reason why the task cannot be
    performed: its trials are errors without starting the agent. `quarantine` is the reason why the task does not decide
    the run.
    """

    id: str
    name: str
    prompt: str
    description: str = ""
    tags: tuple[str, ...] = ()
    follow_ups: tuple[str, ...] = ()
    context: Mapping[str, Any] = field(default_factory=dict)
    files: tuple[InputFile, ...] = ()
    warnings: tuple[str, ...] = ()
    graders: tuple[GraderEntry, ...] = ()
    expected: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    timeout_seconds: int | None = None
    first_event_timeout_seconds: int | None = None
    repos: tuple[Repository, ...] = ()
    workdir: str = ""
    checkpoints: tuple[Checkpoint, ...] = ()
    golden: bool = False
    responder: Responder | None = None
    instructions: tuple[str, ...] = ()
    mcp_mocks: tuple[McpMock, ...] | None = None
    command_mocks: tuple[CommandMock, ...] = ()
    group: str = ""
    skill_directories: tuple[str, ...] | None = None
    mcp_servers: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    setup: tuple[str, ...] = ()
    rubric: tuple[str, ...] = ()
    constraints: tuple[Constraint, ...] = ()
    blocked: str = ""
    path: Path | None = None
    pointer: Pointer = ()
    # Not in fingerprints: it changes no verdict on the task.
    quarantine: str = field(default="", repr=False)


@dataclass(frozen=True, slots=True)
class Metric:
    """A named metric of the suite with its threshold."""

    name: str
    weight: float = 1.0
    threshold: float = 0.0


@dataclass(frozen=True, slots=True)
class TriggerPrompt:
    """A prompt that should, or should not, trigger the skill. The `confidence` `medium` counts half of `high`."""

    prompt: str
    should_trigger: bool
    confidence: str = "high"


@dataclass(frozen=True, slots=True)
class TriggerTests:
    """The trigger tests in an eval's folder."""

    skill: str
    prompts: tuple[TriggerPrompt, ...]
    path: Path | None = None


@dataclass(frozen=True, slots=True)
class RunSettings:
    """The suite's settings for a run. Command line options override single fields.

    `judge_model` may come from the project, `own_judge_model` is the eval's own. With `skills_of_process` the working
    directory is a skill directory as well.
    """

    trials: int = 1
    timeout_seconds: int = 300
    parallel: bool = False
    workers: int = 0
    fail_fast: bool = False
    max_attempts: int = 1
    executor: str = ""
    model: str = ""
    judge_model: str = ""
    own_judge_model: str = ""
    reasoning_effort: str = ""
    judge_reasoning_effort: str = ""
    group_by: str = ""
    skill_directories: tuple[str, ...] = ()
    required_skills: tuple[str, ...] = ()
    baseline: bool = False
    program_timeout: int = 30
    first_event_timeout_seconds: int = 0
    inject_skill_body: bool = True
    mcp_servers: Mapping[str, Any] = field(default_factory=dict)
    use_cache: bool = False
    skills_of_process: bool = False
    timeout_of_trial: bool = False
    """Whether the time limit applies to a whole trial instead of each turn."""
    sandbox: Sandbox = field(default_factory=Sandbox)
    """How agents, hooks and graders' programs are confined."""


@dataclass(frozen=True, slots=True)
class ExperimentArm:
    """The arm of an experiment that a suite is run as: `variant`, compared with `baseline`.

    Each arm is a run; `run_id` and `path` are those of the experiment, and `arms` are all arms of this run. The hashes
    are of the eval's text, and of its settings in this arm.
    """

    run_id: str
    name: str
    variant: str
    baseline: str
    path: str
    eval_path: str
    eval_hash: str = ""
    config_hash: str = ""
    arms: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Suite:
    """Everything that one run needs. `directory` is the eval's folder, `warnings` are the loader's.

    `disabled` tasks are loaded but not run. `scoring` is None if scores are combined as in waza. `arm` is set if the suite
    is one arm of an experiment.
    """

    dialect: str
    path: Path
    directory: Path
    name: str
    skill: str
    settings: RunSettings
    graders: tuple[GraderEntry, ...] = ()
    tasks: tuple[Task, ...] = ()
    disabled: tuple[Task, ...] = ()
    metrics: tuple[Metric, ...] = ()
    hooks: Mapping[str, tuple[Hook, ...]] = field(default_factory=dict)
    triggers: TriggerTests | None = None
    scoring: Scoring | None = None
    warnings: tuple[str, ...] = ()
    mcp_mocks: tuple[McpMock, ...] = ()
    agent: CustomAgent | None = None
    fixtures: Path | None = None
    arm: ExperimentArm | None = None
    judge_provider: Mapping[str, Any] | None = None
    """The endpoint of the eval's judge models."""

    @property
    def source_file(self) -> Path:
        """The file that the run belongs to: the eval, or the experiment."""
        return Path(self.arm.path) if self.arm is not None else self.path


@dataclass
class LoadError(Exception):
    """A file of the suite cannot be loaded.

    `pointer` is the place in its data; if the text is not valid YAML, `line` and `column` (from zero) are set instead.
    """

    path: Path
    message: str
    pointer: Pointer = ()
    line: int | None = None
    column: int = 0

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"
