"""The base class of vally's grader types, with the fields of vally's taxonomy.

See docs/reference/vally.md, section 6.
"""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, ClassVar, Literal

from pydantic import ValidationError

from waza_engine.dialects.vally.fields import WRONG_SCALAR
from waza_engine.dialects.vally.trajectory.metrics import MissingTurnError, one_turn
from waza_engine.graders.base import Grader, GraderResult, GradingContext
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Finding, Fix, SetValue
from waza_engine.model.pydantic_messages import problem_pointer, problem_text
from waza_engine.rules.wrong_type import WRONG_TYPE


class VallyGrader(Grader):
    """A grader type of vally. The defaults describe a check by code; other types override them."""

    determinism: ClassVar[Literal["static", "complex-static", "slm", "llm"]] = "static"
    """How reliably the same trial gets the same verdict again."""
    cost_profile: ClassVar[Literal["free", "low", "medium", "high"]] = "low"
    portability: ClassVar[Literal["t1-universal", "t2-domain", "t3a-scenario", "t3b-system"]] = "t1-universal"
    """How far a configured grader can be reused beyond its scenario. vally dropped the field in 0.7."""
    reference: ClassVar[Literal["reference-free", "reference-based"]] = "reference-free"
    temporal_scope: ClassVar[Literal["point-in-time", "trajectory-level", "cross-trajectory"]] = (
        "trajectory-level"
    )
    score_kind: ClassVar[Literal["code", "llm", "human"]] = "code"
    requires_llm_client: ClassVar[bool] = False
    requires_workspace: ClassVar[bool] = False

    @classmethod
    def taxonomy(cls) -> Mapping[str, str | bool]:
        return {
            "determinism": cls.determinism,
            "costProfile": cls.cost_profile,
            "portability": cls.portability,
            "reference": cls.reference,
            "temporalScope": cls.temporal_scope,
            "scoreKind": cls.score_kind,
            "requiresLlmClient": cls.requires_llm_client,
            "requiresWorkspace": cls.requires_workspace,
        }

    @classmethod
    def check_raw(cls, config: Mapping[str, Any]) -> Iterator[Finding]:
        try:
            cls.model_validate(dict(config))
        except ValidationError as error:
            for it in error.errors(include_url=False):
                if it["type"] == WRONG_SCALAR:
                    pointer = problem_pointer(it, config, drops_nulls=False)
                    yield _wrong_type_finding(pointer, problem_text(it), it["input"])

    @property
    def checks_absence_only(self) -> bool:
        """Whether the grader only requires that something does not occur."""
        return False

    def grade_turn(self, context: GradingContext, turn: int | None) -> GraderResult:
        if turn is None:
            return self.grade(context)
        try:
            return self.grade(one_turn(context, turn))
        except MissingTurnError as error:
            if self.checks_absence_only:
                # Since 0.19, vally grades such a check in a scope without events. Our reading: it passes.
                return self.grade(replace(context, events=(), metrics={}, output="", session=None))
            return GraderResult.undecided(f"Cannot tell: {error}")


def _wrong_type_finding(pointer: Pointer, message: str, value: Any) -> Finding:
    fixes = []
    if "quotes" in message and isinstance(value, bool | int):
        text = str(value).lower()
        fixes = [Fix(f"Put '{text}' in quotes", (SetValue(pointer, text),), preferred=True)]
    return WRONG_TYPE.at(
        pointer, f"{message[0].upper()}{message[1:]}: vally accepts nothing else", fixes=fixes
    )
