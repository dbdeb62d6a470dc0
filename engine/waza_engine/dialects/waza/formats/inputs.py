"""The `inputs` of a task: what the agent is told and given (docs/reference/waza-formats.md, section 5.1)."""

from typing import Any

from pydantic import ConfigDict, Field, model_validator

from waza_engine.lib.yaml.scalars import Scalar
from waza_engine.model.fields import AnyValue, IfGiven, Integer, ListOf, Strings, Text, TextMap
from waza_engine.model.schema_marks import FileModel, SectionOf, foreign_keys, marks


class InputFile(FileModel):
    """A file for the agent's workspace: from the fixtures directory, or written here."""

    model_config = ConfigDict(
        json_schema_extra={
            "type": ["object", "string"],
            **foreign_keys(
                {"file": "path", "filename": "path", "name": "path", "dest": "path", "body": "content"},
                source="`path` says both where the file is below the fixtures directory and where it goes",
                src="`path` says both where the file is below the fixtures directory and where it goes",
            ),
        }
    )

    path: Text = Field(
        default="",
        description=(
            "Where the file goes in the workspace, and, without `content`, which file of the fixtures directory it is. "
            "A missing file is only a warning in waza: the agent then works without it."
        ),
        examples=["src/app.py"],
        json_schema_extra=marks(recommended=True, path=("fixtures", "file")),
    )
    content: Text = Field(
        default="",
        description="The text of the file. An empty text counts as absent: then the fixtures directory is asked.",
        examples=["name = 'demo'\n"],
    )

    @model_validator(mode="before")
    @classmethod
    def _short_form(cls, value: Any) -> Any:
        return {"path": value} if isinstance(value, str | Scalar) else value


class Responder(FileModel):
    """A model that plays the user and answers the agent's questions."""

    model_config = ConfigDict(json_schema_extra={"x-inherits": {"model": ["eval:config.model"]}})

    instructions: Text = Field(
        min_length=1,
        description="What the user wants and knows, and when to stop.",
        examples=["You want the report as a table. Say yes to every offer."],
    )
    max_followups: Integer = Field(ge=1, description="How many answers may be given at most.", examples=[3])
    model: Text = Field(
        default="",
        description="Model that plays the user. Left out, it is the eval's `config.model`.",
        examples=["gpt-5.2-mini"],
        json_schema_extra=marks(reference="model"),
    )


class Repository(FileModel):
    """A git repository that is checked out into the workspace."""

    type: Text = Field(
        description="How the repository gets into the workspace.",
        examples=["worktree"],
        json_schema_extra=marks(values={"worktree": "As a git worktree of a local repository."}),
    )
    source: Text = Field(
        description="Local git repository, relative to where the run is started (not to this file).",
        examples=["../my-service"],
        json_schema_extra=marks(path=("process", "directory")),
    )
    commit: Text = Field(default="", description="Commit, tag or branch to check out.", examples=["v1.4.0"])
    dest: Text = Field(
        description="Directory in the workspace. It must not exist there yet; `..` is not allowed.",
        examples=["my-service"],
        json_schema_extra=marks(path=("workspace", "directory")),
    )


class Context(FileModel):
    """Facts about the task. Only `fixture` has a meaning; the mock executor shows all of them."""

    model_config = ConfigDict(extra="allow")

    fixture: AnyValue = Field(
        default=None,
        description=(
            "A directory whose contents, or a file that, is copied into the workspace. Relative to the eval file and "
            "below its directory."
        ),
        examples=["fixtures/project"],
        json_schema_extra=marks(since="0.36", path=("eval", "any"), type="string"),
    )


class Inputs(FileModel):
    """What the agent is told and given."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [{"required": ["prompt"]}, {"required": ["prompt_file"]}],
            # The loader takes it as an empty prompt.
            "x-severity": "warning",
            "x-text-as": "prompt",
            **foreign_keys({"message": "prompt", "question": "prompt", "text": "prompt"}),
        }
    )

    prompt: Text = Field(
        default="",
        description="What the agent is asked, word for word. Templates such as `{{name}}` are not filled in here.",
        examples=["Summarize notes.txt in one sentence."],
    )
    prompt_file: Text = Field(
        default="",
        description="File with the prompt, beside or below this task file. Instead of `prompt`.",
        examples=["prompts/summarize.md"],
        json_schema_extra=marks(since="0.27", path=("task", "file")),
    )
    files: ListOf[InputFile] = Field(
        default=[],
        description="Files put into the agent's workspace. Nothing else of the fixtures directory gets there.",
        examples=[[{"path": "notes.txt"}]],
    )
    context: SectionOf[Context] = Field(
        default_factory=Context,
        description="Facts about the task; only `fixture` has a meaning.",
        examples=[{"lang": "go"}],
    )
    follow_up_prompts: Strings = Field(
        default=[],
        description="Prompts sent one after another in the same session. The last answer is what graders see as output.",
        examples=[["Now shorten it."]],
        json_schema_extra=marks(since="0.28"),
    )
    responder: IfGiven[Responder] = Field(
        default=None,
        description="A model that answers the agent's questions. Excludes `follow_up_prompts`.",
        examples=[{"instructions": "Say yes to every offer.", "max_followups": 2}],
        json_schema_extra=marks(since="0.36"),
    )
    repos: ListOf[Repository] = Field(
        default=[],
        description="Git repositories checked out into the workspace.",
        examples=[[{"type": "worktree", "source": "../my-service", "dest": "my-service"}]],
        json_schema_extra=marks(since="0.35"),
    )
    workdir: Text = Field(
        default="",
        description="Directory of the workspace in which the agent starts. `..` is not allowed.",
        examples=["my-service"],
        json_schema_extra=marks(since="0.35", path=("workspace", "directory")),
    )
    environment: TextMap = Field(
        default={},
        description="Meant as environment variables, but no version of waza applies them.",
        examples=[{"LANG": "C"}],
        json_schema_extra=marks(no_effect=True),
    )
