"""Task files: a prompt and how to grade the result (docs/reference/waza-formats.md, section 5)."""

from typing import Any

from pydantic import ConfigDict, Field

from waza_engine.dialects.waza.formats.expected import Expected
from waza_engine.dialects.waza.formats.graders import TEMPLATES, TaskGrader
from waza_engine.dialects.waza.formats.inputs import Inputs
from waza_engine.dialects.waza.formats.mocks import CommandMock, McpMock
from waza_engine.model.fields import Flag, IfGiven, Integer, ListOf, Strings, Switch, Text
from waza_engine.model.schema_marks import FileModel, SectionOf, foreign_keys, item_marks, marks

_FOREIGN = foreign_keys(
    {
        "timeout": "timeout_seconds",
        "validators": "graders",
        "evaluators": "graders",
        "title": "name",
        "display_name": "name",
        "task_id": "id",
        "test_id": "id",
    },
    config="Tasks have no `config`: their keys are at the top level, and most settings are in the eval",
    weight="Tasks have no weight, but their graders do",
    difficulty="waza has no difficulty. Use `tags`",
    schemaVersion="Only evals have a `schemaVersion`",
    version="Only evals have a `version`",
    trials="The number of trials is the eval's `config.trials_per_task`",
    trials_per_task="The number of trials is the eval's `config.trials_per_task`",
    executor="The executor is the eval's `config.executor`",
    model="The model is the eval's `config.model`",
    skill="The skill is the eval's `skill`",
    expectedOutput="Use `expected.output_contains`, or a grader",
    expected_output="Use `expected.output_contains`, or a grader",
    expected_behavior="Use a grader, such as `behavior` or `prompt`",
    expectations="Use `expected.output_contains`, or graders",
    fixture="List files for the agent under `inputs.files`. For a whole folder, use `inputs.context.fixture`",
    fixtures="List files for the agent under `inputs.files`. For a whole folder, use `inputs.context.fixture`",
    triggers="Trigger prompts belong in `trigger_tests.yaml` next to the eval",
    should_trigger="Trigger prompts belong in `trigger_tests.yaml` next to the eval. A `trigger` grader checks one prompt",
)
"""Wrong keys from guides, generated files and older versions (docs/reference/waza-formats.md, section 19)."""

_INHERITED: dict[str, Any] = {
    "executor": ["eval:config.executor"],
    "model": ["eval:config.model"],
    "timeout_seconds": ["eval:config.timeout_seconds"],
}
"""Where settings come from that the task does not set: the first place that has a value."""


class Checkpoint(FileModel):
    """Graders that run after one turn, before the task continues."""

    after_turn: Integer = Field(
        ge=1,
        description="Turn after which to grade. 1 is the prompt, follow-ups are 2, 3 and so on.",
        examples=[1],
    )
    graders: ListOf[TaskGrader] = Field(
        min_length=1,
        description="Graders for the state after that turn.",
        examples=[[{"type": "text", "name": "asks-first", "config": {"contains": ["which"]}}]],
    )
    on_failure: Text = Field(
        default="continue",
        description="What happens to the remaining turns if the checkpoint fails.",
        examples=["stop"],
        json_schema_extra=marks(
            values={"continue": "Run the remaining turns.", "stop": "Skip the remaining turns."}
        ),
    )


class Check(FileModel):
    """A grader that covers a requirement."""

    scope: Text = Field(
        description="Where the grader is defined.",
        examples=["task"],
        json_schema_extra=marks(
            values={
                "eval": "In the eval.",
                "task": "In this task.",
                "checkpoint": "In a checkpoint.",
            }
        ),
    )
    grader: Text = Field(
        description="Name of the grader.",
        examples=["asks-first"],
        json_schema_extra=marks(reference="grader"),
    )
    after_turn: Integer | None = Field(
        default=None, ge=1, description="Turn of the checkpoint. Only with scope `checkpoint`.", examples=[1]
    )


class Requirement(FileModel):
    """A requirement in words, and the graders that cover it. Has no effect on runs."""

    id: Text = Field(description="Identifier of the requirement.", examples=["R1"])
    category: Text = Field(
        description="Kind of requirement.",
        examples=["outcome"],
        json_schema_extra=marks(
            values={
                "outcome": "What must be achieved.",
                "boundary": "What must not happen.",
                "recovery": "How the agent handles problems.",
                "quality": "How good the result must be.",
            }
        ),
    )
    description: Text = Field(
        description="The requirement in one sentence.",
        examples=["The agent asks before it deletes anything."],
    )
    checks: ListOf[Check] = Field(
        default=[],
        description="Graders that cover the requirement.",
        examples=[[{"scope": "task", "grader": "asks-first"}]],
    )


class TaskFile(FileModel):
    """One task for the agent, and how to grade the result."""

    model_config = ConfigDict(
        title="waza task",
        json_schema_extra={
            "x-runnable": "task",
            "x-id-from": "id",
            "x-title-from": ["name", "id"],
            "x-tags-from": "tags",
            "x-templates": TEMPLATES,
            "x-inherits": _INHERITED,
            "x-skeleton": {
                "id": None,
                "name": None,
                "inputs": None,
                "expected": {"output_contains": ["budget"]},
            },
            **_FOREIGN,
        },
    )

    id: Text = Field(
        default="",
        description="Identifier of the task in results. Must be unique in the suite.",
        examples=["summarize-001"],
        json_schema_extra={**marks(required=True, tolerated=True, defines="task"), "minLength": 1},
    )
    name: Text = Field(
        default="",
        description="Name shown in reports.",
        examples=["Summarize a file"],
        json_schema_extra=marks(recommended=True),
    )
    description: Text = Field(
        default="",
        description="What the task is about. For readers only, but the mock executor prints it.",
        examples=["The file is longer than the model's first look."],
    )
    enabled: Switch = Field(
        default=True,
        description="`false` skips the task. The file must still be free of errors.",
        examples=[False],
    )
    golden: Flag = Field(
        default=False,
        description="The task must pass for `waza gate`.",
        examples=[True],
    )
    tags: Strings = Field(
        default=[], description="Tags to select tasks with `--tags`.", examples=[["basic", "python"]]
    )
    timeout_seconds: IfGiven[Integer] = Field(
        default=None,
        ge=1,
        description="Time limit for each turn, in seconds. Overrides the eval's.",
        examples=[120],
        json_schema_extra={"x-unit": "_seconds"},
    )
    first_event_timeout_seconds: IfGiven[Integer] = Field(
        default=None,
        ge=0,
        description="Stop if the agent sends no event within this many seconds. Overrides the eval's. 0 means no limit.",
        examples=[60],
    )
    context_dir: Text = Field(
        default="",
        description=(
            "Directory with the files of `inputs.files`, instead of `fixtures` next to the eval. "
            "Relative to the directory where the run starts, not to this file."
        ),
        examples=["evals/demo/fixtures"],
        json_schema_extra=marks(path=("process", "directory"), base_for="fixtures"),
    )
    inputs: SectionOf[Inputs] = Field(
        default_factory=Inputs,
        description="Prompt, files and other inputs for the agent.",
        examples=[{"prompt": "Summarize notes.txt in one sentence."}],
        json_schema_extra=marks(required=True, tolerated=True),
    )
    expected: SectionOf[Expected] = Field(
        default_factory=Expected,
        description="Strings that the output must, or must not, contain.",
        examples=[{"output_contains": ["budget"]}],
    )
    graders: ListOf[TaskGrader] = Field(
        default=[],
        description="Graders of this task. They run after the eval's graders.",
        examples=[[{"type": "text", "name": "mentions-topic", "config": {"contains": ["budget"]}}]],
    )
    checkpoints: ListOf[Checkpoint] = Field(
        default=[],
        description="Graders that run between turns.",
        examples=[
            [
                {
                    "after_turn": 1,
                    "graders": [{"type": "text", "name": "asks-first", "config": {"contains": ["which"]}}],
                }
            ]
        ],
    )
    requirements: ListOf[Requirement] = Field(
        default=[],
        description="Requirements of the task, linked to graders. Has no effect on runs.",
        examples=[[{"id": "R1", "category": "outcome", "description": "The summary names the topic."}]],
    )
    skill_directories: Strings = Field(
        default=[],
        description="Skill directories for this task, instead of the eval's. Relative to the eval file.",
        examples=[["skills/deploy"]],
        json_schema_extra=item_marks(path=("eval", "directory"), holds="SKILL.md"),
    )
    instruction_files: Strings = Field(
        default=[],
        description="More files of the fixtures directory to copy into the workspace and the system message.",
        examples=[["AGENTS.md"]],
        json_schema_extra=item_marks(path=("fixtures", "file")),
    )
    mcp_mocks: ListOf[McpMock] | None = Field(
        default=None,
        description="Mocks of MCP servers, instead of the eval's. An empty list disables them.",
        examples=[[{"name": "tickets", "fixtures": "mocks/tickets"}]],
    )
    command_mocks: ListOf[CommandMock] | None = Field(
        default=None,
        description="Mocks of programs, instead of the eval's. An empty list disables them.",
        examples=[[{"name": "kubectl", "responses": [{"stdout": "healthy\n"}]}]],
    )


class InlineTask(TaskFile):
    """A task inside the eval file. waza itself only reads tasks from their own files."""

    model_config = ConfigDict(
        title="task",
        json_schema_extra={
            "x-runnable": "task",
            "x-id-from": "id",
            "x-title-from": ["name", "id"],
            "x-tags-from": "tags",
            "x-required-unless": ["task_files", "include"],
            "x-not-offered": True,
            **_FOREIGN,
        },
    )

    task_files: Strings = Field(
        default=[],
        description="Task files, as in old examples. waza expects plain strings under `tasks`.",
        examples=[["tasks/*.yaml"]],
        json_schema_extra={**marks(instead="tasks"), **item_marks(path=("eval", "glob"))},
    )
    include: Text = Field(
        default="",
        description="Task files, as in old examples. waza expects plain strings under `tasks`.",
        examples=["tasks/*.yaml"],
        json_schema_extra=marks(instead="tasks", path=("eval", "glob")),
    )
