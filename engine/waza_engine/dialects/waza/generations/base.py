"""Base class of graders from older generations of waza. Apart from `meanings`, which imports its subclasses."""

from typing import Any, ClassVar

from waza_engine.graders.base import Grader


class OlderGrader(Grader):
    """A grader type with the meaning that it had in older generations."""

    generations: ClassVar[frozenset[str]]
    """The generations in which the type has this meaning (docs/reference/waza-formats.md, section 1)."""

    has_own_form: ClassVar[bool] = False
    """Whether `matches_config` is true only for configs that no newer generation reads."""

    @classmethod
    def matches_config(cls, config: Any) -> bool:  # noqa: ARG003  # for subclasses
        """Whether an entry with this config has this class's meaning, if its generation has two for the type."""
        return True
