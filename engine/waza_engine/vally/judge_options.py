"""The options that `prompt` and `panel` have in common (docs/reference/vally.md, sections 7.9 and 7.10)."""

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field

from waza_engine.findings import Finding, Fix, RemoveKey
from waza_engine.formats.model import each, marks
from waza_engine.rules.never_applied import NEVER_APPLIED
from waza_engine.vally.fields import Number, Text, given_list
from waza_engine.vally.grader import VallyGrader
from waza_engine.vally.judging import Question

SCORINGS = {
    "binary": "Each criterion and the whole is met or not.",
    "scale_1_5": "1 to 5 points; 1 is score 0, 3 is 0.5, 5 is 1.",
    "scale_1_10": "1 to 10 points; 1 is score 0, 5.5 is 0.5, 10 is 1.",
}


EFFORTS = {
    "low": "Least reasoning, fastest answers.",
    "medium": "Some reasoning.",
    "high": "Much reasoning.",
    "xhigh": "Very much reasoning.",
}
_EVIDENCE = {
    "trajectory": "A timeline of messages, tool calls and results.",
    "diff": "What the agent changed in its workspace.",
    "golden_patch": "The reference change of the stimulus; a recording does not hold it.",
    "repo": "The judge may read files of the workspace.",
}


class JudgeGrader(VallyGrader):
    """A grader that asks a judge model for points."""

    determinism = "llm"
    cost_profile = "high"
    portability = "t3a-scenario"
    score_kind = "llm"
    requires_llm_client: ClassVar[bool] = True
    deterministic: ClassVar[bool] = False
    asks_judge: ClassVar[bool] = True

    prompt: Text = Field(
        default="",
        description=(
            "Instructions for the judge, beside the `rubric` of the stimulus. Without both, it judges task completion, "
            "correctness and quality."
        ),
        examples=["Does the answer name the root cause?"],
    )
    scoring: Literal["binary", "scale_1_5", "scale_1_10"] = Field(
        default="scale_1_5",
        description="The scale of the judge's points.",
        examples=["binary"],
        json_schema_extra=marks(values=SCORINGS),
    )
    threshold: Number = Field(
        default=0.5, ge=0, le=1, description="The score, from 0 to 1, that passes.", examples=[0.75]
    )
    evidence: Annotated[
        list[Literal["trajectory", "diff", "golden_patch", "repo"]], BeforeValidator(given_list)
    ] = Field(
        default=["trajectory"],
        description="What the judge is shown beside the task and the final answer.",
        examples=[["trajectory", "diff"]],
        json_schema_extra={**each(values=_EVIDENCE), **marks(since="0.14")},
    )

    @classmethod
    def check_written(cls, config: Mapping[str, Any]) -> Iterator[Finding]:
        yield from super().check_written(config)
        if "rubric" in config:
            fix = Fix("Remove 'rubric'", (RemoveKey(("rubric",)),))
            message = "Criteria stand in the 'rubric' of the stimulus; instructions here are called 'prompt'"
            yield NEVER_APPLIED.at(("rubric",), message, on="key", fixes=[fix])

    @property
    def question(self) -> Question:
        return Question(self.prompt, self.scoring, self.threshold, self.evidence or ("trajectory",))
