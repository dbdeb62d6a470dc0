"""What several rules ask of experiments."""

from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from waza_engine.dialects.vally.experiments.globs import matching_specs
from waza_engine.dialects.vally.experiments.problems import Problem
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Finding, Fix, RemoveKey, RenameKey, Rule, SetValue, Severity
from waza_engine.model.placeholders import has_placeholder
from waza_engine.project.document import Document

_MOST_SPECS = 20


def problem_findings(
    rule: Rule, problems: Iterable[Problem], *, removable: bool = False
) -> Iterator[Finding]:
    """Problems as findings; what is `removable` should go."""
    for it in problems:
        fixes = [Fix(f"Change to '{better}'", (_change(it, better),)) for better in it.instead]
        if removable:
            fixes.append(Fix(f"Remove '{it.pointer[-1]}'", (RemoveKey(it.pointer),)))
        severity = Severity.WARNING if it.is_doubtful else None
        yield rule.at(it.pointer, it.message, on=it.on, fixes=fixes, severity=severity)


def _change(problem: Problem, better: str) -> RenameKey | SetValue:
    if problem.on == "key":
        return RenameKey(problem.pointer, better)
    return SetValue(problem.pointer, better)


def matching_evals(document: Document) -> list[tuple[Pointer, str, list[Path]]]:
    """The patterns for evals with the files that they name; those that are known only when it runs are left out."""
    return document.once("evals of an experiment", lambda: list(_matches(document)))


def _matches(document: Document) -> Iterator[tuple[Pointer, str, list[Path]]]:
    folder = document.folder
    if folder is None:
        return
    for place, pattern in document.texts("evals"):
        if pattern and not has_placeholder(pattern):
            yield place, pattern, matching_specs(pattern, folder, document.files)


def spec_data_of_evals(document: Document) -> list[Mapping[str, Any]]:
    """The data of the first specs, with all that they give the agent in `environment`, as far as it stands there."""
    paths = dict.fromkeys(path for _, _, found in matching_evals(document) for path in found)
    return [_with_one_environment(document.files.mapping(it)) for it in list(paths)[:_MOST_SPECS]]


def _with_one_environment(spec: Mapping[str, Any]) -> Mapping[str, Any]:
    given = [it for key in ("agent_environment", "environment") if isinstance(it := spec.get(key), dict)]
    return {**spec, "environment": {key: value for it in given for key, value in it.items()}}
