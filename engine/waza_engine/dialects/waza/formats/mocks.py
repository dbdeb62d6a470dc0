"""Mocked MCP servers and commands, and adversarial runs (docs/reference/waza-formats.md, section 4.6)."""

from typing import Any

from pydantic import ConfigDict, Field

from waza_engine.mocks.command_name import COMMAND_NAME, COMMAND_NAME_RULE
from waza_engine.model.fields import AnyValue, IfGiven, Integer, ListOf, Strings, Text, TextMap
from waza_engine.model.schema_marks import FileModel, MapOf, SectionOf, foreign_keys, marks

_RESPONSE: dict[str, Any] = {
    **foreign_keys(delay_ms="Only the steps of a `sequence` have a `delay_ms`"),
    "x-strict-with": ["sequence", "delay_ms"],
}
"""waza refuses unknown keys in a response with one of these keys, whatever the version of the file is."""
_STEP: dict[str, Any] = {"x-strict": True}
_MCP_OUTPUTS = [["return", "error"]]
_COMMAND_OUTPUTS = [["stdout", "fixture"]]
"""Keys that exclude each other."""


def _delay() -> Any:
    return Field(
        default=0,
        ge=0,
        description="Delay before the step's answer, in milliseconds.",
        examples=[20],
        json_schema_extra={"x-unit": "_ms"},
    )


class McpStep(FileModel):
    """The answer to one call of a mocked tool: either `return` or `error`."""

    model_config = ConfigDict(json_schema_extra=_STEP | {"x-exclusive": _MCP_OUTPUTS})

    return_: AnyValue = Field(
        default=None, alias="return", description="Return value of the tool.", examples=[{"status": "ok"}]
    )
    error: Text = Field(
        default="", description="The tool fails with this message.", examples=["temporarily unavailable"]
    )
    delay_ms: Integer = _delay()


class McpResponse(FileModel):
    """A response of a mocked tool. The first one that matches is used."""

    model_config = ConfigDict(
        json_schema_extra=_RESPONSE
        | {"x-exclusive": [*_MCP_OUTPUTS, *(["sequence", it] for it in ("return", "error"))]}
    )

    match: AnyValue = Field(
        default=None,
        description="Exact arguments to match. By default, the response matches every call.",
        examples=[{"id": 7}],
        json_schema_extra={"type": "object"},
    )
    match_schema: AnyValue = Field(
        default=None,
        description="JSON Schema that the arguments must match.",
        examples=[{"required": ["id"]}],
        json_schema_extra={"type": "object"},
    )
    match_regex: TextMap = Field(
        default={},
        description="RE2 patterns by argument name. Each must match in the argument.",
        examples=[{"query": "(?i)invoice"}],
        json_schema_extra={
            "additionalProperties": {"type": "string", "format": "regex", "x-language": "regex"}
        },
    )
    return_: AnyValue = Field(
        default=None, alias="return", description="Return value of the tool.", examples=[{"status": "ok"}]
    )
    error: Text = Field(default="", description="The tool fails with this message.", examples=["not found"])
    sequence: IfGiven[ListOf[McpStep]] = Field(
        default=None,
        min_length=1,
        description=(
            "Answers to successive calls, instead of `return` and `error`. Each call takes the next step. "
            "After the last step, calls fail. Needs an eval with `scenario`."
        ),
        examples=[[{"error": "temporarily unavailable"}, {"return": {"status": "ok"}}]],
    )


class McpTool(FileModel):
    """A mocked tool and its responses."""

    description: Text = Field(
        default="", description="Description of the tool for the agent.", examples=["Finds users"]
    )
    input_schema: AnyValue = Field(
        default=None,
        description="JSON Schema of the tool's arguments.",
        examples=[{"type": "object"}],
        json_schema_extra={"type": "object"},
    )
    responses: ListOf[McpResponse] = Field(
        min_length=1,
        description="Responses of the tool. The first one that matches is used. If none matches, the call is a tool error.",
        examples=[[{"return": {"status": "ok"}}]],
    )


class McpMock(FileModel):
    """A mock of an MCP server. It replaces a server with the same name in `mcp_servers`."""

    name: Text = Field(min_length=1, description="Name of the server. Must be unique.", examples=["tickets"])
    fixtures: Text = Field(
        default="",
        description="Directory of JSON files, one per tool, named like the tool. Relative to the eval file.",
        examples=["mocks/tickets"],
        json_schema_extra=marks(path=("eval", "directory")),
    )
    tools: MapOf[SectionOf[McpTool]] = Field(
        default={},
        description="Tools of the server, by name.",
        examples=[{"find": {"responses": [{"return": {"status": "ok"}}]}}],
    )


def _stdout() -> Any:
    return Field(
        default=None,
        description="Output of the command. Lists and mappings are printed as JSON.",
        examples=["done\n"],
    )


def _fixture() -> Any:
    return Field(
        default="",
        description="File with the output of the command, instead of `stdout`. Relative to the eval file.",
        examples=["mocks/status.txt"],
        json_schema_extra=marks(path=("eval", "file")),
    )


def _stderr() -> Any:
    return Field(default="", description="Error output of the command.", examples=["locked"])


def _exit_code() -> Any:
    return Field(default=0, ge=0, le=255, description="Exit code of the command.", examples=[3])


class CommandStep(FileModel):
    """The answer to one call of a mocked command."""

    model_config = ConfigDict(json_schema_extra=_STEP | {"x-exclusive": _COMMAND_OUTPUTS})

    stdout: AnyValue = _stdout()
    fixture: Text = _fixture()
    stderr: Text = _stderr()
    exit_code: Integer = _exit_code()
    delay_ms: Integer = _delay()


class CommandResponse(FileModel):
    """A response of a mocked command. The first one that matches is used."""

    model_config = ConfigDict(
        json_schema_extra=_RESPONSE
        | {
            "x-exclusive": [
                ["args", "args_regex"],
                *_COMMAND_OUTPUTS,
                *(["sequence", it] for it in ("stdout", "fixture", "stderr", "exit_code")),
            ]
        }
    )

    args: IfGiven[Strings] = Field(
        default=None,
        description="Exact arguments to match.",
        examples=[["deploy", "--env", "staging"]],
    )
    args_regex: IfGiven[Strings] = Field(
        default=None,
        description="RE2 patterns, one for each argument. Each must match the whole argument.",
        examples=[["deploy", "--env=.*"]],
        json_schema_extra={"items": {"type": "string", "format": "regex", "x-language": "regex"}},
    )
    environment: TextMap = Field(
        default={},
        description="Environment variables and their required values.",
        examples=[{"STAGE": "test"}],
    )
    workdir: Text = Field(
        default="",
        description="Directory in the workspace in which the command must be called.",
        examples=["services/api"],
        json_schema_extra=marks(path=("workspace", "directory")),
    )
    stdout: AnyValue = _stdout()
    fixture: Text = _fixture()
    stderr: Text = _stderr()
    exit_code: Integer = _exit_code()
    sequence: IfGiven[ListOf[CommandStep]] = Field(
        default=None,
        min_length=1,
        description=(
            "Answers to successive calls, instead of the outputs of this response. Each call takes the next step. "
            "After the last step, calls fail. Needs an eval with `scenario`."
        ),
        examples=[[{"stderr": "busy", "exit_code": 1}, {"stdout": "done\n"}]],
    )


class CommandMock(FileModel):
    """A mock of a program that the agent calls. Only with the executor `copilot-sdk`."""

    name: Text = Field(
        description="Name of the program. Must be unique (case-insensitive).",
        examples=["kubectl"],
        json_schema_extra={"pattern": f"^{COMMAND_NAME}$", "x-pattern-text": f"it {COMMAND_NAME_RULE}"},
    )
    expect_calls: Integer | None = Field(
        default=None, ge=0, description="Required number of calls.", examples=[1]
    )
    responses: ListOf[CommandResponse] = Field(
        min_length=1,
        description="Responses of the command. The first one that matches is used.",
        examples=[[{"args": ["status"], "stdout": "healthy\n"}]],
    )


class Adversarial(FileModel):
    """Attacks for `waza adversarial`. Ordinary runs ignore them."""

    packs: Strings = Field(
        min_length=1,
        description="Packs of attacks. Each may be listed only once.",
        examples=[["prompt-injection"]],
        json_schema_extra={
            "items": {"type": "string", "x-suggestions": ["prompt-injection", "scope-bypass"]}
        },
    )
    on_unsafe_outcome: Text = Field(
        default="fail",
        description="What happens if an attack succeeds.",
        examples=["warn"],
        json_schema_extra=marks(
            values={"fail": "The command fails with exit code 2.", "warn": "The command only reports it."}
        ),
    )
