"""Task files: one prompt and what is checked afterwards (docs/reference/waza-formats.md, section 5)."""

from typing import Any

from pydantic import ConfigDict, Field

from waza_engine.dialects.waza.formats.expected import Expected
from waza_engine.dialects.waza.formats.graders import TaskGrader
from waza_engine.dialects.waza.formats.inputs import Inputs
from waza_engine.dialects.waza.formats.mocks import CommandMock
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
    config="A task has no `config`: its keys stand at the top level, and most settings are the eval's",
    weight="Tasks have no weight; their graders have one",
    difficulty="waza knows no difficulty; `tags` can say it",
    schemaVersion="Only evals have a `schemaVersion`",
    version="Only evals have a `version`",
    trials="How often a task runs is the eval's `config.trials_per_task`",
    trials_per_task="How often a task runs is the eval's `config.trials_per_task`",
    executor="The executor is the eval's `config.executor`",
    model="The model is the eval's `config.model`",
    skill="The skill is the eval's `skill`",
    expectedOutput="Use `expected.output_contains`, or a grader",
    expected_output="Use `expected.output_contains`, or a grader",
    expected_behavior="Use a grader, such as `behavior` or `prompt`",
    expectations="Use `expected.output_contains`, or graders",
    fixture="Files for the agent are listed under `inputs.files`; a whole folder is `inputs.context.fixture`",
    fixtures="Files for the agent are listed under `inputs.files`; a whole folder is `inputs.context.fixture`",
    triggers="Trigger prompts stand in `trigger_tests.yaml` beside the eval",
    should_trigger="Trigger prompts stand in `trigger_tests.yaml` beside the eval; the `trigger` grader looks at a prompt",
)
"""What guides, generated files and older habits put into a task (docs/reference/waza-formats.md, section 19)."""


_INHERITED: dict[str, Any] = {
    "executor": ["eval:config.executor"],
    "model": ["eval:config.model"],
    "timeout_seconds": ["eval:config.timeout_seconds"],
}
"""Where the settings of a task come from that it does not have itself: the first place that has one."""


class Checkpoint(FileModel):
    """Graders that run after one turn, while the task goes on."""

    after_turn: Integer = Field(
        ge=1,
        description="Turn after which to grade. 1 is the prompt; follow-ups are 2, 3 and so on.",
        examples=[1],
    )
    graders: ListOf[TaskGrader] = Field(
        min_length=1,
        description="Graders that judge the state after that turn.",
        examples=[[{"type": "text", "name": "asks-first", "config": {"contains": ["which"]}}]],
    )
    on_failure: Text = Field(
        default="continue",
        description="What a failed checkpoint does to the remaining turns.",
        examples=["stop"],
        json_schema_extra=marks(
            values={"continue": "The remaining turns are held.", "stop": "The remaining turns are left out."}
        ),
    )


class Check(FileModel):
    """Which grader covers a requirement."""

    scope: Text = Field(
        description="Where the grader stands.",
        examples=["task"],
        json_schema_extra=marks(
            values={
                "eval": "Among the graders of the eval.",
                "task": "Among the graders of this task.",
                "checkpoint": "Among the graders of a checkpoint.",
            }
        ),
    )
    grader: Text = Field(
        description="Name of the grader.",
        examples=["asks-first"],
        json_schema_extra=marks(reference="grader"),
    )
    after_turn: Integer | None = Field(
        default=None, ge=1, description="Turn of the checkpoint; only with scope `checkpoint`.", examples=[1]
    )


class Requirement(FileModel):
    """What the task is about, in words, and which graders cover it. Has no effect on a run."""

    id: Text = Field(description="Identifier of the requirement.", examples=["R1"])
    category: Text = Field(
        description="Kind of requirement.",
        examples=["outcome"],
        json_schema_extra=marks(
            values={
                "outcome": "What must be achieved.",
                "boundary": "What must not happen.",
                "recovery": "How the agent deals with trouble.",
                "quality": "How good the result must be.",
            }
        ),
    )
    description: Text = Field(
        description="The requirement in a sentence.", examples=["The agent asks before it deletes anything."]
    )
    checks: ListOf[Check] = Field(
        default=[],
        description="Graders that cover the requirement.",
        examples=[[{"scope": "task", "grader": "asks-first"}]],
    )


class TaskFile(FileModel):
    """One thing to ask the agent, and how the result is judged."""

    model_config = ConfigDict(
        title="waza task",
        json_schema_extra={
            "x-runnable": "task",
            "x-id-from": "id",
            "x-title-from": ["name", "id"],
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
        description="Identifier of the task in results; each only once in a suite.",
        examples=["summarize-001"],
        json_schema_extra=marks(required=True, tolerated=True, defines="task", minLength=1),
    )
    name: Text = Field(
        default="",
        description="Name shown in reports.",
        examples=["Summarize a file"],
        json_schema_extra=marks(recommended=True),
    )
    description: Text = Field(
        default="",
        description="What the task is about, for people. The mock executor prints it, too.",
        examples=["The file is longer than the model's first look."],
    )
    enabled: Switch = Field(
        default=True,
        description="`false` leaves the task out. The file must be free of errors all the same.",
        examples=[False],
    )
    golden: Flag = Field(
        default=False,
        description="The task must pass for `waza gate`.",
        examples=[True],
        json_schema_extra=marks(since="0.36"),
    )
    tags: Strings = Field(
        default=[], description="Words to select tasks by, with `--tags`.", examples=[["basic", "python"]]
    )
    timeout_seconds: IfGiven[Integer] = Field(
        default=None,
        ge=1,
        description="Time limit of each turn in seconds, instead of the eval's.",
        examples=[120],
        json_schema_extra={"x-unit": "_seconds"},
    )
    first_event_timeout_seconds: IfGiven[Integer] = Field(
        default=None,
        ge=0,
        description="Give up without a sign of life after so many seconds, instead of the eval's. 0 never gives up.",
        examples=[60],
        json_schema_extra=marks(since="0.36"),
    )
    context_dir: Text = Field(
        default="",
        description=(
            "Directory with the files of `inputs.files`, instead of `fixtures` beside the eval. "
            "Relative to where the run is started, not to this file."
        ),
        examples=["evals/demo/fixtures"],
        json_schema_extra=marks(path=("process", "directory"), base_for="fixtures"),
    )
    inputs: SectionOf[Inputs] = Field(
        default_factory=Inputs,
        description="What the agent is told and given.",
        examples=[{"prompt": "Summarize notes.txt in one sentence."}],
        json_schema_extra=marks(required=True, tolerated=True),
    )
    expected: SectionOf[Expected] = Field(
        default_factory=Expected,
        description="Texts that the output must contain, or must not.",
        examples=[{"output_contains": ["budget"]}],
    )
    graders: ListOf[TaskGrader] = Field(
        default=[],
        description="Graders of this task; they run after the eval's.",
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
        json_schema_extra=marks(since="0.36"),
    )
    requirements: ListOf[Requirement] = Field(
        default=[],
        description="What the task is about, linked to graders. Has no effect on a run.",
        examples=[[{"id": "R1", "category": "outcome", "description": "The summary names the topic."}]],
        json_schema_extra=marks(since="0.36"),
    )
    skill_directories: Strings = Field(
        default=[],
        description="Directories of skills for this task, instead of the eval's. Relative to the eval file.",
        examples=[["skills/deploy"]],
        json_schema_extra=marks(
            since="0.29", **item_marks(path=("eval", "directory"), **{"x-holds": "SKILL.md"})
        ),
    )
    instruction_files: Strings = Field(
        default=[],
        description="More files put into the workspace and the system message, from the fixtures directory.",
        examples=[["AGENTS.md"]],
        json_schema_extra=marks(since="0.33", **item_marks(path=("fixtures", "file"))),
    )
    command_mocks: ListOf[CommandMock] | None = Field(
        default=None,
        description="Stand-ins for programs, instead of the eval's. An empty list switches them off.",
        examples=[[{"name": "kubectl", "responses": [{"stdout": "healthy\n"}]}]],
        json_schema_extra=marks(since="0.36"),
    )


class InlineTask(TaskFile):
    """A task written into the eval. waza itself reads tasks from files only."""

    model_config = ConfigDict(
        title="task",
        json_schema_extra={
            "x-runnable": "task",
            "x-id-from": "id",
            "x-title-from": ["name", "id"],
            "x-required-unless": ["task_files", "include"],
            **_FOREIGN,
        },
    )

    task_files: Strings = Field(
        default=[],
        description="Task files, as old examples list them. waza wants plain texts under `tasks`.",
        examples=[["tasks/*.yaml"]],
        json_schema_extra=marks(instead="tasks", **item_marks(path=("eval", "glob"))),
    )
    include: Text = Field(
        default="",
        description="Task files, as old examples name them. waza wants plain texts under `tasks`.",
        examples=["tasks/*.yaml"],
        json_schema_extra=marks(instead="tasks", path=("eval", "glob")),
    )
