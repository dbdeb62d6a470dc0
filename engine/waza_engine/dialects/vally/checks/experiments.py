"""Facts about experiments that several rules use."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from waza_engine.dialects.vally.experiments.globs import matching_specs
from waza_engine.dialects.vally.experiments.problems import Problem
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Finding, Fix, RenameKey, Rule, SetValue, Severity, removal
from waza_engine.model.placeholders import has_placeholder
from waza_engine.project.document import Document

_MAX_SPECS = 20


def problem_findings(
    rule: Rule, problems: Iterable[Problem], *, removable: bool = False
) -> Iterator[Finding]:
    """Yield problems as findings; for `removable` ones, with a fix that removes the key."""
    for it in problems:
        fixes = [Fix(f"Change to '{better}'", (_replacement(it, better),)) for better in it.instead]
        if removable:
            fixes.append(removal(it.pointer))
        severity = Severity.WARNING if it.is_doubtful else None
        yield rule.at(it.pointer, it.message, on=it.on, fixes=fixes, severity=severity)


def _replacement(problem: Problem, better: str) -> RenameKey | SetValue:
    if problem.on == "key":
        return RenameKey(problem.pointer, better)
    return SetValue(problem.pointer, better)


def matching_evals(document: Document) -> list[tuple[Pointer, str, list[Path]]]:
    """Return the eval patterns with the files they match; patterns with placeholders are skipped."""
    return document.once("evals of an experiment", lambda: list(_find_matches(document)))


def _find_matches(document: Document) -> Iterator[tuple[Pointer, str, list[Path]]]:
    folder = document.folder
    if folder is None:
        return
    for pointer, pattern in document.texts("evals"):
        if pattern and not has_placeholder(pattern):
            yield pointer, pattern, matching_specs(pattern, folder, document.files)


def spec_data_of_evals(document: Document) -> list[Mapping[str, Any]]:
    """Return the data of the first specs, with the agent's inline environments merged in `environment`."""
    spec_paths = dict.fromkeys(path for _, _, paths in matching_evals(document) for path in paths)
    return [_with_merged_environment(document.files.mapping(it)) for it in list(spec_paths)[:_MAX_SPECS]]


def _with_merged_environment(spec: Mapping[str, Any]) -> Mapping[str, Any]:
    environments = [
        it for key in ("agent_environment", "environment") if isinstance(it := spec.get(key), dict)
    ]
    return {**spec, "environment": {key: value for it in environments for key, value in it.items()}}
