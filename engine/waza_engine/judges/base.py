"""The one small interface between graders and judge models."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol


@dataclass(frozen=True, slots=True)
class JudgeTool:
    """A tool offered to the judge: `parameters` is a JSON Schema of its arguments."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class JudgeRequest:
    """One judge turn: the message, the tools it may call, and whose session is continued (if any)."""

    message: str
    tools: Sequence[JudgeTool] = ()
    model: str = ""
    reasoning_effort: str = ""
    session_id: str = ""
    workspace_dir: str = ""
    timeout_seconds: float = 120.0
    only_these_tools: bool = False


@dataclass(frozen=True, slots=True)
class JudgeCall:
    """A tool call the judge made; `arguments` as it sent them."""

    tool: str
    arguments: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class JudgeTurn:
    """What came back: the calls in order, the final text, and an error message if the turn went wrong."""

    calls: Sequence[JudgeCall] = ()
    text: str = ""
    error: str = ""
    usage: Mapping[str, Any] = field(default_factory=dict)


class JudgeError(Exception):
    """The turn could not be held at all."""


class Judge(Protocol):
    """Holds judge turns. Implementations: scripted (tests, recordings), OpenAI-compatible, Copilot."""

    def turn(self, request: JudgeRequest) -> JudgeTurn:
        """Hold one turn.

        Raises:
            JudgeError: no answer could be had; calls made before the failure are in `calls` of the error's turn.
        """
        ...
