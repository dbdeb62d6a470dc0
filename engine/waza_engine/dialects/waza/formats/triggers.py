"""`trigger_tests.yaml`: prompts that should, and should not, make the agent load a skill.

See docs/reference/waza-formats.md, section 6.
"""

from pydantic import ConfigDict, Field

from waza_engine.model.fields import Flag, ListOf, Text
from waza_engine.model.schema_marks import FileModel, marks


class Prompt(FileModel):
    """One prompt of the trigger tests."""

    model_config = ConfigDict(json_schema_extra={"x-title-from": ["prompt"], "x-text-as": "prompt"})

    prompt: Text = Field(
        min_length=1, description="The prompt for the agent.", examples=["Take notes of this meeting"]
    )
    reason: Text = Field(
        default="",
        description="Why the skill should, or should not, be used. For readers only.",
        examples=["unrelated"],
    )
    confidence: Text = Field(
        default="high",
        description="How sure you are. It sets the weight of the prompt.",
        examples=["medium"],
        json_schema_extra=marks(values={"high": "Full weight.", "medium": "Half weight."}),
    )
    should_trigger: Flag | None = Field(
        default=None,
        description="From the oldest format. Now the list that contains the prompt decides.",
        examples=[True],
        json_schema_extra=marks(instead="the list the prompt is in", move_to=""),
    )


class TriggersFile(FileModel):
    """Prompts that test whether the agent uses the skill when it should, and only then."""

    model_config = ConfigDict(
        title="waza trigger tests",
        json_schema_extra={
            "anyOf": [{"required": ["should_trigger_prompts"]}, {"required": ["should_not_trigger_prompts"]}],
            "x-skeleton": dict.fromkeys(["skill", "should_trigger_prompts"]),
        },
    )

    skill: Text = Field(
        min_length=1,
        description="Name of the skill, exactly as in its SKILL.md.",
        examples=["note-taker"],
        json_schema_extra=marks(reference="skill"),
    )
    should_trigger_prompts: ListOf[Prompt] = Field(
        default=[],
        description="Prompts for which the skill must be used.",
        examples=[[{"prompt": "Take notes of this meeting"}]],
    )
    should_not_trigger_prompts: ListOf[Prompt] = Field(
        default=[],
        description="Prompts for which the skill must not be used.",
        examples=[[{"prompt": "What is the weather today?", "reason": "unrelated"}]],
    )
