"""Eval files, `eval.yaml`: a suite of tasks, and how to run and grade them.

See docs/reference/waza-formats.md, section 4.
"""

from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field

from waza_engine.dialects.waza.formats.graders import TEMPLATES, EvalGrader
from waza_engine.dialects.waza.formats.hooks import Hooks
from waza_engine.dialects.waza.formats.mocks import Adversarial, CommandMock, McpMock
from waza_engine.dialects.waza.formats.settings import Settings
from waza_engine.dialects.waza.formats.task import InlineTask
from waza_engine.model.fields import (
    Flag,
    IfGiven,
    Integer,
    ListOf,
    Number,
    Switch,
    Text,
    TextMap,
    as_text,
    is_null,
)
from waza_engine.model.schema_marks import FileModel, SectionOf, foreign_keys, marks

_ALL_ROWS = [0, 0]


def _all_rows_when_null(value: Any) -> Any:
    return _ALL_ROWS if is_null(value) else value


class Metric(FileModel):
    """A metric of the whole suite, with its threshold."""

    name: Text = Field(
        default="",
        description="Name of the metric. waza evaluates only `trigger_accuracy`.",
        examples=["trigger_accuracy"],
        json_schema_extra={
            **marks(required=True, tolerated=True),
            "x-suggestions": ["trigger_accuracy", "task_completion", "behavior_quality", "efficiency"],
        },
    )
    weight: Number = Field(
        default=1.0,
        ge=0,
        description="Weight of the metric in the suite's composite score.",
        examples=[1.0],
        json_schema_extra={"x-share-of-list": True},
    )
    threshold: Number = Field(
        default=0.0,
        description="Minimum value to pass, from 0 to 1.",
        examples=[0.9],
        json_schema_extra={
            "minimum": 0,
            "maximum": 1,
            "x-severity": "warning",
            "x-consequence": "waza accepts any number, so the metric always passes or always fails",
            "x-limit": "metric",
        },
    )
    description: Text = Field(
        default="",
        description="Purpose of the metric. For readers only.",
        examples=["Skill stays out of other work."],
    )
    enabled: Switch = Field(
        default=True,
        description="`false` disables the metric. waza itself ignores this key.",
        examples=[False],
    )


TaskItem = Annotated[
    str | InlineTask,
    Field(
        union_mode="left_to_right",
        description=(
            "Task files, as a Go glob relative to this file: `*` and `?` do not match `/`, `**` is the same as `*`, "
            "and `{a,b}` is not supported."
        ),
        json_schema_extra={
            "x-path": {"base": "eval", "kind": "glob", "suffixes": [".yaml", ".yml"]},
            "minLength": 1,
        },
    ),
    # A mapping, which stays, is an inline task, or an old form of a list of globs.
    BeforeValidator(as_text),
]


class EvalFile(FileModel):
    """A suite: tasks, how to run them, and graders for all of them."""

    model_config = ConfigDict(
        title="waza eval",
        json_schema_extra={
            "x-runnable": "eval",
            "x-title-from": ["name"],
            "x-skeleton": dict.fromkeys(["name", "skill", "config", "tasks"]),
            "x-templates": TEMPLATES,
            "x-variables": {
                "maps": ["inputs"],
                "columns": ["tasks_from"],
                "prefix": ".Vars.",
                "others": {
                    ".TaskName": "the name of the task",
                    ".JobID": "the id of the run",
                    ".Timestamp": "the start time of the run",
                    ".Iteration": "always 0",
                    ".Attempt": "always 0",
                },
                "note": "replaced only in the `prompt` column of the CSV file",
            },
            "anyOf": [{"required": ["tasks"]}, {"required": ["tasks_from"]}],
            "x-exclusive": [["tasks", it] for it in ("tasks_from", "range", "inputs")],
            **foreign_keys(
                {
                    "trials": "config.trials_per_task",
                    "timeout": "config.timeout_seconds",
                    "validators": "graders",
                    "engine": "config.executor",
                    "task_files": "tasks",
                },
                maxTokens="waza has no such setting. A `behavior` grader limits tokens",
                max_tokens="waza has no such setting. A `behavior` grader limits tokens",
                fixtures="Fixtures are in the folder `fixtures` next to this file, or in the folder given with `--context-dir`",
                tests="waza calls them `tasks`, each in its own file",
                prompts="Prompts belong in task files, or in the CSV file that `tasks_from` names",
            ),
        },
    )

    name: Text = Field(
        default="",
        description="Name of the suite in results and reports.",
        examples=["note-taker-eval"],
        json_schema_extra=marks(required=True, tolerated=True),
    )
    description: Text = Field(
        default="",
        description="Purpose of the suite. For readers only.",
        examples=["Does the skill keep notes short?"],
    )
    skill: Text = Field(
        default="",
        description="Name of the skill (as in its SKILL.md) or custom agent under test.",
        examples=["note-taker"],
        json_schema_extra=marks(reference="skill"),
    )
    agent: Text = Field(
        default="",
        description="Name of the custom agent under test, as documented in waza 0.31.",
        examples=["reviewer"],
        json_schema_extra=marks(instead="skill", move_to="skill"),
    )
    scenario: Text = Field(
        default="",
        description='A workflow to test instead of a skill. Needs `schemaVersion: "2.0"`.',
        examples=["release-a-hotfix"],
    )
    schema_version: Text = Field(
        default="",
        alias="schemaVersion",
        description=(
            'Version of the file format, in quotes. By default the newest 1.x. "2.0" works only with `scenario`.'
        ),
        examples=["1.4"],
        json_schema_extra={
            "pattern": r"^[0-9]+\.[0-9]+$",
            "x-pattern-text": 'it must be two numbers with a dot between them, in quotes, such as "1.2"',
        },
    )
    version: Text = Field(
        default="",
        description="Your own version of the suite. waza ignores it.",
        examples=["1.0"],
        json_schema_extra={"type": ["string", "number"]},
    )
    config: SectionOf[Settings] = Field(
        description="How to run the tasks.",
        examples=[
            {"trials_per_task": 1, "timeout_seconds": 300, "executor": "mock", "model": "claude-sonnet-4.6"}
        ],
    )
    graders: ListOf[EvalGrader] = Field(
        default=[],
        description="Graders for every task.",
        examples=[[{"type": "text", "name": "no-excuses", "config": {"not_contains": ["as an AI"]}}]],
    )
    tasks: ListOf[TaskItem] = Field(
        default=[],
        description="Task files, as globs relative to this file. Each matching file is one task.",
        examples=[["tasks/*.yaml"]],
    )
    tasks_from: Text = Field(
        default="",
        description="CSV file with one task per row, instead of `tasks`. Relative to this file, inside its directory.",
        examples=["prompts.csv"],
        json_schema_extra={"x-path": {"base": "eval", "kind": "file", "suffixes": [".csv"]}},
    )
    range: Annotated[ListOf[Integer], BeforeValidator(_all_rows_when_null)] = Field(
        default=_ALL_ROWS,
        min_length=2,
        max_length=2,
        description="First and last row of `tasks_from`, counted from 1. `[0, 0]` means all rows.",
        examples=[[1, 10]],
        json_schema_extra={"items": {"type": "integer", "minimum": 0}},
    )
    inputs: TextMap = Field(
        default={},
        description="Variables for the prompt templates in `tasks_from`. Tasks from YAML files do not see them.",
        examples=[{"language": "Go"}],
    )
    metrics: ListOf[Metric] = Field(
        default=[],
        description="Metrics of the whole suite. waza evaluates only `trigger_accuracy`.",
        examples=[[{"name": "trigger_accuracy", "weight": 1.0, "threshold": 0.9}]],
    )
    hooks: SectionOf[Hooks] = Field(
        default_factory=Hooks,
        description="Commands that run before and after the whole run and each task.",
        examples=[{"before_run": [{"command": "make fixtures"}]}],
    )
    baseline: Flag = Field(
        default=False,
        description="Run everything a second time without skills. The suite passes only if the skills helped.",
        examples=[True],
    )
    mcp_mocks: ListOf[McpMock] = Field(
        default=[],
        description="Mocks of MCP servers.",
        examples=[[{"name": "tickets", "fixtures": "mocks/tickets"}]],
    )
    command_mocks: ListOf[CommandMock] = Field(
        default=[],
        description="Mocks of programs that the agent calls. Only with the executor `copilot-sdk`.",
        examples=[[{"name": "kubectl", "responses": [{"stdout": "healthy\n"}]}]],
    )
    adversarial: IfGiven[Adversarial] = Field(
        default=None,
        description="Attacks for `waza adversarial`. Ordinary runs ignore them.",
        examples=[{"packs": ["prompt-injection"]}],
    )
