"""The `expected` section of a task.

See docs/reference/waza-formats.md, section 5.2; docs/reference/waza-graders.md, section 2.5.
"""

from typing import Any

from pydantic import ConfigDict, Field

from waza_engine.model.fields import AnyValue, Flag, IfGiven, Integer, ListOf, Strings, Text
from waza_engine.model.schema_marks import FileModel, MapOf, foreign_keys, marks

_COUNTS: dict[str, Any] = {"x-check-weight": 1}
"""The list is a check with weight 1 in the score."""

_IDLE = {"x-idle": True}
"""Nothing in the mapping has an effect, so a misspelt key in it is no mistake of its own."""


class Outcome(FileModel):
    """An expected outcome. No version of waza checks it."""

    model_config = ConfigDict(
        json_schema_extra={
            **_IDLE,
            **foreign_keys(tool_name="To check tool calls, use a `tool_calls` or `behavior` grader"),
        }
    )

    type: Text = Field(default="", description="Kind of outcome. Never checked.", examples=["file_created"])
    value: AnyValue = Field(
        default=None, description="Value of the outcome. Never checked.", examples=["report.md"]
    )
    condition: Text = Field(
        default="", description="Condition of the outcome. Never checked.", examples=["exists"]
    )


class Behavior(FileModel):
    """Expected limits. No version of waza checks them; use the `behavior` grader."""

    model_config = ConfigDict(
        json_schema_extra={**_IDLE, **foreign_keys({"max_duration_ms": "max_response_time_ms"})}
    )

    max_tool_calls: Integer = Field(
        default=0, ge=0, description="Never checked; use the `behavior` grader.", examples=[5]
    )
    max_iterations: Integer = Field(default=0, ge=0, description="Never checked.", examples=[3])
    max_tokens: Integer = Field(
        default=0, ge=0, description="Never checked; use the `behavior` grader.", examples=[4000]
    )
    max_response_time_ms: Integer = Field(
        default=0,
        description="Never checked; use `max_duration_ms` of the `behavior` grader.",
        examples=[30000],
        json_schema_extra={"minimum": 1},
    )
    required_tools: Strings = Field(
        default=[], description="Never checked; use the `behavior` grader.", examples=[["bash"]]
    )
    forbidden_tools: Strings = Field(
        default=[], description="Never checked; use the `behavior` grader.", examples=[["rm"]]
    )


class Expected(FileModel):
    """Expectations on the output. Each `output_*` list counts like a grader with weight 1."""

    model_config = ConfigDict(
        json_schema_extra=foreign_keys(
            {
                "contains": "output_contains",
                "not_contains": "output_not_contains",
                "contains_any": "output_contains_any",
            },
            matches="To check patterns, use a `text` grader with `regex_match`",
            output_matches="To check patterns, use a `text` grader with `regex_match`",
            regex_match="To check patterns, use a `text` grader with `regex_match`",
            files="To check files, use a `file` or `diff` grader",
            skills="To check skills, use a `skill_invocation` grader",
        )
    )

    output_contains: Strings = Field(
        default=[],
        description="Strings that must all appear in the output (case-insensitive).",
        examples=[["deployed to"]],
        json_schema_extra=_COUNTS,
    )
    output_not_contains: Strings = Field(
        default=[],
        description="Strings that must not appear in the output (case-insensitive).",
        examples=[["error"]],
        json_schema_extra=_COUNTS,
    )
    output_contains_any: Strings = Field(
        default=[],
        description="Strings of which at least one must appear in the output (case-insensitive).",
        examples=[["done", "finished"]],
        json_schema_extra=_COUNTS,
    )
    outcomes: ListOf[Outcome] = Field(
        default=[],
        description="Never checked by any version of waza.",
        examples=[[{"type": "file_created", "value": "report.md"}]],
        json_schema_extra=marks(no_effect="hint"),
    )
    tool_calls: MapOf[AnyValue] = Field(
        default={},
        description="Never checked by any version of waza. Use the `tool_calls` grader.",
        examples=[{"required": [{"pattern": "bash"}]}],
        json_schema_extra=marks(no_effect=True),
    )
    behavior: IfGiven[Behavior] = Field(
        default=None,
        description="Never checked by any version of waza. Use the `behavior` grader.",
        examples=[{"max_tool_calls": 5}],
        json_schema_extra=marks(no_effect="rule"),
    )
    should_trigger: Flag | None = Field(
        default=None,
        description="Never checked by any version of waza. Use the `trigger` grader or trigger tests.",
        examples=[True],
        json_schema_extra=marks(no_effect="hint"),
    )
    graders: AnyValue = Field(
        default=None,
        description=(
            "Old examples list graders here, but waza never reads them. The eval's graders always run. Put graders of "
            "this task under the task's `graders`."
        ),
        examples=[["says-where"]],
        json_schema_extra={
            **marks(instead="graders"),
            "type": "array",
            "items": {"type": ["string", "object"], "x-reference": "grader"},
        },
    )
