"""A loaded suite in no dialect's words: what a run needs to know. Each dialect's loader makes one.

Values are final here: globs resolved, defaults applied, prompts read from their files, templates rendered.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from waza_engine.lib.pointer import Pointer

EXPECTED_TEXTS = ("output_contains", "output_not_contains", "output_contains_any")
"""What a task can expect of the output; each list is a check of its own."""
HOOKS = ("before_run", "after_run", "before_task", "after_task")
"""When hooks can be executed."""
CONSTRAINT = "constraint"
"""The type that verdicts on constraints have in results."""


@dataclass(frozen=True, slots=True)
class GraderEntry:
    """One grader as the file has it: `config` is raw data (texts and `Scalar`s), read by the grader type.

    `extras` are the other keys of the entry (legacy `script`, `rubric`, `model`, `assertions`). `path` and `pointer`
    say where it stands, so that a verdict finds its way back to the line. `dialect` says whose meaning the type has;
    `turn` (from 0) asks for a verdict on that turn of the conversation alone. `name_in_file` is what the file says where
    `name` had to be made up: in vally's files a name may be missing ("") or stand twice, and verdicts are kept by name.
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
    def written_name(self) -> str:
        """The name as the file has it; empty where it has none."""
        return self.name if self.name_in_file is None else self.name_in_file


@dataclass(frozen=True, slots=True)
class InputFile:
    """A file put into the workspace before the agent starts: `target` is relative to it."""

    target: str
    content: bytes
    is_executable: bool = False


@dataclass(frozen=True, slots=True)
class Repository:
    """A git repository put into the workspace at `dest`: the state of `commit`, or of the source's HEAD.

    With `is_workspace` it is what the workspace begins with, before any files are put there.
    """

    source: Path
    dest: str
    commit: str = ""
    is_workspace: bool = False


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """Graders that judge the state after turn `after_turn` (the prompt is turn 1).

    With `stops`, a checkpoint that did not pass ends the task's remaining turns.
    """

    after_turn: int
    graders: tuple[GraderEntry, ...]
    stops: bool = False


@dataclass(frozen=True, slots=True)
class Responder:
    """A model in the user's place: after each turn it answers, at most `most_followups` times. `model` "" is the eval's."""

    instructions: str
    most_followups: int
    model: str = ""


@dataclass(frozen=True, slots=True)
class McpMock:
    """A stand-in for an MCP server: per tool `description`, `input_schema` and `responses`, as the eval's file has them."""

    name: str
    tools: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class CommandMock:
    """A stand-in for a program: its `responses` as the eval's file has them, with `stdout` as a text."""

    name: str
    responses: tuple[Mapping[str, Any], ...] = ()
    expect_calls: int | None = None


@dataclass(frozen=True, slots=True)
class CustomAgent:
    """A custom agent under test. `tools` None is unrestricted; () allows no tool at all. `body` is its text."""

    path: Path
    name: str
    body: str
    tools: tuple[str, ...] | None = None


@dataclass(frozen=True, slots=True)
class Hook:
    """A command around runs or tasks: split on white space, executed without a shell."""

    command: str
    working_directory: str = ""
    exit_codes: tuple[int, ...] = (0,)
    error_on_fail: bool = False


@dataclass(frozen=True, slots=True)
class Constraint:
    """A limit of a run, or something that it must or must not use: a check that counts in no score.

    `key` says which (docs/reference/vally.md, section 3); `value` is a number, milliseconds, or a tuple of names.
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
    """How the scores of a trial's graders are put together, where that is not waza's way.

    See docs/reference/vally.md, section 5.

    The weights stand in the grader entries. Without a `threshold` every grader has to pass.
    """

    threshold: float | None = None


@dataclass(frozen=True, slots=True)
class Task:
    """One thing to ask the agent. `timeout_seconds` is per turn; `path`/`pointer` say where the task stands.

    `skill_directories` (absolute) replace the suite's when not None. `instructions` are those of `files` whose text goes
    into the system message. `mcp_servers` and `environment` variables come on top of the suite's. `setup` are shell
    commands for the workspace before the agent starts, `rubric` criteria for judges. `blocked` says why the task cannot
    be performed: its runs are errors before the agent starts.
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


@dataclass(frozen=True, slots=True)
class Metric:
    """A named measure of the suite with the threshold it is held to."""

    name: str
    weight: float = 1.0
    threshold: float = 0.0


@dataclass(frozen=True, slots=True)
class TriggerPrompt:
    """A prompt that should, or should not, make the agent load the skill; `confidence` `medium` counts half of `high`."""

    prompt: str
    should_trigger: bool
    confidence: str = "high"


@dataclass(frozen=True, slots=True)
class TriggerTests:
    """The trigger tests beside an eval."""

    skill: str
    prompts: tuple[TriggerPrompt, ...]
    path: Path | None = None


@dataclass(frozen=True, slots=True)
class RunSettings:
    """How the suite says it wants to be run; flags of the command line override single fields.

    `judge_model` may be the project's, `own_judge_model` is that of the eval itself. `skills_of_process`: the directory
    that the run is started in is a skill directory, too.
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
    """Whether the time limit is for all turns of a trial together."""


@dataclass(frozen=True, slots=True)
class ExperimentArm:
    """Which arm of an experiment a suite is run as: `variant`, compared with `baseline`; `arms` are those of this run.

    `run_id` is that of the experiment, whose arms are runs of their own; `path` is its file. The hashes are of the
    eval's text, and of the settings that it has in this arm.
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
    """Everything one run needs. `directory` is the eval's folder, `warnings` what the loader let pass.

    `disabled` are tasks of which nothing runs, but which had to load. `scoring` is None where scores are put together in
    waza's way. `arm` says that it is one arm of an experiment.
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

    @property
    def listed_as(self) -> Path:
        """The file whose runs these are: the eval, or the experiment."""
        return Path(self.arm.path) if self.arm is not None else self.path


@dataclass
class LoadError(Exception):
    """A file of the suite cannot be used: which file, where in its data, what is wrong and what to do.

    `line` and `column` (from zero) are set when the text is no YAML; otherwise `pointer` says where.
    """

    path: Path
    message: str
    pointer: Pointer = ()
    line: int | None = None
    column: int = 0

    def __str__(self) -> str:
        return f"{self.path}: {self.message}"
