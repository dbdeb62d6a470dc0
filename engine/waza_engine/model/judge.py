"""The one small interface between graders and judge models."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

NO_JUDGE = "No judge is configured: set OPENAI_API_KEY, or OPENAI_BASE_URL for another endpoint"


@dataclass(frozen=True, slots=True)
class JudgeTool:
    """A tool offered to the judge: `parameters` is a JSON Schema of its arguments."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class JudgeCall:
    """A tool call the judge made; `arguments` as it sent them. What is no object is `unreadable`, and says nothing."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    unreadable: bool = False

    @classmethod
    def of(cls, tool: str, given: Any) -> Self:
        """The call with the arguments that were given, whatever they are; None is none at all."""
        if isinstance(given, Mapping):
            return cls(tool, given)
        return cls(tool, unreadable=given is not None)


Reminder = Callable[[Sequence[JudgeCall]], str]
"""What to say to a judge that ended its turn after these calls; empty when nothing is missing."""


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """One judge turn: the message, the tools it may call, and whose session is continued (if any).

    `only_these_tools` forbids the judge every tool but `tools`; otherwise it may look around in `workspace_dir`.
    `reminder` keeps the conversation going while something is missing, at most `most_reminders` times. `retried` says
    that whoever asks will ask again after a passing fault, so that the judge need not.
    """

    message: str
    tools: Sequence[JudgeTool] = ()
    model: str = ""
    reasoning_effort: str = ""
    session_id: str = ""
    workspace_dir: str = ""
    timeout_seconds: float = 120.0
    only_these_tools: bool = False
    system_message: str = ""
    reminder: Reminder | None = None
    most_reminders: int = 2
    retried: bool = False

    def reminded(self, calls: Sequence[JudgeCall], times: int) -> str:
        """What to say on after these calls and so many reminders; empty when the conversation is over."""
        return self.reminder(calls) if self.reminder is not None and times < self.most_reminders else ""


@dataclass(frozen=True, slots=True)
class JudgeTurn:
    """What came back: the calls in order, the final text, and an error message if the turn went wrong."""

    calls: Sequence[JudgeCall] = ()
    text: str = ""
    error: str = ""
    usage: Mapping[str, Any] = field(default_factory=dict)


class JudgeError(Exception):
    """The turn could not be held, or broke off; `calls` are the tool calls made before that.

    `transient` says that the same question may well be answered a little later.
    """

    def __init__(self, message: str, calls: Sequence[JudgeCall] = (), *, transient: bool = False) -> None:
        super().__init__(message)
        self.calls = tuple(calls)
        self.transient = transient


class JudgeMissing(JudgeError):  # noqa: N818  # a kind of JudgeError; the name says which
    """There is no judge to ask: its client library is not installed or nothing is configured."""


class Judge(Protocol):
    """Asks a judge model. Implementations: scripted (tests, recordings), OpenAI-compatible, Copilot."""

    def turn(self, request: JudgeRequest) -> JudgeTurn:
        """Hold one turn with tools.

        Raises:
            JudgeError: no answer could be had; the calls made before the failure are in its `calls`.

        """
        ...

    def reply(self, message: str, model: str = "") -> Any:
        """Ask for one JSON reply without tools (the legacy `llm` graders); the decoded value, unchecked.

        Raises:
            JudgeMissing: nobody can be asked.
            JudgeError: the call failed, or what came back is no JSON.

        """
        ...
