"""What every grader type is: a config model with a page, a static check and a verdict.

One subclass per file. Its module docstring is the page people read, its fields are the options, `check` says
what a schema cannot, `grade` gives the verdict. Everything else (schema, completion, hover, docs) is derived.
"""

import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum, auto
from pathlib import Path
from typing import Any, ClassVar, Literal, NamedTuple, Self

from pydantic import BaseModel, ConfigDict, GetJsonSchemaHandler, model_validator
from pydantic.fields import FieldInfo
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema

from waza_engine.excerpts import Seen
from waza_engine.findings import Change, Finding, Pointer, RenameKey, SetValue
from waza_engine.judges.base import Judge
from waza_engine.scope import Scope
from waza_engine.trajectory import Session, SkillInvocation, ToolEvent

__all__ = [
    "ConfigError",
    "Criterion",
    "Demand",
    "Drafted",
    "FailedCheck",
    "GradeError",
    "Grader",
    "GraderResult",
    "GradingContext",
    "Scope",
]


class ConfigError(Exception):
    """The grader cannot be built from its entry: the sheets' load and create errors."""


class GradeError(Exception):
    """Grading itself is impossible; the whole run becomes an error (waza-graders.md, section 2.4)."""


@dataclass(frozen=True, slots=True)
class GradingContext:
    """What one finished trial left behind (waza-graders.md, section 3); the same for all its graders.

    `prompt` is None when there is no task; `workspace_dir` None when there is no workspace; `session` None when
    no digest was recorded. `process_dir` is the directory that waza was started in: relative paths of most
    graders start there. `program_timeout` is in seconds, `duration_ms` in milliseconds.

    `events` and `metrics` are those of a vally trajectory (vally.md, section 10.1); None: the other members say what
    happened. `error` is the agent's own, `rubric` the criteria of the task. `diff` is what the agent changed, or
    `baseline_files` what stood in the workspace before. `compared` is the trial that this one is compared with.
    `sleep` waits between two questions to a judge.
    """

    output: str = ""
    outcome: Mapping[str, Any] = field(default_factory=dict)
    transcript: Sequence[Mapping[str, Any]] = ()
    session: Session | None = None
    tool_events: Sequence[ToolEvent] = ()
    skills: Sequence[SkillInvocation] = ()
    prompt: str | None = None
    task: Mapping[str, Any] = field(default_factory=dict)
    duration_ms: int = 0
    workspace_dir: Path | None = None
    captured_files: Mapping[str, bytes] = field(default_factory=dict)
    process_dir: Path = field(default_factory=Path)
    session_id: str = ""
    baseline_output: str = ""
    output_present: bool = False
    judge: Judge | None = None
    judge_model: str = ""
    judge_reasoning_effort: str = ""
    update_snapshots: bool = False
    events: Sequence[Mapping[str, Any]] | None = None
    metrics: Mapping[str, Any] | None = None
    error: str = ""
    rubric: tuple[str, ...] = ()
    workspace_status: str = "local"
    baseline_files: Mapping[str, bytes] | None = None
    diff: str | None = None
    compared: "GradingContext | None" = None
    sleep: Callable[[float], None] = time.sleep


@dataclass(frozen=True, slots=True)
class FailedCheck:
    """One check of a grader that failed: which option of the config it stands in, and in one line what is wrong.

    `found` says what was there instead, for people who look at the line; "" when there is nothing to say. `excerpt` are
    the lines around that place, with their numbers, for people who want to see more: a `Seen` brings them along.
    """

    pointer: Pointer
    message: str
    found: str = ""
    excerpt: str = ""

    def __post_init__(self) -> None:
        if isinstance(self.found, Seen):
            object.__setattr__(self, "excerpt", self.found.excerpt)
            object.__setattr__(self, "found", str(self.found))


@dataclass(frozen=True, slots=True)
class Criterion:
    """The verdict on one criterion, or of one judge of several: vally's sub-results (vally.md, section 6)."""

    name: str
    score: float
    passed: bool
    evidence: str = ""
    metadata: Mapping[str, Any] = field(default_factory=dict)
    status: Literal["", "error"] = ""
    criteria: tuple["Criterion", ...] = ()


@dataclass(frozen=True, slots=True)
class GraderResult:
    """A verdict: `score` in 0..1, `passed`, one line of feedback, and details for the report.

    `type_name` overrides the type shown in the result where waza shows another one (`tool_calls`: none).
    `parts` are the checks that failed, as far as single ones can be named. `status` is `error` when the grader could
    not decide: that counts as failed and is reported apart. `kind` says how the score was made.
    """

    score: float
    passed: bool
    feedback: str = ""
    details: dict[str, Any] | None = None
    type_name: str | None = None
    parts: tuple[FailedCheck, ...] = ()
    status: Literal["", "error"] = ""
    kind: Literal["code", "llm", "human"] = "code"
    label: Literal["", "correct", "incorrect"] = ""
    criteria: tuple[Criterion, ...] = ()

    @classmethod
    def of_checks(
        cls,
        total: int,
        failures: Sequence[str | FailedCheck],
        passed_text: str = "All checks passed",
        **details: Any,
    ) -> "GraderResult":
        """The usual verdict: score = share of checks that passed, 1.0 when there are none."""
        score = (total - len(failures)) / total if total else 1.0
        texts = [it if isinstance(it, str) else it.message for it in failures]
        feedback = "; ".join(texts) if texts else passed_text
        parts = tuple(it for it in failures if isinstance(it, FailedCheck))
        return cls(score, not texts, feedback, {**details, "failures": texts or None}, parts=parts)

    @classmethod
    def failed(
        cls, feedback: str, details: dict[str, Any] | None = None, parts: tuple[FailedCheck, ...] = ()
    ) -> "GraderResult":
        """Nothing could be checked: score 0."""
        return cls(0.0, False, feedback, details, parts=parts)

    @classmethod
    def undecided(cls, feedback: str, details: dict[str, Any] | None = None) -> "GraderResult":
        """The grader could not find out: failed with score 0, and reported apart."""
        return cls(0.0, False, feedback, details, status="error")


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
    generations: ClassVar[frozenset[str]] = frozenset(["G2", "G3"])
    """The generations in which the type has this meaning (waza-formats.md, section 1)."""
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
    def demanded(cls, config: Mapping[str, Any]) -> tuple[str, Demand] | None:
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
    def file_reader(cls) -> Callable[[str], str] | None:
        """What says of the text of such a file what is wrong with it, empty when nothing is; None when any text will do."""
        return None

    @classmethod
    def passed_by_anything(cls, config: Mapping[str, Any]) -> Iterator[Pointer]:  # noqa: ARG003  # for subclasses
        """The checks that every output passes which is not empty."""
        yield from ()

    @classmethod
    def passed_by_echo(cls, config: Mapping[str, Any], prompt: str) -> Iterator[Pointer]:  # noqa: ARG003  # for subclasses
        """The checks that an output passes because it contains the prompt."""
        yield from ()

    @classmethod
    def drafted(cls, trials: Sequence[GradingContext]) -> "Drafted | None":  # noqa: ARG003  # for subclasses
        """A grader of this type that asks for what these recorded trials of one task have in common.

        None when there is nothing worth asking for, or the type is not one to be written from a recording.

        Raises:
            GradeError: the trials do not say what is needed.

        """
        return None

    @classmethod
    def converted(cls, entry: Mapping[str, Any], names: Mapping[str, str]) -> tuple[Change, ...]:
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
    def check_written(cls, config: Mapping[str, Any]) -> Iterator[Finding]:  # noqa: ARG003  # for subclasses
        """What `check` cannot say because it comes too late: forms of older versions, values that refuse the config."""
        yield from ()

    def check(self, scope: Scope) -> Iterator[Finding]:
        """What is wrong with this config beyond its schema; findings marked `refused` forbid a run."""
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


class Drafted(NamedTuple):
    """A grader written from recorded trials: a name for it, what it asks for in a few words, and its config."""

    name: str
    about: str
    config: Grader


def _names_run_file(info: FieldInfo) -> bool:
    extra = info.json_schema_extra
    path = extra.get("x-path") if isinstance(extra, dict) else None
    return isinstance(path, dict) and path.get("base") == "process" and path.get("kind") in {"file", "any"}
