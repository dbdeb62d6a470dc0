"""The interface of executors: a prepared workspace in, a `Trajectory` out.

Executors neither grade nor store anything. The agent's own failures (an error message, a timeout) are part of the
trajectory, because graders still check what exists (docs/reference/waza-formats.md, section 13.4). An exception means
that there is nothing to grade.
"""

from collections.abc import Awaitable, Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol

from waza_engine.lib.files.digests import digest
from waza_engine.lib.files.temporary import temporary_folder
from waza_engine.model.suite import InputFile, Task
from waza_engine.model.trajectory import Trajectory


class ExecutorError(Exception):
    """A trial or trigger prompt could not run at all; the message says why and what to do.

    With `infrastructure` it may run later: the agent's endpoint is down, for example.
    """

    def __init__(self, message: str, *, infrastructure: bool = False) -> None:
        super().__init__(message)
        self.infrastructure = infrastructure


class UnavailableError(Exception):
    """No trial can run: unknown executor, missing program, no login. The run ends with exit status 2.

    The first sentence of the message says what is missing, the others what to do. `extra` is the extra of this
    distribution that is not installed, if that is the reason.
    """

    def __init__(self, message: str, *, extra: str = "") -> None:
        super().__init__(message)
        self.extra = extra


class NoExecutorError(UnavailableError):
    """There is no executor called `name`, or it cannot be loaded."""

    def __init__(self, message: str, name: str) -> None:
        super().__init__(message)
        self.name = name


@dataclass(frozen=True, slots=True)
class ExecutorOptions:
    """The options of an executor. `recordings` is None for the executor's own default.

    `agent_command` is the program of `command` and `acp`; `agent_format` is how `command` reads its output.
    `environment` is that of our process.
    """

    eval_dir: Path
    model: str = ""
    recordings: Path | None = None
    agent_command: str = ""
    agent_format: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)


AfterTurn = Callable[[int, Trajectory], Awaitable[str | None]]
"""Called after each turn (from 1) with the trajectory so far; returns the next prompt, None at the end."""


async def single_turn(_turn: int, _so_far: Trajectory) -> str | None:
    """An `AfterTurn` for trials of one turn."""
    return None


TOOL_CALLS, TOOL_NAMES, SKILLS, TOKENS = "tool calls", "tool names", "skills", "tokens"
"""Facts about the agent that an executor may not know (`Executor.unknown`); `runs.unknown` defines each."""
RESPONDER, SYSTEM_MESSAGE, MCP_SERVERS = "responder", "system message", "MCP servers"
COMMAND_MOCKS, ALLOWED_TOOLS, REASONING_EFFORT = (
    "command mocks",
    "tools of the custom agent",
    "reasoning effort",
)
AGENT_COMMAND = "agent command"
MOCK, REPLAY = "mock", "replay"
"""The executors without an agent, which spend no tokens."""
NO_AGENT = frozenset(
    [
        *(RESPONDER, SYSTEM_MESSAGE, SKILLS, MCP_SERVERS, COMMAND_MOCKS, ALLOWED_TOOLS, REASONING_EFFORT),
        AGENT_COMMAND,
    ]
)
"""What an executor without an agent ignores (`ignores`)."""


@dataclass(frozen=True, slots=True)
class TrialRequest:
    """One trial in `workspace_dir`: send the task's prompt, then the prompts that `after_turn` returns.

    `timeout_seconds` is per turn, or with `timeout_of_trial` for all turns. On a timeout the executor stops the agent
    and returns the trajectory so far, with the timeout as its error. `first_event_timeout_seconds` 0 sets no limit.
    `skill` is the one under test; `system_message` is appended to the agent's own. `baseline` is the run without
    skills: the agent must not load any, wherever they come from. The agent starts in `working_dir`. `environment` is
    added to that of the agent's process. `allowed_tools` None allows every tool. Mocks write their calls into `mocks_dir`.
    """

    task: Task
    trial: int
    workspace_dir: Path
    model: str = ""
    reasoning_effort: str = ""
    timeout_seconds: float = 300.0
    first_event_timeout_seconds: float = 0.0
    skill: str = ""
    system_message: str = ""
    skill_directories: tuple[Path, ...] = ()
    mcp_servers: Mapping[str, Any] = field(default_factory=dict)
    environment: Mapping[str, str] = field(default_factory=dict)
    timeout_of_trial: bool = False
    allowed_tools: tuple[str, ...] | None = None
    mocks_dir: Path | None = None
    baseline: bool = False
    after_turn: AfterTurn = single_turn

    @property
    def writable(self) -> tuple[Path, ...]:
        """The folders that the agent may change in a sandbox."""
        return (self.workspace_dir, *((self.mocks_dir,) if self.mocks_dir else ()))

    @property
    def working_dir(self) -> Path:
        """The directory in which the agent starts."""
        return self.workspace_dir / self.task.workdir


@dataclass(frozen=True, slots=True)
class TriggerRequest:
    """One trigger prompt: does the agent load `skill`? `should_trigger` is what the test expects.

    `files` are put into the workspace.
    """

    prompt: str
    skill: str
    should_trigger: bool
    model: str = ""
    timeout_seconds: float = 300.0
    skill_directories: tuple[Path, ...] = ()
    files: tuple[InputFile, ...] = ()


Progress = Callable[[str], None]
"""Called with one line whenever the agent does something worth showing."""


class Executor(Protocol):
    """Runs trials, concurrently if the run is parallel."""

    name: ClassVar[str]
    """The value of `config.executor` and `--executor`."""
    unknown: frozenset[str]
    """What its trajectories never contain: `TOOL_CALLS`, `TOOL_NAMES`, `SKILLS`, `TOKENS`. Graders that need it have no verdict.

    Four members are optional. `confines` says that the executor starts its agent with `lib.process.sandbox.confined`, so
    that it can run in a sandbox. `ignores` is a frozenset of words of `NO_AGENT` that the executor ignores; the user gets
    a message about them. `warning` is a sentence about options that are probably a mistake, or "". `identity` is a
    method without arguments that returns a text. The text changes with everything outside of the plan that can change
    the agent's work, such as its program. Cached results of a different identity are not used.
    """

    def __init__(self, options: ExecutorOptions) -> None: ...

    async def start(self) -> None:
        """Prepare for trials.

        Raises:
            UnavailableError: no trial can run.

        """
        ...

    async def run(self, request: TrialRequest, progress: Progress) -> Trajectory:
        """Run one trial. Files that exist in no workspace (of recordings) are in the trajectory's `files`.

        Raises:
            ExecutorError: the trial could not run.

        """
        ...

    async def triggered(self, request: TriggerRequest) -> bool:
        """Whether the prompt made the agent load the skill.

        Raises:
            ExecutorError: this prompt could not run.
            UnavailableError: no trigger prompt can run.

        """
        ...

    async def close(self) -> None:
        """Stop everything that the executor started. Called once, also after a failure."""
        ...


def agent_of(executor: Executor) -> str:
    """Return a digest of the executor's name and identity; never empty."""
    identity = getattr(executor, "identity", None)
    text = identity() if identity is not None else ""
    return digest(repr((executor.name, text)).encode("utf-8", "replace"))


@contextmanager
def workspace_of(request: TriggerRequest) -> Iterator[str]:
    """A temporary workspace with the request's files; a file that cannot be written is left out."""
    with temporary_folder() as root:
        for file in request.files:
            with suppress(OSError):
                path = root / file.target
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(file.content)
        yield str(root)
