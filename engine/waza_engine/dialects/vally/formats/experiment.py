"""`*.experiment.yaml`: the same evals with different settings (docs/reference/vally.md, section 9)."""

from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field, WithJsonSchema

from waza_engine.dialects.vally.formats.environment import NamedOrInline
from waza_engine.dialects.vally.formats.model import NAMED_BY_KEY, TolerantModel, tolerant
from waza_engine.dialects.vally.formats.settings import EvalConfig
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.fields import AnyValue, IfGiven, Integer, ListOf, Strings, Text
from waza_engine.model.schema_marks import MapOf, SectionOf

_POINTERS = {
    "/defaults/model": "Agent model.",
    "/defaults/judge_model": "Judge model.",
    "/defaults/reasoning_effort": "Reasoning effort of the agent.",
    "/defaults/judge_reasoning_effort": "Reasoning effort of the judge.",
    "/environment/skills": "Skills of the run.",
    "/environment/mcpServers": "MCP servers of the run.",
    "/environment/env": "Environment variables of the run.",
}
"""Paths that experiments usually vary."""
_POINTER = {"pattern": "^/", "x-pattern-text": "a JSON pointer starts with a slash"}


class Variant(TolerantModel):
    """One arm of the experiment: its changes to the settings of the specs."""

    model_config = ConfigDict(json_schema_extra={**tolerant(), **NAMED_BY_KEY, "x-runnable": "variant"})

    overrides: SectionOf[EvalConfig] = Field(
        default_factory=EvalConfig,
        description="Settings that override the `defaults` of the specs.",
        examples=[{"model": "gpt-5.2"}],
    )
    environment: NamedOrInline | None = Field(
        default=None,
        description="Merged into the `environment` of the specs; lists such as `skills` replace theirs.",
        examples=[{"skills": ["../skills/deploy-v2"]}],
    )


class Axis(TolerantModel):
    """A setting with several values."""

    model_config = ConfigDict(json_schema_extra={**tolerant(), **NAMED_BY_KEY, "x-title-from": ["path"]})

    path: Text = Field(
        min_length=1,
        description="JSON pointer of the setting to vary.",
        examples=["/defaults/model"],
        json_schema_extra={
            **_POINTER,
            "x-suggestions": list(_POINTERS),
            "x-enum-descriptions": dict(_POINTERS),
        },
    )
    values: ListOf[AnyValue] = Field(
        min_length=1, description="Values of the setting.", examples=[["claude-sonnet-4.6", "gpt-5.2"]]
    )


class Execution(TolerantModel):
    """How the experiment is run."""

    model_config = ConfigDict(json_schema_extra=tolerant())

    workers: IfGiven[Integer] = Field(
        default=None,
        description="Number of trials to run in parallel.",
        examples=[4],
        json_schema_extra={"minimum": 1},
    )


Baseline = Annotated[
    Any,
    BeforeValidator(plain),
    WithJsonSchema({"type": ["string", "object"], "minLength": 1, "x-reference": "variant"}),
]


class ExperimentFile(TolerantModel):
    """Runs the same evals with different settings and compares them with a baseline."""

    model_config = ConfigDict(
        title="vally experiment",
        json_schema_extra={
            **tolerant("near"),
            "x-runnable": "experiment",
            "anyOf": [{"required": ["variants"]}, {"required": ["matrix"]}],
            "x-title-from": ["name"],
            "x-placeholders": True,
            "x-null-refused": True,
        },
    )

    name: Text = Field(min_length=1, description="Name of the experiment.", examples=["skill-or-not"])
    description: Text = Field(
        default="", description="Purpose of the experiment.", examples=["Does the skill help?"]
    )
    evals: Strings = Field(
        description="Eval specs, as paths and globs relative to this file. Patterns without a match are skipped.",
        examples=[["deploy/eval.yaml"]],
        json_schema_extra={
            "minItems": 1,
            "items": {
                "type": "string",
                "x-path": {"base": "task", "kind": "glob", "suffixes": [".yaml", ".yml"]},
            },
        },
    )
    vary: Strings = Field(
        default=[],
        description="JSON pointers of settings in which variants may differ. Required with `variants`, not allowed with `matrix`.",
        examples=[["/environment/skills"]],
        json_schema_extra={
            "items": {
                "type": "string",
                **_POINTER,
                "x-suggestions": list(_POINTERS),
                "x-enum-descriptions": dict(_POINTERS),
            }
        },
    )
    baseline: Baseline = Field(
        description="Variant to compare the others with; with `matrix`, a value for each axis.",
        examples=["without-skill"],
    )
    variants: MapOf[Variant] = Field(
        default={},
        description="Arms of the experiment by name; at least two.",
        examples=[{"without-skill": {"environment": {"skills": []}}, "with-skill": {}}],
        json_schema_extra={"minProperties": 2, "x-defines-keys": "variant"},
    )
    matrix: MapOf[Axis] = Field(
        default={},
        description="Named settings of which all combinations are run; replaces `variants`.",
        examples=[{"model": {"path": "/defaults/model", "values": ["claude-sonnet-4.6", "gpt-5.2"]}}],
    )
    overrides: SectionOf[EvalConfig] = Field(
        default_factory=EvalConfig,
        description="Settings for all variants, overriding those of the specs.",
        examples=[{"runs": 5}],
    )
    filter: AnyValue = Field(
        default=None,
        description="Filter of the stimuli. Use the filter of a suite in `.vally.yaml`, or `--eval-filter`.",
        examples=[{"tier": "ci"}],
    )
    execution: SectionOf[Execution] = Field(
        default_factory=Execution, description="How the experiment is run.", examples=[{"workers": 4}]
    )
