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
    """Limits of a run, and what it must and must not use. Each is a check of its own; none counts in the score."""

    model_config = ConfigDict(json_schema_extra=tolerant())

    max_turns: IfGiven[Count] = Field(
        default=None,
        description="Most turns of the agent.",
        examples=[10],
    )
    max_tokens: IfGiven[Count] = Field(
        default=None,
        description="Most tokens, input and output together.",
        examples=[50000],
    )
    max_duration: IfGiven[Duration] = Field(
        default=None, description="Longest time, with a unit.", examples=["120s"]
    )
    max_agent_duration: IfGiven[Duration] = Field(
        default=None,
        description="Longest time of the agent alone, with a unit. vally does not document it.",
        examples=["90s"],
    )
    expect_tools: Strings = Field(
        default=[], description="Tools that must each be used, by their exact names.", examples=[["bash"]]
    )
    reject_tools: Strings = Field(
        default=[], description="Tools that must not be used, by their exact names.", examples=[["edit"]]
    )
    expect_skills: Strings = Field(
        default=[],
        description="Skills that must each be activated.",
        examples=[["deploy"]],
        json_schema_extra={"items": {"type": "string", "x-reference": "skill"}},
    )
    reject_skills: Strings = Field(
        default=[],
        description="Skills that must not be activated. `*` keeps all skills out of the run.",
        examples=[["*"]],
        json_schema_extra={"items": {"type": "string", "x-reference": "skill"}},
    )


class Artifacts(TolerantModel):
    """Which files of the workspace are kept in the output."""

    model_config = ConfigDict(json_schema_extra=tolerant())

    include: Strings = Field(
        default=[], description="Globs of the files to keep.", examples=[["dist/**/*.json"]]
    )
    exclude: Strings = Field(
        default=[], description="Globs of files to leave out again.", examples=[["**/*.map"]]
    )


class GoldenTrajectory(TolerantModel):
    """A reference answer, as an ATIF trajectory: in a file, or here."""

    model_config = ConfigDict(
        json_schema_extra=tolerant(oneOf=[{"required": ["path"]}, {"required": ["inline"]}])
    )

    path: IfGiven[Text] = Field(
        default=None,
        description="The JSON file with the trajectory, relative to the eval file.",
        examples=["golden/answer.json"],
        json_schema_extra=marks(path=("eval", "file"), minLength=1),
    )
    inline: AnyValue = Field(
        default=None,
        description="The trajectory itself.",
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
    """A reference change of the workspace, as a git patch: in a file, or here."""

    model_config = ConfigDict(
        json_schema_extra=tolerant(oneOf=[{"required": ["path"]}, {"required": ["inline"]}])
    )

    path: Text = Field(
        default="",
        description="The file with the patch, relative to the eval file.",
        examples=["golden/change.patch"],
        json_schema_extra=marks(path=("eval", "file")),
    )
    inline: Text = Field(
        default="", description="The text of the patch.", examples=["--- a/a.txt\n+++ b/a.txt\n"]
    )


def _turn(value: Any) -> Any:
    """A turn as text; older guides show mappings with a `prompt`."""
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
                "prompt": {"type": "string", "minLength": 1, "description": "What is said in this turn."}
            },
            "required": ["prompt"],
        }
    ),
]


_MOVED = {
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
"""Keys that people write into a stimulus although they are called otherwise, or belong further down."""


class Stimulus(TolerantModel):
    """What the agent is asked, and how its work is judged."""

    model_config = ConfigDict(
        json_schema_extra={
            **tolerant("near"),
            "x-runnable": "task",
            "x-id-from": "name",
            "x-title-from": ["name"],
            "anyOf": [{"required": ["prompt"]}, {"required": ["turns"]}],
            **foreign_keys(_MOVED, expected="vally has no expectations of its own: write them as graders"),
        }
    )

    name: Text = Field(
        min_length=1,
        description="Name of the stimulus, unique in the file: trials of two runs are paired by it.",
        examples=["explains-the-error"],
    )
    prompt: Text = Field(
        default="",
        description="What the agent is asked.",
        examples=["Explain what deploy.sh does."],
        json_schema_extra={"minLength": 1},
    )
    turns: ListOf[Turn] = Field(
        default=[],
        description="Prompts of one conversation, sent one after the other; instead of `prompt`.",
        examples=[["List the failing tests.", "Fix the first one."]],
        json_schema_extra=marks(since="0.7", minItems=1),
    )
    environment: NamedOrInline | None = Field(
        default=None,
        description="What this stimulus finds, together with the `environment` of the spec.",
        examples=[{"files": [{"src": "fixtures/app", "dest": "."}]}],
    )
    graders: ListOf[GraderConfig] = Field(
        default=[],
        description="The checks of what the agent did.",
        examples=[[{"type": "output-contains", "config": {"substring": "deploy"}}]],
    )
    rubric: ListOf[Text] = Field(
        default=[],
        description="Criteria for the graders that ask a judge model. Quote one that has `: ` or ` #` in it.",
        examples=[["Names the resource group", "Asks before it deletes anything"]],
    )
    constraints: SectionOf[Constraints] = Field(
        default_factory=Constraints,
        description="Limits of the run, and what it must and must not use.",
        examples=[{"max_turns": 10, "expect_tools": ["bash"]}],
    )
    tags: MapOf[TagValues] = Field(
        default={},
        description="Tags to filter by; they come on top of those of the spec.",
        examples=[{"area": "deploy", "tier": ["ci", "nightly"]}],
    )
    artifacts: IfGiven[Artifacts] = Field(
        default=None,
        description="Workspace files that are kept in the output.",
        examples=[{"include": ["dist/**"]}],
        json_schema_extra=marks(since="0.10"),
    )
    golden_trajectory: IfGiven[GoldenTrajectory] = Field(
        default=None,
        description="A reference answer; it has to pass the stimulus' own deterministic graders.",
        examples=[{"path": "golden/answer.json"}],
        json_schema_extra=marks(since="0.14"),
    )
    golden_patch: IfGiven[GoldenPatch] = Field(
        default=None,
        description="A reference change of the workspace, as a git patch.",
        examples=[{"path": "golden/change.patch"}],
        json_schema_extra=marks(since="0.14"),
    )
    agent_environment: NamedOrInline | None = Field(
        default=None,
        description="What this stimulus finds besides, or the name of it. vally does not document it.",
        examples=[{"files": [{"src": "fixtures/app", "dest": "."}]}],
    )
    grading_environment: NamedOrInline | None = Field(
        default=None,
        description="What only the graders find, once the agent has ended. vally does not document it.",
        examples=[{"files": [{"src": "checks/api.mjs", "dest": ".checks/api.mjs"}]}],
    )
    timeout: AnyValue = Field(
        default=None,
        description="vally ignores it here; the limit of a trial stands under `defaults`.",
        examples=["300s"],
        json_schema_extra=marks(no_effect=True),
    )
    runs: AnyValue = Field(
        default=None,
        description="vally ignores it here; the number of trials stands under `defaults`.",
        examples=[3],
        json_schema_extra=marks(no_effect=True),
    )
    config: AnyValue = Field(
        default=None,
        description="vally ignores it here; settings stand under `defaults` at the top.",
        examples=[{"runs": 3}],
        json_schema_extra=marks(no_effect=True),
    )
    supported_executors: Strings = Field(
        default=[],
        description="Executors that the stimulus is for. vally does not document it.",
        examples=[["copilot-sdk"]],
    )
