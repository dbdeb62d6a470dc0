"""Grader entries as a run takes them: each with its weight and a name of its own (vally.md, sections 5 and 6)."""

from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from waza_engine.findings import Pointer
from waza_engine.formats.vally.eval import EvalFile
from waza_engine.formats.vally.graders import GraderConfig
from waza_engine.formats.vally.stimulus import Stimulus
from waza_engine.suite import UNNAMED, GraderEntry


def grader_entries(
    spec: EvalFile, stimulus: Stimulus, path: Path, pointer: Pointer
) -> tuple[GraderEntry, ...]:
    """The graders of a stimulus: those of the spec, then its own."""
    placed = [
        *((it, ("graders", index)) for index, it in enumerate(spec.graders)),
        *((it, (*pointer, "graders", index)) for index, it in enumerate(stimulus.graders)),
    ]
    return tuple(_entries(placed, path, spec.scoring.weights))


def _entries(
    placed: list[tuple[GraderConfig, Pointer]], path: Path, weights: Mapping[str, float]
) -> Iterator[GraderEntry]:
    seen: Counter[str] = Counter()
    for it, pointer in placed:
        label = it.name or it.type
        seen[label] += 1
        yield GraderEntry(
            type=it.type,
            # Results are kept by name: of several graders alike each has its number.
            name=label if seen[label] == 1 else f"{label} ({seen[label]})",
            # A type that is not listed weighs nothing; without weights all count the same.
            weight=weights.get(it.type, 0.0) if weights else 1.0,
            config=it.config,
            extras={} if it.name else {UNNAMED: True},
            path=path,
            pointer=pointer,
            dialect="vally",
            turn=it.turn,
        )
