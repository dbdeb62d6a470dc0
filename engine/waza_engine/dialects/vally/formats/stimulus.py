"""One test case of an eval spec (docs/reference/vally.md, section 3)."""

from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field, WithJsonSchema

from waza_engine.dialects.vally.fields import Count, Duration
from waza_engine.dialects.vally.formats.environment import NamedOrInline
from waza_engine.dialects.vally.formats.graders import GraderConfig
from waza_engine.dialects.vally.formats.model import TagValues, TolerantModel, tolerant
from waza_engine.model.fields import AnyValue, IfGiven, ListOf, Strings, Text, as_text
from waza_engine.model.schema_marks import MapOf, SectionOf, foreign_keys, marks


class Constraints(TolerantModel):
    """Limits of a trial, and tools and skills that it must or must not use. They fail trials, but do not affect scores."""

    model_config = ConfigDict(
        json_schema_extra=tolerant(
            **foreign_keys(max_duration_ms="Its name is 'max_duration' since vally 0.4, with a unit: '120s'")
        )
    )

    max_turns: IfGiven[Count] = Field(
        default=None,
        description="Maximum number of agent turns.",
        examples=[10],
    )
    max_tokens: IfGiven[Count] = Field(
        default=None,
        description="Maximum number of input and output tokens.",
        examples=[50000],
    )
    max_duration: IfGiven[Duration] = Field(
        default=None, description="Maximum duration with a unit.", examples=["120s"]
    )
    max_agent_duration: IfGiven[Duration] = Field(
        default=None,
        description="Maximum duration of the agent's work with a unit. Not documented by vally.",
        examples=["90s"],
    )
    expect_tools: Strings = Field(
        default=[], description="Exact names of tools that must all be used.", examples=[["bash"]]
    )
    reject_tools: Strings = Field(
        default=[], description="Exact names of tools that must not be used.", examples=[["edit"]]
    )
    expect_skills: Strings = Field(
        default=[],
        description="Skills that must all be activated.",
        examples=[["deploy"]],
        json_schema_extra={"items": {"type": "string", "x-reference": "skill"}},
    )
    reject_skills: Strings = Field(
        default=[],
        description="Skills that must not be activated. `*` removes all skills from the run.",
        examples=[["*"]],
        json_schema_extra={"items": {"type": "string", "x-reference": "skill"}},
    )


class Artifacts(TolerantModel):
    """Workspace files to keep in the output."""

    model_config = ConfigDict(json_schema_extra=tolerant())

    include: Strings = Field(
        default=[], description="Globs of the files to keep.", examples=[["dist/**/*.json"]]
    )
    exclude: Strings = Field(default=[], description="Globs of files to exclude.", examples=[["**/*.map"]])


class GoldenTrajectory(TolerantModel):
    """A reference answer as an ATIF trajectory, in a file or inline."""

    model_config = ConfigDict(
        json_schema_extra=tolerant(oneOf=[{"required": ["path"]}, {"required": ["inline"]}])
    )

    path: IfGiven[Text] = Field(
        default=None,
        description="JSON file with the trajectory, relative to the eval file.",
        examples=["golden/answer.json"],
        json_schema_extra={**marks(path=("eval", "file")), "minLength": 1},
    )
    inline: AnyValue = Field(
        default=None,
        description="The trajectory as a mapping.",
        examples=[
            {
                "schema_version": "ATIF-v1.4",
                "session_id": "golden",
                "agent": {"name": "author", "version": "1"},
                "steps": [{"step_id": 1, "source": "agent", "message": "It rolls out the service."}],
            }
        ],
        json_schema_extra={"type": "object"},
    )


class GoldenPatch(TolerantModel):
    """A reference change of the workspace as a git patch, in a file or inline."""

    model_config = ConfigDict(
        json_schema_extra=tolerant(oneOf=[{"required": ["path"]}, {"required": ["inline"]}])
    )

    path: Text = Field(
        default="",
        description="Patch file, relative to the eval file.",
        examples=["golden/change.patch"],
        json_schema_extra=marks(path=("eval", "file")),
    )
    inline: Text = Field(
        default="", description="Content of the patch.", examples=["--- a/a.txt\n+++ b/a.txt\n"]
    )


class GoldenMetrics(TolerantModel):
    """A file with reference metrics."""

    model_config = ConfigDict(json_schema_extra=tolerant())

    path: Text = Field(
        min_length=1,
        description="JSON file with the metrics, relative to the eval file.",
        examples=["golden/metrics.json"],
        json_schema_extra=marks(path=("eval", "file")),
    )


def _turn(value: Any) -> Any:
    """Return a turn as a string; older guides show mappings with `prompt`."""
    return as_text(value["prompt"] if isinstance(value, dict) and "prompt" in value else value)


Turn = Annotated[
    str,
    BeforeValidator(_turn),
    Field(min_length=1),
    WithJsonSchema(
        {
            "type": ["string", "object"],
            "minLength": 1,
            "properties": {
                "prompt": {"type": "string", "minLength": 1, "description": "Prompt of this turn."}
            },
            "required": ["prompt"],
        }
    ),
]


_MOVED = {
    "id": "name",
    "inputs": "prompt",
    "input": "prompt",
    "validators": "graders",
    "criteria": "rubric",
    **{it: f"environment.{it}" for it in ("skills", "files", "commands", "mcpServers")},
    **{
        it: f"constraints.{it}"
        for it in (
            "max_turns",
            "max_tokens",
            "max_duration",
            "expect_tools",
            "reject_tools",
            "expect_skills",
            "reject_skills",
        )
    },
}
"""Keys that users misplace in a stimulus, with their correct names or locations."""


class Stimulus(TolerantModel):
    """A task for the agent and its graders."""

    model_config = ConfigDict(
        json_schema_extra={
            **tolerant("near", **{"x-own-keys-to": "tags"}),
            "x-runnable": "task",
            "x-id-from": "name",
            "x-title-from": ["name"],
            "x-tags-from": "tags",
            "anyOf": [{"required": ["prompt"]}, {"required": ["turns"]}],
            "x-exclusive": [["prompt", "turns"]],
            **foreign_keys(
                _MOVED,
                expected="vally has no 'expected'. Write expectations as graders",
                timeout="Set the time limit of all stimuli under the top-level 'defaults'",
                runs="Set the number of trials under the top-level 'defaults'",
                config="Put settings under the top-level 'defaults'",
            ),
        }
    )

    name: Text = Field(
        min_length=1,
        description="Name of the stimulus, unique in the file. Comparisons pair trials by it.",
        examples=["explains-the-error"],
    )
    prompt: Text = Field(
        default="",
        description="Prompt for the agent.",
        examples=["Explain what deploy.sh does."],
        json_schema_extra={"minLength": 1},
    )
    turns: ListOf[Turn] = Field(
        default=[],
        description="Prompts of a conversation, sent one after another; replaces `prompt`.",
        examples=[["List the failing tests.", "Fix the first one."]],
        json_schema_extra={"minItems": 1},
    )
    environment: NamedOrInline | None = Field(
        default=None,
        description="Environment of this stimulus, merged with the `environment` of the spec.",
        examples=[{"files": [{"src": "fixtures/app", "dest": "."}]}],
    )
    graders: ListOf[GraderConfig] = Field(
        default=[],
        description="Graders for the agent's work.",
        examples=[[{"type": "output-contains", "config": {"substring": "deploy"}}]],
    )
    rubric: ListOf[Text] = Field(
        default=[],
        description="Criteria for graders that use a judge model. Quote a criterion that contains `: ` or ` #`.",
        examples=[["Names the resource group", "Asks before it deletes anything"]],
    )
    constraints: SectionOf[Constraints] = Field(
        default_factory=Constraints,
        description="Limits of a trial, and tools and skills that it must or must not use.",
        examples=[{"max_turns": 10, "expect_tools": ["bash"]}],
    )
    tags: MapOf[TagValues] = Field(
        default={},
        description="Tags for filters, in addition to those of the spec.",
        examples=[{"area": "deploy", "tier": ["ci", "nightly"]}],
    )
    artifacts: IfGiven[Artifacts] = Field(
        default=None,
        description="Workspace files to keep in the output.",
        examples=[{"include": ["dist/**"]}],
    )
    golden_trajectory: IfGiven[GoldenTrajectory] = Field(
        default=None,
        description="Reference answer. It must pass the stimulus' deterministic graders.",
        examples=[{"path": "golden/answer.json"}],
    )
    golden_patch: IfGiven[GoldenPatch] = Field(
        default=None,
        description="Reference change of the workspace as a git patch.",
        examples=[{"path": "golden/change.patch"}],
    )
    agent_environment: NamedOrInline | None = Field(
        default=None,
        description="Additional environment of this stimulus, or its name. Not documented by vally.",
        examples=[{"files": [{"src": "fixtures/app", "dest": "."}]}],
    )
    grading_environment: NamedOrInline | None = Field(
        default=None,
        description="Environment for graders only, added after the agent has finished. Not documented by vally.",
        examples=[{"files": [{"src": "checks/api.mjs", "dest": ".checks/api.mjs"}]}],
    )
    golden_custom_metrics: IfGiven[GoldenMetrics] = Field(
        default=None,
        description="Metrics file for `vally oracle`, so that `custom-metrics` graders can be tried without an agent.",
        examples=[{"path": "golden/metrics.json"}],
    )
    golden_command: AnyValue = Field(
        default=None,
        description="Command that does the task correctly, for `vally oracle`. Its form is not documented.",
        examples=["npm run fix"],
    )
    attachments: AnyValue = Field(
        default=None,
        description="Files to send with the first prompt. The form of the items is not documented.",
        examples=[["fixtures/photo.png"]],
    )
    simulation: AnyValue = Field(
        default=None,
        description="Simulated answers of MCP tools under `tool_overrides`, as `vally simulate record` writes them. waza-lsp ignores it.",
        examples=[{"tool_overrides": {}}],
        json_schema_extra={"type": "object"},
    )
    supported_executors: Strings = Field(
        default=[],
        description="Executors that can run the stimulus. Not documented by vally.",
        examples=[["copilot-sdk"]],
    )
