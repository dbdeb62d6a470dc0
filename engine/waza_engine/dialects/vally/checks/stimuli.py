"""What several rules ask of the stimuli of a spec."""

from collections.abc import Iterator, Mapping
from typing import Any

from waza_engine.dialects.vally.formats.settings import EXECUTORS
from waza_engine.graders.registry import graders
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.scalars import plain
from waza_engine.project.document import Document
from waza_engine.project.skills import FOR_THE_AGENT


def grader_types(document: Document) -> list[str]:
    """The types of all graders of the file, each once, in the order of the text."""
    return list(
        dict.fromkeys(it for _, data in document.graders() if isinstance(it := data.get("type"), str))
    )


def asks_judge(document: Document, grader: Mapping[str, Any]) -> bool:
    """Whether an entry of the file is of a type that asks a judge model; true for unknown types, which may."""
    kind = graders(document.dialect).get(str(grader.get("type")))
    return kind is None or kind.asks_judge


_ENVIRONMENTS = (*FOR_THE_AGENT, "grading_environment")


def environments(document: Document) -> Iterator[Pointer]:
    """Where environments are written out: for the spec, and for single stimuli; in an experiment for its variants."""
    if document.kind == "experiment":
        yield from (("variants", name, "environment") for name in document.mapping("variants"))
        return
    for place in ((), *(it for it, _ in document.tasks())):
        yield from ((*place, key) for key in _ENVIRONMENTS)


def has_own_executor(document: Document) -> bool:
    """Whether a plug-in performs the stimuli, which decides by itself what a run finds."""
    given = document.value("defaults", "executor") or document.value("config", "executor")
    name = given.get("name") if isinstance(given, dict) else given
    return isinstance(name, str) and name not in EXECUTORS


def numbers(data: Mapping[str, Any]) -> dict[str, float]:
    """The entries whose values are numbers."""
    found = {key: plain(it) for key, it in data.items()}
    return {key: it for key, it in found.items() if isinstance(it, int | float) and not isinstance(it, bool)}
