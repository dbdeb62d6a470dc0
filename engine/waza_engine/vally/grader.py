"""The base of vally's grader types: where they are valid, and what vally's taxonomy says of them (vally.md, section 6)."""

from typing import ClassVar, Literal

from waza_engine.graders.base import Grader


class VallyGrader(Grader):
    """A grader type of vally. Most are free checks of code; those that are not say so."""

    generations: ClassVar[frozenset[str]] = frozenset(["VALLY"])

    determinism: ClassVar[Literal["static", "complex-static", "slm", "llm"]] = "static"
    """How sure it is that the same trial gets the same verdict again."""
    cost_profile: ClassVar[Literal["free", "low", "medium", "high"]] = "low"
    portability: ClassVar[Literal["t1-universal", "t2-domain", "t3a-scenario", "t3b-system"]] = "t1-universal"
    """How far beyond its scenario a configured grader is of use; vally dropped the field in 0.7."""
    reference: ClassVar[Literal["reference-free", "reference-based"]] = "reference-free"
    temporal_scope: ClassVar[Literal["point-in-time", "trajectory-level", "cross-trajectory"]] = (
        "trajectory-level"
    )
    score_kind: ClassVar[Literal["code", "llm", "human"]] = "code"
    requires_llm_client: ClassVar[bool] = False
    requires_workspace: ClassVar[bool] = False
