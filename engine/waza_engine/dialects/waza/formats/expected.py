"""The `expected` section of a task.

See docs/reference/waza-formats.md, section 5.2; docs/reference/waza-graders.md, section 2.5.
"""

from typing import Any

from pydantic import ConfigDict, Field

from waza_engine.model.fields import AnyValue, Flag, IfGiven, Integer, ListOf, Strings, Text
from waza_engine.model.schema_marks import FileModel, MapOf, foreign_keys, marks

_COUNTS: dict[str, Any] = {"x-check-weight": 1}
"""Such a list is a check of weight 1 in the score."""
_APPLIED: dict[str, Any] = {**_COUNTS, "x-applied-since": "0.27"}
"""Older versions read the list and did nothing with it."""


class Outcome(FileModel):
    """An outcome that was to be checked; no version of waza does."""

    model_config = ConfigDict(
        json_schema_extra=foreign_keys(
            tool_name="Tool calls are what the graders `tool_calls` and `behavior` check"
        )
    )

    type: Text = Field(default="", description="Kind of outcome. Never checked.", examples=["file_created"])
    value: AnyValue = Field(
        default=None, description="Value of the outcome. Never checked.", examples=["report.md"]
    )
    condition: Text = Field(
        default="", description="Condition of the outcome. Never checked.", examples=["exists"]
    )


class Behavior(FileModel):
    """Limits that were to be checked; no version of waza does. The `behavior` grader checks such limits."""

    model_config = ConfigDict(json_schema_extra=foreign_keys({"max_duration_ms": "max_response_time_ms"}))

    max_tool_calls: Integer = Field(
        default=0, ge=0, description="Never checked; use the `behavior` grader.", examples=[5]
    )
    max_iterations: Integer = Field(default=0, ge=0, description="Never checked.", examples=[3])
    max_tokens: Integer = Field(
        default=0, ge=0, description="Never checked; use the `behavior` grader.", examples=[4000]
    )
    max_response_time_ms: Integer = Field(
        default=0,
        description="Never checked; the `behavior` grader has `max_duration_ms`.",
        examples=[30000],
        json_schema_extra=marks(since="0.27", minimum=1),
    )
    required_tools: Strings = Field(
        default=[], description="Never checked; use the `behavior` grader.", examples=[["bash"]]
    )
    forbidden_tools: Strings = Field(
        default=[], description="Never checked; use the `behavior` grader.", examples=[["rm"]]
    )


class Expected(FileModel):
    """What the answer should be like. Each `output_*` list counts like a grader of weight 1."""

    model_config = ConfigDict(
        json_schema_extra=foreign_keys(
            {
                "contains": "output_contains",
                "not_contains": "output_not_contains",
                "contains_any": "output_contains_any",
            },
            matches="Patterns are what a `text` grader with `regex_match` checks",
            output_matches="Patterns are what a `text` grader with `regex_match` checks",
            regex_match="Patterns are what a `text` grader with `regex_match` checks",
            files="Files are what the graders `file` and `diff` check",
            skills="Skills are what a `skill_invocation` grader checks",
        )
    )

    output_contains: Strings = Field(
        default=[],
        description="Texts that must all occur in the output. Upper and lower case are the same. Checked since 0.27.",
        examples=[["deployed to"]],
        json_schema_extra=_APPLIED,
    )
    output_not_contains: Strings = Field(
        default=[],
        description="Texts that must not occur in the output. Upper and lower case are the same. Checked since 0.27.",
        examples=[["error"]],
        json_schema_extra=_APPLIED,
    )
    output_contains_any: Strings = Field(
        default=[],
        description="Texts of which at least one must occur in the output. Upper and lower case are the same.",
        examples=[["done", "finished"]],
        json_schema_extra=marks(since="0.27", **_COUNTS),
    )
    outcomes: ListOf[Outcome] = Field(
        default=[],
        description="Read, but never checked by any version of waza.",
        examples=[[{"type": "file_created", "value": "report.md"}]],
        json_schema_extra=marks(no_effect=True),
    )
    tool_calls: MapOf[AnyValue] = Field(
        default={},
        description="Read, but never checked by any version of waza. The `tool_calls` grader checks tool calls.",
        examples=[{"required": [{"pattern": "bash"}]}],
        json_schema_extra=marks(no_effect=True),
    )
    behavior: IfGiven[Behavior] = Field(
        default=None,
        description="Read, but never checked by any version of waza. The `behavior` grader checks limits.",
        examples=[{"max_tool_calls": 5}],
        json_schema_extra=marks(no_effect=True),
    )
    should_trigger: Flag | None = Field(
        default=None,
        description="Read, but never checked by any version of waza. The `trigger` grader and trigger tests do it.",
        examples=[True],
        json_schema_extra=marks(no_effect=True),
    )
    graders: AnyValue = Field(
        default=None,
        description=(
            "Old examples put graders here; waza never read them. Graders of the eval always run; graders of this "
            "task belong into `graders` of the task."
        ),
        examples=[["says-where"]],
        json_schema_extra=marks(
            instead="graders", type="array", items={"type": ["string", "object"], "x-reference": "grader"}
        ),
    )
