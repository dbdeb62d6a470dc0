"""What the graders of waza's first, Python generation have in common (docs/reference/waza-graders.md, section 7.4).

Their results show the family of the grader (`code`, `llm`, `human`) as type, and nothing checked their config
before grading: a value of the wrong kind is an error only where it is used.
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
    """A grader of that generation: unknown options are ignored when grading, not while editing."""

    model_config = ConfigDict(extra="ignore", json_schema_extra={"additionalProperties": False})

    generations: ClassVar[frozenset[str]] = frozenset(["PY"])

    @classmethod
    def config_from_entry(cls, entry: Mapping[str, Any], level: Literal["eval", "task"]) -> Any:
        """Eval entries: `script`, `rubric` and `model` of the entry, null when absent, overlaid with `config`.

        Task entries hand over nothing but their `assertions` and `rubric`.
        """
        if level == "task":
            return {key: entry[key] for key in _TASK_LEVEL if key in entry}
        config = entry.get("config")
        if is_null(config):
            config = {}
        if not isinstance(config, Mapping):
            return config
        return {**{key: entry.get(key) for key in _TOP_LEVEL}, **config}


def walked(value: Any, option: str) -> Sequence[Any]:
    """What Python walks over in place of a list: a text gives its characters, a mapping its keys.

    Raises:
        GradeError: it cannot be walked.

    """
    if isinstance(value, (str, list)):
        return value
    if isinstance(value, Mapping):
        return list(value)
    raise GradeError(f"'{option}' must be a list")


def checked_result(result: GraderResult) -> GraderResult:
    """The result itself, if its score is in 0..1 as that generation demanded.

    Raises:
        GradeError: it is not.

    """
    if not 0.0 <= result.score <= 1.0:
        raise GradeError(f"The score {result.score:g} is not within 0 and 1")
    return result
