"""The base of all grader types: a config model with a page, static checks and a verdict.

One subclass per file. Its module docstring is its documentation page, its fields are the options. `refusals` and
`check` find what a schema cannot, `grade` returns the verdict. Schema, completion, hover and docs are derived.
"""

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum, auto
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler, model_validator
from pydantic.fields import FieldInfo
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from waza_engine.graders.context import GradingContext
from waza_engine.graders.result import Criterion, GraderResult
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Change, Finding, RenameKey, Scope, SetValue
from waza_engine.model.results.evidence import FailedCheck

__all__ = [
    "ConfigError",
    "Criterion",
    "Demand",
    "DraftedGrader",
    "FailedCheck",
    "GradeError",
    "Grader",
    "GraderResult",
    "GradingContext",
    "InfrastructureError",
    "Scope",
]


class ConfigError(Exception):
    """The grader cannot be built from its entry: the load and create errors of docs/reference/waza-graders.md.

    `pointer` is the place of the first error in the entry, `problem` the error.
    """

    def __init__(self, message: str, pointer: Pointer = (), problem: str = "") -> None:
        super().__init__(message)
        self.pointer = pointer
        self.problem = problem or message


class GradeError(Exception):
    """Grading itself is impossible; the whole run becomes an error (docs/reference/waza-graders.md, section 2.4)."""


class InfrastructureError(GradeError):
    """No verdict is possible now, whatever the agent did: a judge did not answer, or the machine lacks resources."""


class Demand(Enum):
    """What a grader can require of an agent, and an executor may not provide."""

    TOOL_CALLS = auto()
    SKILLS = auto()
    JSON = auto()


class Grader(BaseModel):
    """Base of all grader types: the fields of a subclass are the options under `config`.

    Class methods with a `config` parameter get it as it is in the file: it may be incomplete and invalid. Rules call
    them, so that rules need not know types or options. Their pointers start below `config`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    type_name: ClassVar[str]
    """The value of `type` in the file."""
    at_least_one: ClassVar[tuple[str, ...]] = ()
    """Options of which at least one must differ from its default."""
    needs: ClassVar[Mapping[str, tuple[str, Any]]] = {}
    """Lists that need another option if they have items: the name of that option, and its most likely value."""
    name_required: ClassVar[bool] = False
    """Whether entries of this type need a name."""
    deterministic: ClassVar[bool] = True
    """Whether the verdict depends only on the recording: no model, no child process."""
    executes: ClassVar[bool] = False
    """Whether grading starts a child process with code or a program from the file."""
    evaluates_code: ClassVar[bool] = False
    """Whether grading evaluates code from the file in an interpreter of ours, behind the wall of `assertions.wall`."""
    asks_judge: ClassVar[bool] = False
    """Whether grading needs a judge model."""
    cacheable: ClassVar[bool] = True
    """Whether waza caches the results of an eval with a grader of this type."""
    demands: ClassVar[Mapping[str, Demand]] = {}
    """Options that can only pass if the agent provides this."""
    baseline_choice: ClassVar[tuple[str, str] | None] = None
    """The option and its value that compare with the run without the skill."""
    program_options: ClassVar[tuple[str, str] | None] = None
    """The option with the program to start, and the one with the list of its arguments."""
    without_file: ClassVar[str] = "the grader cannot do its work"
    """The consequence for a run if a file of `run_files` is missing."""
    requires_files: ClassVar[bool] = False
    """Whether a run ends with an error if a file of `run_files` is missing."""
    outdated: ClassVar[str] = ""
    """For types that newer versions do not have: a sentence that says so and what to use."""
    successor: ClassVar[str] = ""
    """The type that replaces an outdated one; empty if there is none."""
    new_file: ClassVar[str | None] = None
    """The first text of a file of `run_files` that a fix creates; with None, no fix creates one."""

    @model_validator(mode="after")
    def _one_is_given(self) -> Self:
        given = [
            info.alias or name
            for name, info in type(self).model_fields.items()
            if getattr(self, name) != info.default
        ]
        if self.at_least_one and not set(self.at_least_one) & set(given):
            raise ValueError(f"nothing is configured: give at least one of {', '.join(self.at_least_one)}")
        return self

    @classmethod
    def __get_pydantic_json_schema__(
        cls, core_schema: CoreSchema, handler: GetJsonSchemaHandler
    ) -> JsonSchemaValue:
        schema = handler(core_schema)
        body = handler.resolve_ref_schema(schema)
        for option in body.get("properties", {}).values():
            if option.get("default", ...) is None:
                del option["default"]
        if cls.at_least_one:
            body["anyOf"] = [{"required": [it]} for it in cls.at_least_one]
        if cls.needs:
            body["x-needs"] = {
                name: {"option": it, "likely": value} for name, (it, value) in cls.needs.items()
            }
        return schema

    @classmethod
    def config_from_entry(cls, entry: Mapping[str, Any], level: Literal["eval", "task"]) -> Any:  # noqa: ARG003  # for subclasses
        """Return the config in an entry; None if it has none."""
        return entry.get("config")

    @classmethod
    def page(cls) -> str:
        """Return the grader's page in Markdown: the docstring of its file."""
        return sys.modules[cls.__module__].__doc__ or ""

    @classmethod
    def summary(cls) -> str:
        """Return the first sentence of the page."""
        return cls.page().partition("\n")[0]

    @classmethod
    def taxonomy(cls) -> Mapping[str, str | bool]:
        """Return vally's classification of the type, in vally's words; waza has none."""
        return {}

    @classmethod
    def first_demand(cls, config: Mapping[str, Any]) -> tuple[str, Demand] | None:
        """Return the first option that demands something of the agent, and the demand."""
        return next(((option, it) for option, it in cls.demands.items() if config.get(option)), None)

    @classmethod
    def run_files(cls, config: Mapping[str, Any]) -> Iterator[tuple[Pointer, str]]:
        """Yield the files that grading reads from the run's directory: the pointer to each, and its path.

        By default these are the options marked with `path=("process", "file")` or `"any"`.
        """
        for name, info in cls.model_fields.items():
            text = config.get(info.alias or name)
            if isinstance(text, str) and text and _names_run_file(info):
                yield (info.alias or name,), text

    @classmethod
    def missing_file_message(cls, path: str) -> str:
        """Return the message about a missing file of `run_files`."""
        return f"'{path}' not found in the directory you run waza from, so {cls.without_file}"

    @classmethod
    def more_files(cls, config: Mapping[str, Any], process_dir: Path) -> Iterator[Path]:  # noqa: ARG003  # for subclasses
        """Yield optional files that grading reads, such as those that a file of `run_files` refers to."""
        yield from ()

    @classmethod
    def writes_files(cls, config: Mapping[str, Any]) -> bool:  # noqa: ARG003  # for subclasses
        """Whether grading writes files outside of the workspace. Such a grader never runs unasked."""
        return False

    @classmethod
    def file_reader(cls) -> Callable[[str], str] | None:
        """Return a function from the text of such a file to its error, "" if there is none; None if any text is valid."""
        return None

    @classmethod
    def vacuous_checks(cls, config: Mapping[str, Any]) -> Iterator[Pointer]:  # noqa: ARG003  # for subclasses
        """Yield the checks that every non-empty output passes."""
        yield from ()

    @classmethod
    def echoed_checks(cls, config: Mapping[str, Any], prompt: str) -> Iterator[Pointer]:  # noqa: ARG003  # for subclasses
        """Yield the checks that an output passes by repeating the prompt."""
        yield from ()

    @classmethod
    def draft(cls, trials: Sequence[GradingContext]) -> "DraftedGrader | None":  # noqa: ARG003  # for subclasses
        """Return a grader of this type that requires what these recorded trials of one task have in common.

        None if they have nothing useful in common, or the type cannot be drafted from recordings.

        Raises:
            GradeError: the trials lack the data that is needed.

        """
        return None

    @classmethod
    def conversion(cls, entry: Mapping[str, Any], names: Mapping[str, str]) -> tuple[Change, ...]:
        """Return the changes that convert an entry of this outdated type to its successor; empty if only a person can.

        `names` maps the options of this type to those of the successor. Pointers start at the entry.
        """
        config = entry.get("config")
        if not names or not isinstance(config, Mapping):
            return ()
        wanted = [names.get(it) for it in config]
        if None in wanted or len(set(wanted)) < len(wanted):
            return ()
        return (SetValue(("type",), cls.successor), *(RenameKey(("config", it), names[it]) for it in config))

    @classmethod
    def check_raw(cls, config: Mapping[str, Any]) -> Iterator[Finding]:  # noqa: ARG003  # for subclasses
        """Yield findings on a config that may be invalid: old forms, and values that make it fail to load."""
        yield from ()

    def refusals(self, scope: Scope) -> Iterator[Finding]:
        """Yield the errors beyond the schema that forbid a run. Runs, grading and editors report them.

        A type from outside the engine may yield them from `check` instead, marked `refused`: 1.0 had no `refusals`.
        """
        if not type(self).__module__.startswith("waza_engine."):
            yield from (it for it in self.check(scope) if it.refused)

    def check(self, scope: Scope) -> Iterator[Finding]:
        """Yield what an editor reports beyond the schema and `refusals`. Runs and grading never call it."""
        yield from ()

    def grade(self, context: GradingContext) -> GraderResult:
        """Return the verdict on one finished trial.

        Raises:
            ConfigError: something that the config names makes the grader unusable (a missing SKILL.md).
            GradeError: no verdict is possible.

        """
        raise NotImplementedError

    def grade_turn(self, context: GradingContext, turn: int | None) -> GraderResult:
        """Return the verdict on one turn of the conversation, from 0; None means all of it. waza has no turns."""
        return self.grade(context)


class DraftedGrader(NamedTuple):
    """A grader drafted from recorded trials: its name, a few words on what it requires, and its config."""

    name: str
    about: str
    config: Grader


def _names_run_file(info: FieldInfo) -> bool:
    extra = info.json_schema_extra
    path = extra.get("x-path") if isinstance(extra, dict) else None
    return isinstance(path, dict) and path.get("base") == "process" and path.get("kind") in {"file", "any"}
