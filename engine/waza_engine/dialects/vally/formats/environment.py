"""The environment of a run: workspace, skills and servers (docs/reference/vally.md, section 4)."""

from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, Field

from waza_engine.dialects.vally.fields import Duration
from waza_engine.dialects.vally.formats.model import NAMED_BY_KEY, TolerantModel, tolerant
from waza_engine.model.fields import ListOf, Strings, Text, TextMap, as_text
from waza_engine.model.schema_marks import MapOf, SectionOf, item_marks, marks


class StagedFile(TolerantModel):
    """A file or directory to copy into the workspace before the run."""

    model_config = ConfigDict(json_schema_extra={**tolerant(), "x-title-from": ["dest", "src"]})

    src: Text = Field(
        min_length=1,
        description="File or directory to copy, relative to the eval file (even in a named environment). Directories are copied recursively.",
        examples=["fixtures/app"],
        json_schema_extra=marks(path=("eval", "any")),
    )
    dest: Text = Field(
        min_length=1,
        description="Target path, relative to the workspace; `.` is the workspace itself.",
        examples=["app"],
    )


class Worktree(TolerantModel):
    """A git repository to use as the workspace."""

    model_config = ConfigDict(json_schema_extra=tolerant())

    type: Text = Field(
        default="worktree",
        description="How to create the workspace from the repository.",
        examples=["worktree"],
        json_schema_extra={
            **marks(values={"worktree": "A worktree of `source` at `ref`."}, required=True, tolerated=True),
            "x-open": "information",
        },
    )
    source: Text = Field(
        min_length=1,
        description="Repository, relative to the eval file. Environment variables are not expanded.",
        examples=["../.."],
        json_schema_extra=marks(path=("eval", "directory")),
    )
    ref: Text = Field(
        default="HEAD", description="Commit, branch or tag to check out.", examples=["main", "v1.4.0"]
    )


class McpServer(TolerantModel):
    """An MCP server for the run. Other keys are passed unchanged."""

    model_config = ConfigDict(extra="allow")

    type: Text = Field(
        default="stdio",
        description="Transport to the server.",
        examples=["stdio"],
        json_schema_extra={
            **marks(
                values={
                    "stdio": "Starts `command` and communicates over its standard input and output.",
                    "http": "Connects to `url` over HTTP. vally's documentation does not mention it.",
                    "sse": "Connects to `url` over server-sent events. vally's documentation does not mention it.",
                }
            ),
            "x-open": "information",
        },
    )
    command: Text = Field(default="", description="Server program.", examples=["npx"])
    args: Strings = Field(
        default=[], description="Arguments of the program.", examples=[["-y", "@azure/mcp@latest"]]
    )
    cwd: Text = Field(
        default="",
        description="Directory to start the program in, relative to the working directory of the run.",
        examples=["servers"],
    )
    env: TextMap = Field(
        default={}, description="Environment variables for the program.", examples=[{"LOG_LEVEL": "debug"}]
    )
    timeout: Duration | None = Field(
        default=None, description="Time limit of one call with a unit.", examples=["30s"]
    )


class Environment(TolerantModel):
    """The environment of a run: skills, files, repository, MCP servers and environment variables."""

    model_config = ConfigDict(json_schema_extra={**tolerant(), **NAMED_BY_KEY})

    skills: Strings = Field(
        default=[],
        description=(
            "Skill directories or SKILL.md files, relative to the eval file. Since vally 0.8, a run has only the listed "
            "skills."
        ),
        examples=[["../skills/deploy"]],
        json_schema_extra=item_marks(path=("eval", "any")),
    )
    files: ListOf[StagedFile] = Field(
        default=[],
        description="Files and directories to copy into the workspace before the run.",
        examples=[[{"src": "fixtures/app", "dest": "."}]],
    )
    commands: Strings = Field(
        default=[],
        description=(
            "Shell commands to run in the workspace before the agent starts. A failing command ends the trial; append "
            "`|| exit 0` to allow failure."
        ),
        examples=[["npm ci"]],
    )
    git: Worktree | None = Field(
        default=None,
        description="Git repository to use as the workspace.",
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


NamedOrInline = Annotated[
    str | Environment,
    Field(union_mode="left_to_right", json_schema_extra={"x-reference": "environment"}),
    BeforeValidator(as_text),
]
"""An environment, or the name of one in the project file."""
