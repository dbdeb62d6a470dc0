"""Grader entries as a run takes them: each with its weight and a name of its own.

See docs/reference/vally.md, sections 5 and 6.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path

from waza_engine.dialects.vally.formats.eval import EvalFile
from waza_engine.dialects.vally.formats.graders import GraderConfig
from waza_engine.dialects.vally.formats.stimulus import Stimulus
from waza_engine.dialects.vally.scoring.results import unique_names
from waza_engine.lib.pointer import Pointer
from waza_engine.model.suite import GraderEntry


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
    # Results are kept by name.
    names = unique_names([it.name or it.type for it, _ in placed])
    for (it, pointer), name in zip(placed, names, strict=True):
        yield GraderEntry(
            type=it.type,
            name=name,
            # A type that is not listed weighs nothing; without weights all count the same.
            weight=weights.get(it.type, 0.0) if weights else 1.0,
            config=it.config,
            path=path,
            pointer=pointer,
            dialect="vally",
            turn=it.turn,
            name_in_file=it.name,
        )
