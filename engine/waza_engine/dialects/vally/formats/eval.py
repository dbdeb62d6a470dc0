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

_OF_RUNS = "Put run settings under 'defaults'"
_FOREIGN = foreign_keys(
    {
        "stimulus": "stimuli",
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
"""Keys that users misplace at the top level, with their correct locations."""

_OldConfig = Annotated[EvalConfig | None, BeforeValidator(as_mapping)]


class EvalFile(TolerantModel):
    """An eval: its stimuli, how they are run, and how they are scored."""

    model_config = ConfigDict(
        title="vally eval",
        json_schema_extra={
            **tolerant("near", **_FOREIGN),
            "x-runnable": "eval",
            "x-title-from": ["name"],
            "x-tags-from": "tags",
            "x-placeholders": True,
            "x-templates": {
                "{{": "vally does not replace `{{...}}`. It replaces `${NAME}` before it reads the file.",
                "${": "vally replaces this before it reads the file; `${NAME=default}` has a default.",
            },
            "x-null-refused": True,
        },
    )

    name: Text = Field(
        default="", description="Name of the eval in results and reports.", examples=["deploy-skill"]
    )
    description: Text = Field(
        default="",
        description="Purpose of the eval.",
        examples=["Does the skill deploy safely?"],
    )
    version: Text = Field(
        default="",
        description="Your version of the eval; not evaluated.",
        examples=["1"],
        json_schema_extra={"type": ["string", "number"]},
    )
    type: Text = Field(
        default="",
        description="Kind of eval.",
        examples=["capability"],
        json_schema_extra=marks(
            values={
                "capability": "Measures what the agent can do.",
                "regression": "Checks that the agent can still do it; compare with a baseline.",
            }
        ),
    )
    tags: MapOf[TagValues] = Field(
        default={},
        description="Tags of all stimuli; the same key in a stimulus takes precedence.",
        examples=[{"area": "deploy"}],
    )
    environment: NamedOrInline | None = Field(
        default=None,
        description="Environment of all stimuli, or the name of one in `.vally.yaml`.",
        examples=[{"skills": ["../skills/deploy"], "files": [{"src": "fixtures/app", "dest": "."}]}],
    )
    agent_environment: NamedOrInline | None = Field(
        default=None,
        description="Additional environment of all stimuli, or its name; newer specs list skills in it. Not documented by vally.",
        examples=[{"skills": ["../skills/deploy"]}],
    )
    grading_environment: NamedOrInline | None = Field(
        default=None,
        description="Environment for graders only, added after the agent has finished. Not documented by vally.",
        examples=[{"files": [{"src": "checks/api.mjs", "dest": ".checks/api.mjs"}]}],
    )
    artifacts: Artifacts | None = Field(
        default=None,
        description="Workspace files of all stimuli to keep in the output.",
        examples=[{"include": ["dist/**"]}],
    )
    defaults: SectionOf[EvalConfig] = Field(
        default_factory=EvalConfig,
        description="How the stimuli are run.",
        examples=[{"runs": 3, "timeout": "300s", "model": "claude-sonnet-4.6"}],
    )
    config: _OldConfig = Field(
        default=None,
        description="Old name of `defaults`.",
        examples=[{"runs": 1}],
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
        description="Graders for all stimuli, run before their own. Not supported by all vally versions.",
        examples=[[{"type": "completed"}]],
    )
    scoring: SectionOf[ScoringConfig] = Field(
        default_factory=ScoringConfig,
        description="How grader scores are combined, and when a trial passes.",
        examples=[{"weights": {"prompt": 0.7, "output-contains": 0.3}, "threshold": 0.8}],
    )
