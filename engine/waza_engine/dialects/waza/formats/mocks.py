"""Mocked MCP servers and commands, and adversarial runs (docs/reference/waza-formats.md, section 4.6)."""

from pydantic import Field

from waza_engine.mocks.command_name import COMMAND_NAME, COMMAND_NAME_RULE
from waza_engine.model.fields import AnyValue, IfGiven, Integer, ListOf, Strings, Text, TextMap
from waza_engine.model.schema_marks import FileModel, MapOf, SectionOf, marks


class McpResponse(FileModel):
    """One answer of a mocked tool; the first that matches is given."""

    match: AnyValue = Field(
        default=None,
        description="The arguments must be exactly these. Left out, the answer fits every call.",
        examples=[{"id": 7}],
        json_schema_extra=marks(type="object"),
    )
    match_schema: AnyValue = Field(
        default=None,
        description="JSON Schema that the arguments must fit.",
        examples=[{"required": ["id"]}],
        json_schema_extra=marks(type="object"),
    )
    match_regex: TextMap = Field(
        default={},
        description="RE2 patterns by argument name, each searched in the argument's text.",
        examples=[{"query": "(?i)invoice"}],
        json_schema_extra={
            "additionalProperties": {"type": "string", "format": "regex", "x-language": "regex"}
        },
    )
    return_: AnyValue = Field(
        default=None, alias="return", description="What the tool answers.", examples=[{"status": "ok"}]
    )
    error: Text = Field(default="", description="The tool fails with this message.", examples=["not found"])


class McpTool(FileModel):
    """A mocked tool and its answers."""

    description: Text = Field(
        default="", description="What the agent is told about the tool.", examples=["Finds users"]
    )
    input_schema: AnyValue = Field(
        default=None,
        description="JSON Schema of the tool's arguments.",
        examples=[{"type": "object"}],
        json_schema_extra=marks(type="object"),
    )
    responses: ListOf[McpResponse] = Field(
        min_length=1,
        description="The answers; the first that matches is given, none that matches is a tool error.",
        examples=[[{"return": {"status": "ok"}}]],
    )


class McpMock(FileModel):
    """A stand-in for an MCP server. It replaces a server of the same name in `mcp_servers`."""

    name: Text = Field(min_length=1, description="Name of the server; each name once.", examples=["tickets"])
    fixtures: Text = Field(
        default="",
        description="Directory of JSON files, each a tool of the file's name. Relative to the eval file.",
        examples=["mocks/tickets"],
        json_schema_extra=marks(path=("eval", "directory")),
    )
    tools: MapOf[SectionOf[McpTool]] = Field(
        default={},
        description="Tools of the server, by name.",
        examples=[{"find": {"responses": [{"return": {"status": "ok"}}]}}],
    )


class CommandResponse(FileModel):
    """One answer of a mocked command; the first that matches is given."""

    args: IfGiven[Strings] = Field(
        default=None,
        description="The arguments must be exactly these.",
        examples=[["deploy", "--env", "staging"]],
    )
    args_regex: IfGiven[Strings] = Field(
        default=None,
        description="RE2 patterns, one for each argument; each must match its whole argument.",
        examples=[["deploy", "--env=.*"]],
        json_schema_extra={"items": {"type": "string", "format": "regex", "x-language": "regex"}},
    )
    environment: TextMap = Field(
        default={},
        description="Environment variables that must have these values.",
        examples=[{"STAGE": "test"}],
    )
    workdir: Text = Field(
        default="",
        description="Directory of the workspace in which the command must be called.",
        examples=["services/api"],
        json_schema_extra=marks(path=("workspace", "directory")),
    )
    stdout: AnyValue = Field(
        default=None,
        description="What the command prints; a structure is printed as JSON.",
        examples=["done\n"],
    )
    fixture: Text = Field(
        default="",
        description="File with what the command prints, instead of `stdout`. Relative to the eval file.",
        examples=["mocks/status.txt"],
        json_schema_extra=marks(path=("eval", "file")),
    )
    stderr: Text = Field(
        default="", description="What the command prints to standard error.", examples=["locked"]
    )
    exit_code: Integer = Field(default=0, ge=0, le=255, description="Exit code of the command.", examples=[3])


class CommandMock(FileModel):
    """A stand-in for a program that the agent calls. Only with the executor `copilot-sdk`."""

    name: Text = Field(
        description="Name of the program; each name once, upper and lower case being the same.",
        examples=["kubectl"],
        json_schema_extra={"pattern": f"^{COMMAND_NAME}$", "x-pattern-text": f"it {COMMAND_NAME_RULE}"},
    )
    expect_calls: Integer | None = Field(
        default=None, ge=0, description="How often the program must be called.", examples=[1]
    )
    responses: ListOf[CommandResponse] = Field(
        min_length=1,
        description="The answers; the first that matches is given.",
        examples=[[{"args": ["status"], "stdout": "healthy\n"}]],
    )


class Adversarial(FileModel):
    """Attacks that `waza adversarial` tries. An ordinary run ignores them."""

    packs: Strings = Field(
        min_length=1,
        description="Packs of attacks; each once.",
        examples=[["prompt-injection"]],
        json_schema_extra={
            "items": {"type": "string", "x-suggestions": ["prompt-injection", "scope-bypass"]}
        },
    )
    on_unsafe_outcome: Text = Field(
        default="fail",
        description="What an attack that succeeds means.",
        examples=["warn"],
        json_schema_extra=marks(
            values={"fail": "The command fails with exit code 2.", "warn": "It is reported, and no more."}
        ),
    )
