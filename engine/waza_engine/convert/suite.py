"""The suite between two dialects: what a reader found in the files of one, and a writer puts into those of the other.

Fields that both dialects have are typed. `raw` holds a mapping as its file has it, with paths relative to the result, so
that everything else - hooks, mocks, golden files, artifacts, plug-in settings - is at hand when the result is compared
with its source. `kept` holds what the target dialect once said and the source dialect cannot say.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

from waza_engine.lib.pointer import Pointer
from waza_engine.model.suite import Constraint, GraderEntry


@dataclass(frozen=True, slots=True)
class Check:
    """A check that is no grader entry: a constraint of vally, or expected texts of waza."""

    section: str
    key: str
    value: Any
    path: Path
    pointer: Pointer
    constraint: Constraint | None = None

    @property
    def name(self) -> str:
        """The name of the graders that stand in for it."""
        return f"{self.section.removesuffix('s')} {self.key}"


class PortableFile(NamedTuple):
    """A file for the workspace at `target`; `source` is None if its content is written in the suite itself."""

    target: str
    content: bytes
    source: Path | None = None


@dataclass(slots=True)
class PortableTask:
    """A task of waza, a stimulus of vally. Tags are pairs of key and value; waza's have no key."""

    id: str
    prompt: str = ""
    name: str = ""
    follow_ups: list[str] = field(default_factory=list)
    tags: list[tuple[str, str]] = field(default_factory=list)
    skills: list[str] | None = None
    files: list[PortableFile] = field(default_factory=list)
    missing_files: list[tuple[str, Pointer]] = field(default_factory=list)
    graders: list[GraderEntry] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    trigger: "Trigger | None" = None
    raw: Mapping[str, Any] = field(default_factory=dict)
    kept: Mapping[str, Any] = field(default_factory=dict)
    path: Path = Path()
    pointer: Pointer = ()


class Trigger(NamedTuple):
    """A prompt that should, or should not, make the agent use a skill."""

    skill: str
    should_trigger: bool
    confidence: str = "high"


@dataclass(slots=True)
class PortableSuite:
    """A suite of either dialect. Skills are paths relative to the result; the time limit is in milliseconds."""

    path: Path
    name: str = ""
    description: str = ""
    skill: str = ""
    trials: int | None = None
    timeout: int | None = None
    executor: str = ""
    model: str = ""
    judge_model: str = ""
    reasoning_effort: str = ""
    judge_reasoning_effort: str = ""
    skills: list[str] = field(default_factory=list)
    servers: Mapping[str, Any] = field(default_factory=dict)
    graders: list[GraderEntry] = field(default_factory=list)
    tasks: list[PortableTask] = field(default_factory=list)
    disabled: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    raw: Mapping[str, Any] = field(default_factory=dict)
    kept: Mapping[str, Any] = field(default_factory=dict)
    notes: list[tuple[str, Pointer]] = field(default_factory=list)

    @property
    def entries(self) -> Iterator[GraderEntry]:
        """All grader entries."""
        yield from self.graders
        for task in self.tasks:
            yield from task.graders
