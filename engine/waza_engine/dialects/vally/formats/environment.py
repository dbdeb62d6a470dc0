"""What a run finds in its workspace and around it (docs/reference/vally.md, section 4)."""

from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, Field

from waza_engine.dialects.vally.fields import Duration
from waza_engine.dialects.vally.formats.model import NAMED_BY_KEY, TolerantModel, tolerant
from waza_engine.model.fields import ListOf, Strings, Text, TextMap, as_text
from waza_engine.model.schema_marks import MapOf, SectionOf, item_marks, marks


class StagedFile(TolerantModel):
    """A file or directory that is copied into the workspace before the run."""

    model_config = ConfigDict(json_schema_extra={**tolerant(), "x-title-from": ["dest", "src"]})

    src: Text = Field(
        min_length=1,
        description="What is copied, relative to the eval file, also from a named environment. A directory with all in it.",
        examples=["fixtures/app"],
        json_schema_extra=marks(path=("eval", "any")),
    )
    dest: Text = Field(
        min_length=1,
        description="Where it is put, relative to the workspace; `.` is the workspace itself.",
        examples=["app"],
    )


class Worktree(TolerantModel):
    """A state of a git repository that is the workspace."""

    model_config = ConfigDict(json_schema_extra=tolerant())

    type: Text = Field(
        default="worktree",
        description="How the workspace is made from the repository.",
        examples=["worktree"],
        json_schema_extra={
            **marks(values={"worktree": "A worktree of `source` at `ref`."}, required=True, tolerated=True),
            "x-open": "information",
        },
    )
    source: Text = Field(
        min_length=1,
        description="The repository, relative to the eval file. Environment variables are not expanded.",
        examples=["../.."],
        json_schema_extra=marks(path=("eval", "directory")),
    )
    ref: Text = Field(
        default="HEAD", description="The commit, branch or tag to check out.", examples=["main", "v1.4.0"]
    )


class McpServer(TolerantModel):
    """An MCP server for the run. Other keys are handed on as they are."""

    model_config = ConfigDict(extra="allow")

    type: Text = Field(
        default="stdio",
        description="How to talk to the server.",
        examples=["stdio"],
        json_schema_extra={
            **marks(values={"stdio": "Start `command` and talk over its standard input and output."}),
            "x-open": "information",
        },
    )
    command: Text = Field(default="", description="Program that is the server.", examples=["npx"])
    args: Strings = Field(
        default=[], description="Arguments of the program.", examples=[["-y", "@azure/mcp@latest"]]
    )
    cwd: Text = Field(
        default="",
        description="Directory the program is started in, relative to the working directory of the run.",
        examples=["servers"],
    )
    env: TextMap = Field(
        default={}, description="Environment variables for the program.", examples=[{"LOG_LEVEL": "debug"}]
    )
    timeout: Duration | None = Field(
        default=None, description="Time limit of one call, with a unit.", examples=["30s"]
    )


class Environment(TolerantModel):
    """What the run finds: skills, files, a repository, MCP servers, environment variables."""

    model_config = ConfigDict(json_schema_extra={**tolerant(), **NAMED_BY_KEY})

    skills: Strings = Field(
        default=[],
        description=(
            "Skill directories, or SKILL.md files, relative to the eval file. Since vally 0.8 no skill is there unless "
            "it is listed."
        ),
        examples=[["../skills/deploy"]],
        json_schema_extra=item_marks(path=("eval", "any")),
    )
    files: ListOf[StagedFile] = Field(
        default=[],
        description="Files and directories that are copied into the workspace before the run.",
        examples=[[{"src": "fixtures/app", "dest": "."}]],
    )
    commands: Strings = Field(
        default=[],
        description=(
            "Shell commands that are run in the workspace before the agent starts. One that fails ends the trial; "
            "append `|| exit 0` where failing is expected."
        ),
        examples=[["npm ci"]],
    )
    git: Worktree | None = Field(
        default=None,
        description="A git repository whose state is the workspace.",
        examples=[{"type": "worktree", "source": "../..", "ref": "main"}],
    )
    mcp_servers: MapOf[SectionOf[McpServer]] = Field(
        default={},
        alias="mcpServers",
        description="MCP servers for the run, by name.",
        examples=[{"azure": {"type": "stdio", "command": "npx", "args": ["-y", "@azure/mcp@latest"]}}],
    )
    env: TextMap = Field(
        default={}, description="Environment variables of the run.", examples=[{"NODE_ENV": "test"}]
    )


def _name_or_mapping(value: object) -> object:
    return value if isinstance(value, dict) else as_text(value)


NamedOrInline = Annotated[
    str | Environment,
    Field(union_mode="left_to_right", json_schema_extra={"x-reference": "environment"}),
    BeforeValidator(_name_or_mapping),
]
"""An environment, or the name of one under `environments` of the project file."""
