"""The base of grader types with a meaning that newer generations of waza no longer give them."""

from typing import Any, ClassVar

from waza_engine.graders.base import Grader


class OlderGrader(Grader):
    """A grader type as older generations understood it."""

    generations: ClassVar[frozenset[str]]
    """The generations in which the type has this meaning (docs/reference/waza-formats.md, section 1)."""

    @classmethod
    def is_meant_by(cls, config: Any) -> bool:  # noqa: ARG003  # for subclasses
        """Whether an entry with this config means this class, where a generation had two meanings of a type."""
        return True
