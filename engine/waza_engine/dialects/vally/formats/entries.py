"""Grader entries for a run, with weights and unique names.

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
    """Return the graders of a stimulus: first those of the spec, then its own."""
    located = [
        *((it, ("graders", index)) for index, it in enumerate(spec.graders)),
        *((it, (*pointer, "graders", index)) for index, it in enumerate(stimulus.graders)),
    ]
    return tuple(_entries(located, path, spec.scoring.weights))


def _entries(
    located: list[tuple[GraderConfig, Pointer]], path: Path, weights: Mapping[str, float]
) -> Iterator[GraderEntry]:
    # Results are stored by name.
    names = unique_names([it.name or it.type for it, _ in located])
    for (it, pointer), name in zip(located, names, strict=True):
        yield GraderEntry(
            type=it.type,
            name=name,
            # With weights, an unlisted type has weight 0; without weights, all graders count equally.
            weight=weights.get(it.type, 0.0) if weights else 1.0,
            config=it.config,
            path=path,
            pointer=pointer,
            dialect="vally",
            turn=it.turn,
            name_in_file=it.name,
        )
