"""What every grader type is: a config model with a page, static checks and a verdict.

One subclass per file. Its module docstring is the page people read, its fields are the options. `refusals` and
`check` find what a schema cannot, `grade` gives the verdict. Everything else (schema, completion, hover, docs) is derived.
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
from waza_engine.model.records import FailedCheck

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
    "Scope",
]


class ConfigError(Exception):
    """The grader cannot be built from its entry: the load and create errors of docs/reference/waza-graders.md.

    `pointer` says where in the entry the first thing at fault stands, `problem` what is wrong with it.
    """

    def __init__(self, message: str, pointer: Pointer = (), problem: str = "") -> None:
        super().__init__(message)
        self.pointer = pointer
        self.problem = problem or message


class GradeError(Exception):
    """Grading itself is impossible; the whole run becomes an error (docs/reference/waza-graders.md, section 2.4)."""


class Demand(Enum):
    """What a grader can ask of an agent, and an executor may be unable to give."""

    TOOL_CALLS = auto()
    SKILLS = auto()
    JSON = auto()


class Grader(BaseModel):
    """Base of all grader types: the fields of a subclass are the options under `config`.

    Class methods that take a `config` get it as it stands in the file: perhaps half-written, and not valid. They are
    for the rules, which thereby need to know no type and no option. Pointers into it start below `config`.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, defer_build=True)

    type_name: ClassVar[str]
    """The value of `type` in the file."""
    since: ClassVar[str] = ""
    """The waza version that brought the type; empty = there from the start, or not known.

    An option that came later than its type says so with `json_schema_extra={"x-since": "0.34"}`.
    """
    at_least_one: ClassVar[tuple[str, ...]] = ()
    """Options of which one must be given: a value other than the default of the field."""
    needs: ClassVar[Mapping[str, tuple[str, Any]]] = {}
    """Lists that, when something is in them, need another option: its name, and the value that is most likely meant."""
    name_required: ClassVar[bool] = False
    """Whether an entry of this type without a name is refused."""
    deterministic: ClassVar[bool] = True
    """Whether the verdict follows from the recording alone: no model, no child process."""
    executes: ClassVar[bool] = False
    """Whether grading starts a child process with code or a program that the file names."""
    asks_judge: ClassVar[bool] = False
    """Whether there is no verdict without a judge model."""
    cacheable: ClassVar[bool] = True
    """Whether waza caches results although a grader of this type is among those of the eval."""
    demands: ClassVar[Mapping[str, Demand]] = {}
    """Options that no run fulfils in which the agent did not do or give this."""
    baseline_choice: ClassVar[tuple[str, str] | None] = None
    """The option and its value that compare with the run without the skill."""
    program_options: ClassVar[tuple[str, str] | None] = None
    """The option with the program that is started, and the one with the list of its arguments."""
    without_file: ClassVar[str] = "the grader cannot do its work"
    """What becomes of a run when a file of `run_files` is not there."""
    outdated: ClassVar[str] = ""
    """For types that newer versions do not have: a sentence that says so, and what to use."""
    successor: ClassVar[str] = ""
    """The type that took the place of an outdated one; empty when none did."""

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
        """What an entry gives the grader as its config; None when the entry has none."""
        return entry.get("config")

    @classmethod
    def page(cls) -> str:
        """The grader's page in Markdown: the docstring of its file."""
        return sys.modules[cls.__module__].__doc__ or ""

    @classmethod
    def summary(cls) -> str:
        """The first sentence of the page."""
        return cls.page().partition("\n")[0]

    @classmethod
    def taxonomy(cls) -> Mapping[str, str | bool]:
        """How the maker of the type classifies it, in the maker's words; waza does not."""
        return {}

    @classmethod
    def first_demand(cls, config: Mapping[str, Any]) -> tuple[str, Demand] | None:
        """The first option that asks for something the agent must do or give, and what that is."""
        return next(((option, it) for option, it in cls.demands.items() if config.get(option)), None)

    @classmethod
    def run_files(cls, config: Mapping[str, Any]) -> Iterator[tuple[Pointer, str]]:
        """The files that grading reads from where the run is started: where each is named, and its path from there.

        Unless a type knows better these are the options marked with `path=("process", "file")` or `"any"`.
        """
        for name, info in cls.model_fields.items():
            text = config.get(info.alias or name)
            if isinstance(text, str) and text and _names_run_file(info):
                yield (info.alias or name,), text

    @classmethod
    def more_files(cls, config: Mapping[str, Any], process_dir: Path) -> Iterator[Path]:  # noqa: ARG003  # for subclasses
        """Other files that grading reads when they are there, such as those that a file of `run_files` refers to."""
        yield from ()

    @classmethod
    def file_reader(cls) -> Callable[[str], str] | None:
        """What says of the text of such a file what is wrong with it, empty when nothing is; None when any text will do."""
        return None

    @classmethod
    def vacuous_checks(cls, config: Mapping[str, Any]) -> Iterator[Pointer]:  # noqa: ARG003  # for subclasses
        """The checks that every output passes which is not empty."""
        yield from ()

    @classmethod
    def echoed_checks(cls, config: Mapping[str, Any], prompt: str) -> Iterator[Pointer]:  # noqa: ARG003  # for subclasses
        """The checks that an output passes because it contains the prompt."""
        yield from ()

    @classmethod
    def draft(cls, trials: Sequence[GradingContext]) -> "DraftedGrader | None":  # noqa: ARG003  # for subclasses
        """A grader of this type that asks for what these recorded trials of one task have in common.

        None when there is nothing worth asking for, or the type is not one to be written from a recording.

        Raises:
            GradeError: the trials do not say what is needed.

        """
        return None

    @classmethod
    def conversion(cls, entry: Mapping[str, Any], names: Mapping[str, str]) -> tuple[Change, ...]:
        """The changes that make an entry of this outdated type one of its successor; none when a person has to.

        `names` are the successor's names of the options of this type. Pointers start at the entry.
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
        """What `check` cannot say because it comes too late: forms of older versions, values that refuse the config."""
        yield from ()

    def refusals(self, scope: Scope) -> Iterator[Finding]:
        """Yield the errors beyond the schema that forbid a run. Runs, grading and editors ask for them.

        A type from outside the engine may yield them from `check` instead, marked `refused`: 1.0 had no `refusals`.
        """
        if not type(self).__module__.startswith("waza_engine."):
            yield from (it for it in self.check(scope) if it.refused)

    def check(self, scope: Scope) -> Iterator[Finding]:
        """Yield what an editor reports beyond the schema and `refusals`. Runs and grading never call it."""
        yield from ()

    def grade(self, context: GradingContext) -> GraderResult:
        """The verdict on one finished trial.

        Raises:
            ConfigError: something the config names makes the grader unusable (a missing SKILL.md).
            GradeError: no verdict is possible.

        """
        raise NotImplementedError

    def grade_turn(self, context: GradingContext, turn: int | None) -> GraderResult:
        """The verdict on one turn of the conversation, from 0; None is all of it. waza has no such choice."""
        return self.grade(context)


class DraftedGrader(NamedTuple):
    """A grader written from recorded trials: a name for it, what it asks for in a few words, and its config."""

    name: str
    about: str
    config: Grader


def _names_run_file(info: FieldInfo) -> bool:
    extra = info.json_schema_extra
    path = extra.get("x-path") if isinstance(extra, dict) else None
    return isinstance(path, dict) and path.get("base") == "process" and path.get("kind") in {"file", "any"}
