"""The trajectory: what an agent did in one trial. Executors produce it, graders read it.

Its JSON form is that of waza's results and of recordings (docs/reference/waza-graders.md, sections 3.1 to 3.3). Reading
is lenient: unknown members are dropped, missing ones take their zero value.
"""

from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from waza_engine.model.fields import Flag, Integer, ListOf, Text, TextMap

DIGEST_ARGUMENTS = ("path", "file_text", "command", "description", "skill")
"""The arguments of a tool call that the session digest keeps. One that is read from JSON has no others."""
_LENIENT = ConfigDict(extra="ignore", frozen=True, defer_build=True)


def _arguments(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


class ToolCall(BaseModel):
    """One tool call of the digest. `arguments` are those of `DIGEST_ARGUMENTS` and extras."""

    model_config = _LENIENT

    id: Text = ""
    name: Text = ""
    arguments: Annotated[dict[str, Any], BeforeValidator(_arguments)] = Field(default_factory=dict)
    result: Any = None
    success: Flag = False


class Usage(BaseModel):
    """Token counts of a session. `tokens` does not include cache counts."""

    model_config = _LENIENT

    turns: Integer = 0
    input_tokens: Integer = 0
    output_tokens: Integer = 0
    cache_read_tokens: Integer = 0
    cache_write_tokens: Integer = 0
    premium_requests: float = 0.0

    @property
    def tokens(self) -> int:
        """The tokens that graders count: input and output."""
        return self.input_tokens + self.output_tokens


class Session(BaseModel):
    """The session digest. `tools_used` has the tool name of every call, in order."""

    model_config = _LENIENT

    tool_call_count: Integer = 0
    tools_used: ListOf[Text] = Field(default_factory=list)
    tool_calls: ListOf[ToolCall] = Field(default_factory=list)
    errors: ListOf[Any] = Field(default_factory=list)
    usage: Usage | None = None
    session_id: Text = ""


class ToolEvent(BaseModel):
    """One tool call with its full arguments (any JSON value)."""

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
    """A call of a mocked program; `response_index` is -1 if none of its responses matched."""

    model_config = _LENIENT

    command: Text = ""
    args: ListOf[Text] = Field(default_factory=list)
    exit_code: Integer = 0
    response_index: Integer = -1


class ResponderOutcome(BaseModel):
    """How the responder ended: `stopped`, `abstained`, `cap_exhausted` or `error`, after `followups` replies."""

    model_config = _LENIENT

    outcome: Text = ""
    followups: Integer = 0
    reason: Text = ""


class Trajectory(BaseModel):
    """One recorded trial: everything that graders need, and the workspace's text files after the run.

    `error` is the agent's error message, "" if there is none; `duration_ms` is the agent's time. `removed` are input
    files that the agent deleted, `uncaptured` files that are binary or too large to keep. `patch` is the unified diff of
    the workspace, None if it was not computed. `artifact_dir` is vally's directory of the trial's artifacts. `stimulus` is the rest of the task, where the trajectory includes it
    (docs/reference/vally.md, section 10.1). With `infrastructure`, `error` is not the agent's: its endpoint was down, for example.
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
    responder: ResponderOutcome | None = None
    patch: str | None = None
    stimulus: dict[str, Any] | None = None
    artifact_dir: Text = ""
    infrastructure: Flag = Field(default=False, exclude_if=lambda it: not it)
