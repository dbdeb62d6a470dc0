"""The `inputs` of a task: prompts, files, repositories (docs/reference/waza-formats.md, section 5.1)."""

from typing import Any

from pydantic import ConfigDict, Field, model_validator

from waza_engine.lib.yaml.scalars import Scalar
from waza_engine.model.fields import AnyValue, IfGiven, Integer, ListOf, Strings, Text, TextMap
from waza_engine.model.schema_marks import FileModel, SectionOf, foreign_keys, marks


class InputFile(FileModel):
    """A file for the agent's workspace: from the fixtures directory, or with inline content."""

    model_config = ConfigDict(
        json_schema_extra={
            "type": ["object", "string"],
            **foreign_keys(
                {"file": "path", "filename": "path", "name": "path", "dest": "path", "body": "content"},
                source="`path` is both the path in the fixtures directory and the path in the workspace",
                src="`path` is both the path in the fixtures directory and the path in the workspace",
            ),
        }
    )

    path: Text = Field(
        default="",
        description=(
            "Path of the file in the workspace and, without `content`, in the fixtures directory. "
            "If the file is missing, waza only warns, and the agent runs without it."
        ),
        examples=["src/app.py"],
        json_schema_extra=marks(recommended=True, path=("fixtures", "file")),
    )
    content: Text = Field(
        default="",
        description="Content of the file. If empty, the file is taken from the fixtures directory.",
        examples=["name = 'demo'\n"],
    )

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        return {"path": value} if isinstance(value, str | Scalar) else value


class Responder(FileModel):
    """A model that acts as the user and answers the agent's questions."""

    # waza 0.41 added keys for scripted answers, and their names are unknown: only likely misspellings are reported
    # (docs/reference/waza-newest.md, section 2).
    model_config = ConfigDict(
        extra="ignore",
        json_schema_extra={"x-inherits": {"model": ["eval:config.model"]}, "x-unknown-keys": "near"},
    )

    instructions: Text = Field(
        min_length=1,
        description="Instructions for the model: what the user wants and knows, and when to stop.",
        examples=["You want the report as a table. Say yes to every offer."],
    )
    max_followups: Integer = Field(ge=1, description="Maximum number of answers.", examples=[3])
    model: Text = Field(
        default="",
        description="Model that acts as the user. Default: the eval's `config.model`.",
        examples=["gpt-5.2-mini"],
        json_schema_extra=marks(reference="model"),
    )


class Repository(FileModel):
    """A git repository to check out into the workspace."""

    type: Text = Field(
        description="How to check out the repository.",
        examples=["worktree"],
        json_schema_extra=marks(values={"worktree": "As a git worktree of a local repository."}),
    )
    source: Text = Field(
        description="Local git repository, relative to the directory where the run starts (not to this file).",
        examples=["../my-service"],
        json_schema_extra=marks(path=("process", "directory")),
    )
    commit: Text = Field(default="", description="Commit, tag or branch to check out.", examples=["v1.4.0"])
    dest: Text = Field(
        description="Directory in the workspace. It must not exist yet. `..` is not allowed.",
        examples=["my-service"],
        json_schema_extra=marks(path=("workspace", "directory")),
    )


class Context(FileModel):
    """Facts about the task. Only `fixture` has an effect. The mock executor prints all of them."""

    model_config = ConfigDict(extra="allow")

    fixture: AnyValue = Field(
        default=None,
        description=(
            "A file, or a directory whose contents, to copy into the workspace. Relative to the eval file, inside its "
            "directory."
        ),
        examples=["fixtures/project"],
        json_schema_extra={"type": "string", **marks(path=("eval", "any"))},
    )


class Inputs(FileModel):
    """Prompt, files and other inputs for the agent."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [{"required": ["prompt"]}, {"required": ["prompt_file"]}],
            "x-exclusive": [["prompt", "prompt_file"]],
            # The loader accepts missing prompts as empty.
            "x-severity": "warning",
            "x-text-as": "prompt",
            **foreign_keys({"message": "prompt", "question": "prompt", "text": "prompt"}),
        }
    )

    prompt: Text = Field(
        default="",
        description="The prompt for the agent, unchanged: templates such as `{{name}}` are not replaced.",
        examples=["Summarize notes.txt in one sentence."],
    )
    prompt_file: Text = Field(
        default="",
        description="File with the prompt, instead of `prompt`. In the directory of this task file or below.",
        examples=["prompts/summarize.md"],
        json_schema_extra=marks(path=("task", "file")),
    )
    files: ListOf[InputFile] = Field(
        default=[],
        description="Files to copy into the agent's workspace. Nothing else of the fixtures directory is copied.",
        examples=[[{"path": "notes.txt"}]],
    )
    context: SectionOf[Context] = Field(
        default_factory=Context,
        description="Facts about the task. Only `fixture` has an effect.",
        examples=[{"lang": "go"}],
    )
    follow_up_prompts: Strings = Field(
        default=[],
        description="Prompts to send one after another in the same session. Graders get the last answer as output.",
        examples=[["Now shorten it."]],
    )
    responder: IfGiven[Responder] = Field(
        default=None,
        description="A model that answers the agent's questions. Cannot be combined with `follow_up_prompts`.",
        examples=[{"instructions": "Say yes to every offer.", "max_followups": 2}],
    )
    repos: ListOf[Repository] = Field(
        default=[],
        description="Git repositories to check out into the workspace.",
        examples=[[{"type": "worktree", "source": "../my-service", "dest": "my-service"}]],
    )
    workdir: Text = Field(
        default="",
        description="Working directory of the agent, in the workspace. `..` is not allowed.",
        examples=["my-service"],
        json_schema_extra=marks(path=("workspace", "directory")),
    )
    environment: TextMap = Field(
        default={},
        description="Environment variables. No version of waza applies them.",
        examples=[{"LANG": "C"}],
        json_schema_extra=marks(no_effect=True),
    )
