"""Find the specs and stimuli of a suite in `.vally.yaml` (docs/reference/vally.md, section 8)."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from waza_engine.dialects.vally.experiments.globs import matching_specs, matching_suite_specs
from waza_engine.dialects.vally.formats.load import load_suite, tag_texts
from waza_engine.dialects.vally.formats.project import ProjectFile, SuiteConfig
from waza_engine.dialects.vally.formats.project_file import NAME
from waza_engine.lib.files.vfs import Files
from waza_engine.lib.paths import real_path
from waza_engine.model.suite import LoadError
from waza_engine.project.eval_sets import ChosenEval
from waza_engine.project.reading import build, read_mapping

_NESTED = "tags"
"""The key under which some projects nest all filters."""


def evals_of_suite(project_dir: Path, name: str) -> list[ChosenEval]:
    """Return the specs of a suite: its files first, then in each of them the stimuli with all tags of the filter.

    Raises:
        LoadError: the project file or a spec cannot be used, or nothing is in the suite.

    """
    path = project_dir / NAME
    project = build(ProjectFile, read_mapping(path), path)
    suite = project.suites.get(name)
    if suite is None:
        known = ", ".join(project.suites) or "none"
        raise LoadError(path, f"No suite is named '{name}'. Known suites: {known}", ("suites",))
    specs = _specs(project, suite, project_dir)
    if not specs:
        raise LoadError(path, f"The suite '{name}' matches no eval", ("suites", name))
    chosen = [*_with_tags(specs, suite.filter)]
    if not chosen:
        message = f"No stimulus has the tags of the suite '{name}'"
        raise LoadError(path, message, ("suites", name, "filter"))
    return chosen


def _specs(project: ProjectFile, suite: SuiteConfig, project_dir: Path) -> list[Path]:
    """Return the files of a suite; without `evals`, all specs of the project. `!` before a glob excludes its files."""
    files = Files()
    folders = [project_dir / it for it in project.paths.evals]
    if not suite.evals:
        patterns = [f"**/{it}" for it in project.paths.eval_filenames]
        return list(
            dict.fromkeys(
                spec for it in folders for one in patterns for spec in matching_specs(one, it, files)
            )
        )

    def matching(pattern: str) -> list[Path]:
        return [spec for it in (project_dir, *folders) for spec in matching_suite_specs(pattern, it, files)]

    excluded = {real_path(spec) for it in suite.evals if it.startswith("!") for spec in matching(it[1:])}
    included = (real_path(spec) for it in suite.evals if not it.startswith("!") for spec in matching(it))
    return [it for it in dict.fromkeys(included) if it not in excluded]


def _with_tags(specs: list[Path], tags: Mapping[str, Any]) -> Iterator[ChosenEval]:
    nested = tags.get(_NESTED)
    wanted = nested if isinstance(nested, Mapping) else tags
    if not wanted:
        yield from map(ChosenEval, specs)
        return
    accepted = [{*tag_texts({key: value})} for key, value in wanted.items()]
    for path in specs:
        tasks = load_suite(path, process_dir=path.parent).tasks
        found = tuple(it.id for it in tasks if all(each & {*it.tags} for each in accepted))
        if found:
            yield ChosenEval(path, None if len(found) == len(tasks) else found)
