"""`*.experiment.yaml`: the same evals under several settings (docs/reference/vally.md, section 9)."""

from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field, WithJsonSchema

from waza_engine.dialects.vally.formats.environment import NamedOrInline
from waza_engine.dialects.vally.formats.model import NAMED_BY_KEY, TolerantModel, tolerant
from waza_engine.dialects.vally.formats.settings import EvalConfig
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.fields import AnyValue, IfGiven, Integer, ListOf, Strings, Text
from waza_engine.model.schema_marks import MapOf, SectionOf

_POINTERS = {
    "/defaults/model": "The model of the agent.",
    "/defaults/judge_model": "The model of the judges.",
    "/environment/skills": "The skills of the run.",
    "/environment/mcpServers": "The MCP servers of the run.",
    "/environment/env": "The environment variables of the run.",
}
"""What is mostly varied."""
_POINTER = {"pattern": "^/", "x-pattern-text": "a JSON pointer begins with a slash"}


class Variant(TolerantModel):
    """One arm of the experiment: what is laid over the specs' own settings."""

    model_config = ConfigDict(json_schema_extra={**tolerant(), **NAMED_BY_KEY, "x-runnable": "variant"})

    overrides: SectionOf[EvalConfig] = Field(
        default_factory=EvalConfig,
        description="Settings laid over the `defaults` of the specs.",
        examples=[{"model": "gpt-5.2"}],
    )
    environment: NamedOrInline | None = Field(
        default=None,
        description="Laid over the `environment` of the specs; a path that is varied replaces theirs.",
        examples=[{"skills": ["../skills/deploy-v2"]}],
    )


class Axis(TolerantModel):
    """A setting that takes several values."""

    model_config = ConfigDict(json_schema_extra={**tolerant(), **NAMED_BY_KEY, "x-title-from": ["path"]})

    path: Text = Field(
        min_length=1,
        description="JSON pointer of what is varied.",
        examples=["/defaults/model"],
        json_schema_extra={
            **_POINTER,
            "x-suggestions": list(_POINTERS),
            "x-enum-descriptions": dict(_POINTERS),
        },
    )
    values: ListOf[AnyValue] = Field(
        min_length=1, description="The values it takes.", examples=[["claude-sonnet-4.6", "gpt-5.2"]]
    )


class Execution(TolerantModel):
    """How the experiment is run."""

    model_config = ConfigDict(json_schema_extra=tolerant())

    workers: IfGiven[Integer] = Field(
        default=None,
        description="How many trials run at the same time.",
        examples=[4],
        json_schema_extra={"minimum": 1},
    )


Baseline = Annotated[
    Any,
    BeforeValidator(plain),
    WithJsonSchema({"type": ["string", "object"], "minLength": 1, "x-reference": "variant"}),
]


class ExperimentFile(TolerantModel):
    """The same evals under several settings, compared with one of them."""

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
        default="", description="What the experiment is for, for people.", examples=["Does the skill help?"]
    )
    evals: Strings = Field(
        description="The eval specs, as paths and globs relative to this file. One that matches nothing is skipped.",
        examples=[["deploy/eval.yaml"]],
        json_schema_extra={
            "minItems": 1,
            "items": {"type": "string", "x-path": {"base": "task", "kind": "glob"}},
        },
    )
    vary: Strings = Field(
        default=[],
        description="JSON pointers of what the variants may differ in. Needed with `variants`, wrong with `matrix`.",
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
        description="The variant the others are compared with; with `matrix` a value for each axis.",
        examples=["without-skill"],
    )
    variants: MapOf[Variant] = Field(
        default={},
        description="The arms of the experiment by name, at least two.",
        examples=[{"without-skill": {"environment": {"skills": []}}, "with-skill": {}}],
        json_schema_extra={"minProperties": 2, "x-defines-keys": "variant"},
    )
    matrix: MapOf[Axis] = Field(
        default={},
        description="Settings by name of which all combinations are run; instead of `variants`.",
        examples=[{"model": {"path": "/defaults/model", "values": ["claude-sonnet-4.6", "gpt-5.2"]}}],
    )
    overrides: SectionOf[EvalConfig] = Field(
        default_factory=EvalConfig,
        description="Settings for all variants; they replace the specs' own.",
        examples=[{"runs": 5}],
    )
    execution: SectionOf[Execution] = Field(
        default_factory=Execution, description="How the experiment is run.", examples=[{"workers": 4}]
    )
