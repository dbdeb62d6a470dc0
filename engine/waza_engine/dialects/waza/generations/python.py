"""Base class and helpers for graders of waza's Python generation (docs/reference/waza-graders.md, section 7.4).

Their results have the family of the grader (`code`, `llm`, `human`) as type. Configs were not checked before grading:
a value of the wrong type is an error only where it is used.
"""

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

from pydantic import ConfigDict

from waza_engine.dialects.waza.generations.base import OlderGrader
from waza_engine.graders.base import GradeError, GraderResult
from waza_engine.model.fields import is_null

_TOP_LEVEL = ("script", "rubric", "model")
_TASK_LEVEL = ("assertions", "rubric")


class PyGrader(OlderGrader):
    """A grader of the Python generation: grading ignores unknown options, editors report them."""

    model_config = ConfigDict(extra="ignore", json_schema_extra={"additionalProperties": False})

    generations: ClassVar[frozenset[str]] = frozenset(["PY"])

    @classmethod
    def config_from_entry(cls, entry: Mapping[str, Any], level: Literal["eval", "task"]) -> Any:
        """Return the options of an entry.

        For evals: `script`, `rubric` and `model` of the entry, null if absent, then everything in `config`.
        For tasks: only `assertions` and `rubric`.
        """
        if level == "task":
            return {key: entry[key] for key in _TASK_LEVEL if key in entry}
        config = entry.get("config")
        if is_null(config):
            config = {}
        if not isinstance(config, Mapping):
            return config
        return {**{key: entry.get(key) for key in _TOP_LEVEL}, **config}


def python_items(value: Any, option: str) -> Sequence[Any]:
    """Return the items that a Python loop sees: the characters of a string, the keys of a mapping.

    Raises:
        GradeError: the value is not iterable.

    """
    if isinstance(value, (str, list)):
        return value
    if isinstance(value, Mapping):
        return list(value)
    raise GradeError(f"'{option}' must be a list")


def require_unit_score(result: GraderResult) -> GraderResult:
    """Return the result if its score is in 0..1, as that generation required.

    Raises:
        GradeError: the score is out of range.

    """
    if not 0.0 <= result.score <= 1.0:
        raise GradeError(f"The score {result.score:g} is not within 0 and 1")
    return result
