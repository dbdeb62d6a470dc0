"""What an agent did in one trial: the record that every executor yields and every grader reads.

The JSON form is the one of waza's results and of recordings (docs/reference/waza-graders.md, sections 3.1 to
3.3). Reading is lenient: unknown members are dropped, absent ones take their zero value.
"""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from waza_engine.model.fields import Flag, Integer, ListOf, Text, TextMap

DIGEST_ARGUMENTS = ("path", "file_text", "command", "description", "skill")
"""The arguments of a tool call that the digest keeps; read from JSON it has no others."""
_LENIENT = ConfigDict(extra="ignore", frozen=True, defer_build=True)


def _arguments(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


class ToolCall(BaseModel):
    """One tool call of the digest; `arguments` hold path, file_text, command, description, skill and extras."""

    model_config = _LENIENT

    id: Text = ""
    name: Text = ""
    arguments: Annotated[dict[str, Any], BeforeValidator(_arguments)] = Field(default_factory=dict)
    result: Any = None
    success: Flag = False


class Usage(BaseModel):
    """Token counts of a session; cache counts are not part of `tokens`."""

    model_config = _LENIENT

    turns: Integer = 0
    input_tokens: Integer = 0
    output_tokens: Integer = 0
    cache_read_tokens: Integer = 0
    cache_write_tokens: Integer = 0
    premium_requests: float = 0.0

    @property
    def tokens(self) -> int:
        """What graders mean by tokens: input and output."""
        return self.input_tokens + self.output_tokens


class Session(BaseModel):
    """The session digest. `tools_used` names every call in order, repeats kept."""

    model_config = _LENIENT

    tool_call_count: Integer = 0
    tools_used: ListOf[Text] = Field(default_factory=list)
    tool_calls: ListOf[ToolCall] = Field(default_factory=list)
    errors: ListOf[Any] = Field(default_factory=list)
    usage: Usage | None = None
    session_id: Text = ""


class ToolEvent(BaseModel):
    """One tool event: the call with its full arguments (any JSON value)."""

    model_config = _LENIENT

    turn: Integer = 0
    sequence: Integer = 0
    tool_call_id: Text = ""
    tool_name: Text = ""
    args: Any = None
    result: Any = None
    success: Flag = False
    error: Text = ""
    duration_ms: Integer = 0


class SkillInvocation(BaseModel):
    """A skill the agent loaded."""

    model_config = _LENIENT

    name: Text = ""
    path: Text = ""


class CommandInvocation(BaseModel):
    """A mocked program that was called; `response_index` is -1 when none of its responses fitted."""

    model_config = _LENIENT

    command: Text = ""
    args: ListOf[Text] = Field(default_factory=list)
    exit_code: Integer = 0
    response_index: Integer = -1


class Replies(BaseModel):
    """What became of the simulated user: `stopped`, `abstained`, `cap_exhausted` or `error`, after `followups` replies."""

    model_config = _LENIENT

    outcome: Text = ""
    followups: Integer = 0
    reason: Text = ""


class Trajectory(BaseModel):
    """One trial as recorded: everything that graders need, plus the workspace's text files after the run.

    `error` is the agent's error message, empty when it ended well; `duration_ms` is agent time in milliseconds.
    `removed` are input files that were gone after the run, `uncaptured` files that were there but are no text or too
    big to keep. `patch` is what the agent changed in the workspace, as a unified diff; None where nobody looked.
    `stimulus` is what else the task said, where a trajectory tells it (docs/reference/vally.md, section 10.1).
    """

    model_config = _LENIENT

    version: Integer = 1
    task: Text = ""
    model: Text = ""
    prompt: Text = ""
    output: Text = ""
    error: Text = ""
    duration_ms: Integer = 0
    session_id: Text = ""
    transcript: ListOf[dict[str, Any]] = Field(default_factory=list)
    session: Session | None = None
    tool_events: ListOf[ToolEvent] = Field(default_factory=list)
    skills: ListOf[SkillInvocation] = Field(default_factory=list)
    files: TextMap = Field(default_factory=dict)
    removed: ListOf[Text] = Field(default_factory=list)
    uncaptured: ListOf[Text] = Field(default_factory=list)
    command_invocations: ListOf[CommandInvocation] = Field(default_factory=list)
    responder: Replies | None = None
    patch: str | None = None
    stimulus: dict[str, Any] | None = None
