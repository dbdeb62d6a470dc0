"""The one small interface between a run and whoever performs its tasks.

An executor gets a prepared workspace and yields a `Trajectory`; it neither grades nor stores anything. What goes
wrong with the agent itself (an error message, a timeout) is part of the trajectory, because the graders still
look at what exists (docs/reference/waza-formats.md, section 13.4). An exception means that there is nothing to grade.

The folder that an agent works in while it is asked a trigger prompt.
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
    """A trial or a prompt could not be performed at all; the text says why and what to do."""


class UnavailableError(Exception):
    """No trial can be performed: unknown executor, missing program, no login. The run ends with exit status 2."""


@dataclass(frozen=True, slots=True)
class ExecutorOptions:
    """What an executor may be told when it is made. `recordings` is None for the executor's own default.

    `agent_command` is what `command` and `acp` start, `agent_format` how `command` reads what that prints.
    `environment` is the process's own.
    """

    eval_dir: Path
    model: str = ""
    recordings: Path | None = None
    agent_command: str = ""
    agent_format: str = ""
    environment: Mapping[str, str] = field(default_factory=dict)


AfterTurn = Callable[[int, Trajectory], Awaitable[str | None]]
"""Called after each turn (from 1) with what there is so far; the next thing to say to the agent, None when all is said."""


async def all_said(_turn: int, _so_far: Trajectory) -> str | None:
    """An `AfterTurn` for trials of one turn."""
    return None


TOOL_CALLS, TOOL_NAMES, SKILLS, TOKENS = "tool calls", "tool names", "skills", "tokens"
"""What an executor may not know of what its agent did (`Executor.unknown`; what each means stands in `runs.unknown`)."""
RESPONDER, SYSTEM_MESSAGE, MCP_SERVERS = "responder", "system message", "MCP servers"
COMMAND_MOCKS, ALLOWED_TOOLS, REASONING_EFFORT = (
    "command mocks",
    "tools of the custom agent",
    "reasoning effort",
)
AGENT_COMMAND = "agent command"
NO_AGENT = frozenset(
    [
        *(RESPONDER, SYSTEM_MESSAGE, SKILLS, MCP_SERVERS, COMMAND_MOCKS, ALLOWED_TOOLS, REASONING_EFFORT),
        AGENT_COMMAND,
    ]
)
"""What an executor without an agent makes no use of (`ignores`)."""


@dataclass(frozen=True, slots=True)
class TrialRequest:
    """One trial: send the task's prompt, then whatever `after_turn` answers, working in `workspace_dir`.

    `timeout_seconds` is per turn, or with `timeout_of_trial` for all of them. When a turn takes longer, the executor
    stops the agent and returns what there is, with the timeout as the trajectory's error. `first_event_timeout_seconds`
    0 sets no limit. `skill` is the one under test; `system_message` is added to the agent's own. `baseline` is the pass
    without skills: none may be loaded, wherever it would come from. The agent starts in `working_dir`. `environment` is
    added to that of the agent's process. `allowed_tools` None allows every tool.
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
    baseline: bool = False
    after_turn: AfterTurn = all_said

    @property
    def working_dir(self) -> Path:
        """The directory in the workspace that the agent starts in."""
        return self.workspace_dir / self.task.workdir


@dataclass(frozen=True, slots=True)
class TriggerRequest:
    """One trigger prompt: does the agent load `skill`? `should_trigger` is what the test expects.

    `files` are to be in its workspace.
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
    """Performs trials, several at a time if the run is parallel. Made with `ExecutorOptions`."""

    name: ClassVar[str]
    """The value of `config.executor` and `--executor`."""
    unknown: frozenset[str]
    """What its trajectories can never tell: `TOOL_CALLS` and the words beside it. Graders that need it have no verdict.

    An executor may also have `ignores`, a frozenset of words of `NO_AGENT`: what it makes no use of. The user is told, as
    of `warning`, a sentence about what was asked of it and cannot be meant, "" where there is nothing to say. And
    `identity`, a method without arguments: a text that changes with everything beside a plan that can change what the
    agent does, such as its program. Results of another one are not taken from the cache.
    """

    def __init__(self, options: ExecutorOptions) -> None: ...

    async def start(self) -> None:
        """Get ready for trials.

        Raises:
            UnavailableError: no trial can be performed.

        """
        ...

    async def run(self, request: TrialRequest, progress: Progress) -> Trajectory:
        """Perform one trial. Files that it left in no workspace (recordings) are in the trajectory's `files`.

        Raises:
            ExecutorError: the trial could not be performed.

        """
        ...

    async def triggered(self, request: TriggerRequest) -> bool:
        """Whether the prompt made the agent load the skill.

        Raises:
            ExecutorError: this prompt could not be performed.
            UnavailableError: none can.

        """
        ...

    async def close(self) -> None:
        """Stop everything that was started. Called once, also after a failure."""
        ...


def agent_of(executor: Executor) -> str:
    """What tells the agent that an executor starts from others; never empty."""
    identity = getattr(executor, "identity", None)
    told = identity() if identity is not None else ""
    return digest(repr((executor.name, told)).encode("utf-8", "replace"))


@contextmanager
def workspace_of(request: TriggerRequest) -> Iterator[str]:
    """A temporary folder with the request's files in it; one that cannot be written there is left out."""
    with temporary_folder() as root:
        for it in request.files:
            with suppress(OSError):
                path = root / it.target
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_bytes(it.content)
        yield str(root)
