"""The interface between graders and judge models."""

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
    """A tool call by the judge. If its arguments are not a JSON object, the call is `unreadable` and has none."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)
    unreadable: bool = False

    @classmethod
    def of(cls, tool: str, arguments: Any) -> Self:
        """Return a call with arguments of any type; None means that there are none."""
        if isinstance(arguments, Mapping):
            return cls(tool, arguments)
        return cls(tool, unreadable=arguments is not None)


Reminder = Callable[[Sequence[JudgeCall]], str]
"""Returns the message to a judge that ended its turn after these calls; "" if nothing is missing."""


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """One turn of a judge: the message and the tools it may call. `session_id` continues an earlier session.

    With `only_these_tools` the judge has no tools but `tools`; otherwise it may also inspect `workspace_dir`. While
    something is missing, `reminder` continues the conversation, at most `most_reminders` times. `retried` means that the
    caller repeats the request after a transient error, so that the judge need not.
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

    def next_reminder(self, calls: Sequence[JudgeCall], times: int) -> str:
        """Return the next message after these calls and `times` reminders; "" if the conversation is over."""
        return self.reminder(calls) if self.reminder is not None and times < self.most_reminders else ""


@dataclass(frozen=True, slots=True)
class JudgeTurn:
    """The result of a turn: the calls in order, the final text, and an error message if it failed."""

    calls: Sequence[JudgeCall] = ()
    text: str = ""
    error: str = ""
    usage: Mapping[str, Any] = field(default_factory=dict)


class JudgeError(Exception):
    """The turn failed. `calls` are the tool calls before that; `transient` means that a retry may succeed.

    `retry_after` is the time in seconds that the endpoint asks to wait. `attempts` is how often it was tried.
    """

    def __init__(
        self,
        message: str,
        calls: Sequence[JudgeCall] = (),
        *,
        transient: bool = False,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(message)
        self.calls = tuple(calls)
        self.transient = transient
        self.retry_after = retry_after
        self.attempts = 1


class JudgeMissing(JudgeError):  # noqa: N818  # a kind of JudgeError; the name says which
    """There is no judge: its client library is not installed, or it is not configured."""


class Judge(Protocol):
    """A judge model. Implementations: scripted (tests, recordings), OpenAI-compatible, Copilot."""

    def turn(self, request: JudgeRequest) -> JudgeTurn:
        """Perform one turn with tools.

        Raises:
            JudgeError: the turn failed; its `calls` are those made before.

        """
        ...

    def reply(self, message: str, model: str = "") -> Any:
        """Request one JSON reply without tools, for the legacy `llm` graders; return the decoded value, unchecked.

        Raises:
            JudgeMissing: there is no judge.
            JudgeError: the call failed, or the reply is not valid JSON.

        """
        ...
