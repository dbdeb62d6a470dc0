"""Grader entries of evals and tasks.

`config` stays raw: only the grader type can read it. The exported schema has the type's options in its place. See
docs/reference/waza-formats.md, section 4.5; docs/reference/waza-graders.md, section 2.1.
"""

from typing import Any

from pydantic import ConfigDict, Field

from waza_engine.dialects.waza.formats.sibling_types import SIBLING_TYPES
from waza_engine.model.fields import Number, Strings, Text
from waza_engine.model.schema_marks import FileModel, foreign_keys, marks

_WEIGHT = "Weight of this grader in the score. Does not affect whether a task passes. 0 and less count as 1."

_FOREIGN = foreign_keys(
    {
        "id": "name",
        "label": "name",
        "kind": "type",
        "grader": "type",
        "options": "config",
        "params": "config",
        "parameters": "config",
        "settings": "config",
    },
    enabled="Graders cannot be disabled. Comment the entry out instead",
)
"""Wrong keys that people write into grader entries, and the right ones."""

_TYPES: dict[str, Any] = {
    "inline_script": "code",
    "python": "code",
    "javascript": "code",
    "assertion": "code",
    "assertions": "code",
    "contains": "text",
    "not_contains": "text",
    "output_contains": "text",
    "regex_match": "text",
    "regexp": "text",
    "match": "text",
    "substring": "text",
    "llm_judge": "prompt",
    "llm-judge": "prompt",
    "llm_rubric": "prompt",
    "judge": "prompt",
    "rubric": "prompt",
    "file_exists": "file",
    "shell": "program",
    "command": "program",
    "jsonschema": "json_schema",
    "tools": "tool_calls",
    "tool_usage": "tool_calls",
    "skill": "skill_invocation",
    "skill_trigger": "trigger",
}
"""Wrong names of types, from other tools and waza's loader, and the right ones."""


TEMPLATES: dict[str, Any] = {
    "{{": "waza replaces templates only in the `prompt` column of a dataset (`tasks_from`). In this file it stays as written.",
    "${": "waza replaces no variables. It stays as written.",
}
"""What a hover says about templates (docs/reference/waza-formats.md, section 9)."""


class _Entry(FileModel):
    """The keys of every grader entry."""

    type: Text = Field(
        default="",
        description="Grader type. The options under `config` depend on it.",
        examples=["text"],
        json_schema_extra={
            **marks(required=True),
            "x-meant": _TYPES,
            "x-siblings": SIBLING_TYPES,
            "x-if-unknown": "If your runner has this type, name it in `waza.extraGraderTypes`",
        },
    )
    name: Text = Field(
        default="",
        description="Name of the grader in results. If two graders have the same name, only the later one counts.",
        examples=["says-where"],
        json_schema_extra=marks(required=True, tolerated=True, defines="grader"),
    )
    weight: Number = Field(
        default=1.0,
        description=_WEIGHT,
        examples=[2],
        json_schema_extra={
            "exclusiveMinimum": 0,
            "x-severity": "warning",
            "x-consequence": "waza uses 1 instead",
            "x-share": True,
        },
    )
    config: Any = Field(default=None, description="The options of the grader type.")


class EvalGrader(_Entry):
    """A grader for every task of the suite."""

    model_config = ConfigDict(
        json_schema_extra={"x-grader-entry": "eval", "x-required-unless": ["ref"], **_FOREIGN}
    )

    ref: Text = Field(
        default="",
        description=(
            "A shared grader of another repository, pinned in the waza.lock next to the eval. Keys of this entry "
            "override those of the shared grader."
        ),
        examples=["github.com/octo/graders/tone#polite@v1.2.0"],
        # Our runs refuse shared graders.
        json_schema_extra={"x-not-offered": True},
    )
    script: Text = Field(
        default="",
        description="Script of the old `script` grader. Other graders ignore it.",
        examples=["graders/check.py"],
        json_schema_extra=marks(instead="config.script", path=("process", "file")),
    )
    rubric: Text = Field(
        default="",
        description="Rubric of the old `llm` grader. `prompt` graders ignore it here and read `config` only.",
        examples=["Score 1-5 how helpful the answer is."],
        json_schema_extra=marks(instead="config.prompt"),
    )
    model: Text = Field(
        default="",
        description="Judge model of the old `llm` grader. `prompt` graders ignore it here and read `config.model`.",
        examples=["gpt-4o-mini"],
        json_schema_extra=marks(instead="config.model", reference="model"),
    )


class TaskGrader(_Entry):
    """A grader for this task only. Runs after the eval's graders."""

    model_config = ConfigDict(
        json_schema_extra={
            "x-grader-entry": "task",
            "x-stand-ins": ["ref"],
            **_FOREIGN,
            "x-explained": {
                **_FOREIGN["x-explained"],
                "ref": "Shared graders work only under 'graders' of the eval. Move the entry there, or write its 'type' and 'config'",
            },
        }
    )

    assertions: Strings = Field(
        default=[],
        description="Assertions of a `code` grader in the oldest format. Now under `config`.",
        examples=[["len(output) > 0"]],
        json_schema_extra=marks(instead="config.assertions"),
    )
    rubric: Text = Field(
        default="",
        description="Rubric of the old `llm` grader. `prompt` graders ignore it here and read `config` only.",
        examples=["Score 1-5 how helpful the answer is."],
        json_schema_extra=marks(instead="config.prompt"),
    )
