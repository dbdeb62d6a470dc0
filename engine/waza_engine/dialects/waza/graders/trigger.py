"""Estimates whether the task's prompt should make an agent load a skill. A heuristic without model calls.

## What it looks at
The words of the task's prompt, the keywords of the skill's SKILL.md (name, description, body), and the phrases after
`USE FOR:` in its description. The agent's behavior is ignored.

## Score
The score is the relevance of the prompt: the share of its words that are keywords, or the best match of a phrase,
whichever is higher. Example: in the prompt `publish the web application` three words count, and `publish` and `web`
are keywords: 2 / 3 = 0.67. With `mode: positive` the grader passes if the score is at least the threshold, with
`mode: negative` if it is below.

## Errors
The run ends with an error if SKILL.md is missing or blank, or if it has broken front matter or no usable words.

## Example
```yaml
type: trigger
name: sounds-like-a-deployment
config:
  skill_path: skills/azure-deploy
  mode: positive
```

## Watch out
- The score is the relevance in both modes. A negative grader that passes has a low score, which lowers the run's
  mean.
- `skill_path` is relative to the directory where waza was started.
- With threshold 0, a positive grader always passes and a negative one always fails.
"""

from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, ConfigDict, Field

from waza_engine.dialects.waza.skill_relevance import SkillText, SkillTextError, read_skill, relevance
from waza_engine.graders.base import ConfigError, FailedCheck, Grader, GraderResult, GradingContext, Scope
from waza_engine.lib.go.text import decode, fold, trim
from waza_engine.lib.paths import file_bytes, is_directory
from waza_engine.model.fields import IfGiven, Number, Text, as_text
from waza_engine.model.file_names import SKILL_FILE
from waza_engine.model.findings import Finding
from waza_engine.model.schema_marks import foreign_keys, marks
from waza_engine.rules.cannot_fail import CANNOT_FAIL

_THRESHOLD = 0.6
_MODES = {
    "positive": "The prompt should make the agent load the skill.",
    "negative": "The prompt should not make the agent load the skill.",
}


def _mode(value: Any) -> Any:
    text = as_text(value)
    return fold(trim(text)) if isinstance(text, str) else text


def _shown(score: float, threshold: float) -> str:
    """Format a score with two decimals, or with all if rounding would move it across the threshold."""
    text = f"{score:.2f}"
    return text if (float(text) >= threshold) == (score >= threshold) else str(score)


class TriggerGrader(Grader):
    type_name = "trigger"
    without_file: ClassVar[str] = "the run ends with an error"
    requires_files: ClassVar[bool] = True

    model_config = ConfigDict(
        json_schema_extra=foreign_keys(
            {"skill": "skill_path", "path": "skill_path", "skill_file": "skill_path"}
        )
    )

    skill_path: Text = Field(
        min_length=1,
        description="Path of SKILL.md or its directory, relative to the directory where waza starts.",
        examples=["skills/azure-deploy"],
        json_schema_extra=marks(path=("process", "any")),
    )
    mode: Annotated[Literal["positive", "negative"], BeforeValidator(_mode)] = Field(
        description="Whether the prompt should make the agent load the skill.",
        examples=["positive"],
        json_schema_extra=marks(values=_MODES) | {"x-any-case": True},
    )
    threshold: IfGiven[Annotated[Number, Field(ge=0, le=1)]] = Field(
        default=_THRESHOLD,
        description="Minimum relevance for a prompt to count as relevant to the skill.",
        examples=[0.5],
        json_schema_extra={"x-shown-default": _THRESHOLD, "x-limit": "score"},
    )

    def check(self, scope: Scope) -> Iterator[Finding]:
        if self.threshold == 0:
            always = "passes" if self.mode == "positive" else "fails"
            yield CANNOT_FAIL.at(("threshold",), f"With threshold 0 this grader always {always}")

    def grade(self, context: GradingContext) -> GraderResult:
        skill = self._skill(context.process_dir)
        if context.prompt is None:
            return GraderResult.failed("There is no task")
        threshold = _THRESHOLD if self.threshold is None else self.threshold
        match = relevance(skill, context.prompt)
        is_relevant = match.score >= threshold
        passed = is_relevant is (self.mode == "positive")
        feedback = f"Relevance {_shown(match.score, threshold)}, threshold {threshold:g}, mode {self.mode}"
        words = f"matching keywords: {', '.join(match.matched) or 'none'}"
        return GraderResult(
            match.score,
            passed,
            feedback,
            {
                "mode": self.mode,
                "threshold": threshold,
                "skill_path": self.skill_path,
                "matched_keywords": list(match.matched) or None,
                "matched_count": len(match.matched),
                "keyword_count": len(skill.keywords),
                "phrase_score": match.phrase_score,
            },
            parts=() if passed else (FailedCheck(("mode",), feedback, words),),
        )

    def _skill(self, process_dir: Path) -> SkillText:
        place = process_dir / self.skill_path
        if is_directory(place):
            place /= SKILL_FILE
        data = file_bytes(place)
        if data is None:
            raise ConfigError(f"cannot read the skill file {place}")
        try:
            return read_skill(decode(data))
        except SkillTextError as error:
            raise ConfigError(f"{place}: {error}") from error
