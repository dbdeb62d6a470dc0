"""Eval specs, `eval.yaml` with `stimuli` (docs/reference/vally.md, section 2)."""

from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, Field

from waza_engine.dialects.vally.formats.environment import NamedOrInline
from waza_engine.dialects.vally.formats.graders import GraderConfig
from waza_engine.dialects.vally.formats.model import TagValues, TolerantModel, tolerant
from waza_engine.dialects.vally.formats.scoring import ScoringConfig
from waza_engine.dialects.vally.formats.settings import EvalConfig
from waza_engine.dialects.vally.formats.stimulus import Artifacts, Stimulus
from waza_engine.model.fields import ListOf, Text, as_mapping
from waza_engine.model.schema_marks import MapOf, SectionOf, foreign_keys, marks

_OF_RUNS = "Settings of runs stand under 'defaults'"
_FOREIGN = foreign_keys(
    {
        "threshold": "scoring.threshold",
        "weights": "scoring.weights",
        "skills": "environment.skills",
        "files": "environment.files",
        "commands": "environment.commands",
        "mcpServers": "environment.mcpServers",
    },
    runs=_OF_RUNS,
    timeout=_OF_RUNS,
    model=_OF_RUNS,
    judge_model=_OF_RUNS,
    executor=_OF_RUNS,
    prompt="A prompt belongs to a stimulus",
    turns="Turns belong to a stimulus",
    rubric="Criteria belong to a stimulus",
)
"""Keys that people write at the top although they belong further down."""

_OldConfig = Annotated[EvalConfig | None, BeforeValidator(as_mapping)]


class EvalFile(TolerantModel):
    """A suite: the stimuli, where and how they are run, and how their scores are put together."""

    model_config = ConfigDict(
        title="vally eval",
        json_schema_extra={
            **tolerant("near", **_FOREIGN),
            "x-runnable": "eval",
            "x-title-from": ["name"],
            "x-placeholders": True,
            "x-null-refused": True,
        },
    )

    name: Text = Field(
        default="", description="Name of the eval in results and reports.", examples=["deploy-skill"]
    )
    description: Text = Field(
        default="",
        description="What the eval is for, for people.",
        examples=["Does the skill deploy safely?"],
    )
    version: Text = Field(
        default="",
        description="Your own version of the eval; nothing is done with it.",
        examples=["1"],
        json_schema_extra=marks(type=["string", "number"]),
    )
    type: Text = Field(
        default="",
        description="What the eval is meant to show.",
        examples=["capability"],
        json_schema_extra=marks(
            values={
                "capability": "What the agent can do.",
                "regression": "That it can still do what it could; compare it with a baseline.",
            }
        ),
    )
    tags: MapOf[TagValues] = Field(
        default={},
        description="Tags that every stimulus inherits; the same key on a stimulus wins.",
        examples=[{"area": "deploy"}],
    )
    environment: NamedOrInline | None = Field(
        default=None,
        description="What every stimulus finds; or the name of an environment in `.vally.yaml`.",
        examples=[{"skills": ["../skills/deploy"], "files": [{"src": "fixtures/app", "dest": "."}]}],
    )
    agent_environment: NamedOrInline | None = Field(
        default=None,
        description="What every stimulus finds besides, or the name of it; newer specs keep the skills here. vally does not document it.",
        examples=[{"skills": ["../skills/deploy"]}],
    )
    grading_environment: NamedOrInline | None = Field(
        default=None,
        description="What only the graders find, once the agent has ended. vally does not document it.",
        examples=[{"files": [{"src": "checks/api.mjs", "dest": ".checks/api.mjs"}]}],
    )
    artifacts: Artifacts | None = Field(
        default=None,
        description="Workspace files of every stimulus that are kept in the output.",
        examples=[{"include": ["dist/**"]}],
    )
    defaults: SectionOf[EvalConfig] = Field(
        default_factory=EvalConfig,
        description="How the stimuli are run.",
        examples=[{"runs": 3, "timeout": "300s", "model": "claude-sonnet-4.6"}],
        json_schema_extra=marks(since="0.7"),
    )
    config: _OldConfig = Field(
        default=None,
        description="The name that `defaults` had before vally 0.7.",
        examples=[{"runs": 1}],
        json_schema_extra={
            **marks(instead="defaults", move_to="defaults"),
            "x-severity": "warning",
        },
    )
    stimuli: ListOf[Stimulus] = Field(
        min_length=1,
        description="The test cases.",
        examples=[
            [
                {
                    "name": "explains-the-script",
                    "prompt": "Explain what deploy.sh does.",
                    "graders": [{"type": "output-contains", "config": {"substring": "deploy"}}],
                }
            ]
        ],
    )
    graders: ListOf[GraderConfig] = Field(
        default=[],
        description="Graders for every stimulus, before its own. Not every version of vally has them.",
        examples=[[{"type": "completed"}]],
    )
    scoring: SectionOf[ScoringConfig] = Field(
        default_factory=ScoringConfig,
        description="How the scores of the graders are put together, and what a trial needs to pass.",
        examples=[{"weights": {"prompt": 0.7, "output-contains": 0.3}, "threshold": 0.8}],
    )
