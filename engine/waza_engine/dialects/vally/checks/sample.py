"""How many stimuli and trials a spec or an experiment chooses (docs/reference/vally.md, sections 2, 5 and 9)."""

from collections.abc import Iterable, Mapping
from typing import Any

from waza_engine.dialects.vally.checks.experiments import matching_evals
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.scalars import plain
from waza_engine.project.document import Document
from waza_engine.recognition.sample import RateThreshold, Sample

_SECTIONS = ("defaults", "config")


def sample_of(document: Document) -> Sample | None:
    """Return the sample of a spec or an experiment."""
    match document.kind:
        case "eval":
            return _of_spec(document)
        case "experiment":
            return _of_experiment(document)
        case _:
            return None


def _of_spec(document: Document) -> Sample | None:
    trials = _trials(document.mapping())
    if not trials:
        return None
    tasks = sum(1 for _ in document.mappings("stimuli"))
    threshold = _number(document.value("scoring", "threshold"))
    return Sample(
        tasks,
        trials,
        _present(document, [(it, "runs") for it in _SECTIONS]),
        _present(document, [("stimuli",)]),
        thresholds=(RateThreshold(("scoring", "threshold"), threshold, tasks * trials, "trials"),)
        if threshold is not None and tasks
        else (),
    )


def _of_experiment(document: Document) -> Sample | None:
    if document.has("filter"):
        return None
    paths = dict.fromkeys(path for _, _, found in matching_evals(document) for path in found)
    # A pattern with a placeholder may match more.
    if not paths or len(matching_evals(document)) < len([*document.texts("evals")]):
        return None
    specs = [document.files.mapping(it) for it in paths]
    stimuli = [it for spec in specs if isinstance(it := spec.get("stimuli"), list)]
    over = document.mapping("overrides")
    trials = _runs(over) if "runs" in over else min(map(_trials, specs))
    return (
        Sample(
            sum(map(len, stimuli)),
            trials,
            _present(document, [("overrides", "runs"), ("variants",), ("matrix",)]),
            _present(document, [("evals",)]),
            comparison=("baseline",) if document.has("baseline") else (),
        )
        if trials
        else None
    )


def _present(document: Document, places: Iterable[Pointer]) -> tuple[Pointer, ...]:
    return tuple(it for it in places if document.has(*it))


def _trials(spec: Mapping[str, Any]) -> int:
    """Return the trials of each stimulus; 0 for none or if the value is not valid."""
    sections = (it for key in _SECTIONS if isinstance(it := spec.get(key), dict))
    return _runs(next(sections, {}))


def _runs(section: Mapping[str, Any]) -> int:
    runs = plain(section.get("runs"))
    if runs is None:
        return 1
    return runs if isinstance(runs, int) and not isinstance(runs, bool) and runs > 0 else 0


def _number(value: Any) -> float | None:
    number = plain(value)
    return float(number) if isinstance(number, (int, float)) and not isinstance(number, bool) else None
