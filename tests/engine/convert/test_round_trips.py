"""Property tests: what is converted there and back is the suite that it was, down to the last comment."""

import dataclasses
import os
import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.engine.convert.realistic_suites import (
    DOMAINS,
    vally_graders,
    vally_spec,
    waza_graders,
    waza_suite,
    written,
)
from tests.engine.convert.recorded_trials import trials
from tests.slow import examples, first_quick
from waza_engine.analysis.pipeline import check_file
from waza_engine.convert.conversion import Conversion
from waza_engine.convert.convert import convert_suite
from waza_engine.dialects.vally.grader_names import slug_of
from waza_engine.graders.registry import graders
from waza_engine.grading.grade import grade_task
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.suite import GraderEntry, Suite, Task
from waza_engine.project.load_suite import load_suite

OTHER = {"waza": "vally", "vally": "waza"}


def save(result: Conversion, folder: Path) -> Path:
    """Write a result, and return the path of its eval."""
    for name, text in result.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for name, source in result.copies.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(source, folder / name)
    return folder / next(it for it in result.files if it.name.endswith("eval.yaml"))


def there_and_back(source: Path, folder: Path) -> tuple[Path, Path, Conversion, Conversion]:
    """Convert an eval to the other dialect and back: both paths and both results."""
    dialect = load_suite(source, process_dir=folder).dialect
    there = convert_suite(source, OTHER[dialect], folder / "there", folder)
    path = save(there, folder / "there")
    back = convert_suite(path, dialect, folder / "back", folder)
    return path, save(back, folder / "back"), there, back


def meaning(suite: Suite) -> dict[str, Any]:
    """All that a run of the suite depends on, wherever it is on disk."""
    settings = dataclasses.asdict(suite.settings)
    settings["skill_directories"] = _real(suite.settings.skill_directories)
    return {
        "name": suite.name,
        "skill": suite.skill,
        "settings": settings,
        "graders": [entry_meaning(it) for it in suite.graders],
        "tasks": [task_meaning(it) for it in suite.tasks],
        "disabled": [task_meaning(it) for it in suite.disabled],
        "metrics": suite.metrics,
        "hooks": dict(suite.hooks),
        "triggers": suite.triggers and (suite.triggers.skill, suite.triggers.prompts),
        "scoring": suite.scoring,
        "mocks": suite.mcp_mocks,
    }


def task_meaning(task: Task) -> dict[str, Any]:
    data = {it.name: getattr(task, it.name) for it in dataclasses.fields(task)}
    for key in ("path", "pointer", "warnings"):
        del data[key]
    data["graders"] = [entry_meaning(it) for it in task.graders]
    data["constraints"] = [(it.key, it.value) for it in task.constraints]
    data["files"] = sorted((it.target, it.content) for it in task.files)
    data["skill_directories"] = task.skill_directories and _real(task.skill_directories)
    data["repos"] = [dataclasses.replace(it, source=Path(os.path.normpath(it.source))) for it in task.repos]
    data["tags"] = sorted(task.tags)
    return data


def entry_meaning(entry: GraderEntry) -> tuple[Any, ...]:
    # vally takes only slugs since 0.16, so it gets no other names.
    name = (
        slug_of(entry.original_name)
        if entry.dialect == "vally" and entry.original_name
        else entry.original_name
    )
    return (entry.type, name, entry.weight, plain(entry.config) or {}, entry.extras, entry.turn)


def _real(paths: Any) -> list[str]:
    return [os.path.normpath(it) for it in paths]


def complaints(folder: Path, process_dir: Path) -> Counter[str]:
    """The errors and warnings on all files of a suite, by code."""
    found: Counter[str] = Counter()
    for path in sorted(folder.rglob("*.yaml")):
        if "fixtures" not in path.parts:
            found.update(
                f"{it.code}: {it.message}"
                for it in check_file(path, process_dir=process_dir)
                if it.severity in {"error", "warning"}
            )
    return found


def texts(folder: Path) -> str:
    return "\n".join(
        it.read_text(encoding="utf-8") for it in sorted(folder.rglob("*.yaml")) if "fixtures" not in it.parts
    )


def check_round_trip(source: Path, remarks: list[str], folder: Path) -> None:
    there, back, result, _ = there_and_back(source, folder)
    assert meaning(load_suite(back, process_dir=folder)) == meaning(load_suite(source, process_dir=folder))
    for path in (there, back):
        text = texts(path.parent)
        assert {it: text.count(it + "\n") for it in remarks if text.count(it + "\n") != 1} == {}, text
    before = {it.partition(":")[0] for it in complaints(source.parent, folder)}
    for path in (there, back):
        new = {
            code: it
            for code, it in complaints(path.parent, folder).items()
            if code.partition(":")[0] not in before
        }
        assert not new, texts(path.parent)
    check_losses(source, result, there)


def check_losses(source: Path, result: Conversion, there: Path) -> None:
    """Every grader and key that is only in a comment is listed, at a place that exists."""
    listed = [it for it in result.lost if it.kept]
    kept = sum(line.strip().startswith("# |   - at:") for line in texts(there.parent).splitlines())
    assert kept == sum(it.message.startswith("Grader '") for it in listed)
    for it in listed:
        assert it.path is None or it.path.exists() or it.path == source


def suites(kind: str) -> Iterator[Any]:
    yield from ((kind, seed) for seed in range(examples(80)))


@pytest.mark.parametrize(
    ("kind", "seed"), [*first_quick(suites("vally"), 6), *first_quick(suites("waza"), 6)]
)
def test_a_suite_in_the_manner_of_real_ones(kind: str, seed: int, tmp_path: Path) -> None:
    files = {"eval.yaml": vally_spec(seed)} if kind == "vally" else waza_suite(seed)
    source, remarks = written(tmp_path / "source", files, seed)
    check_round_trip(source, remarks, tmp_path)


@given(kind=st.sampled_from(["vally", "waza"]), seed=st.integers(1_000, 1_000_000))
@settings(max_examples=examples(100), deadline=None)
def test_any_suite(kind: str, seed: int) -> None:
    with TemporaryDirectory() as folder:
        files = {"eval.yaml": vally_spec(seed)} if kind == "vally" else waza_suite(seed)
        source, remarks = written(Path(folder) / "source", files, seed)
        check_round_trip(source, remarks, Path(folder))


EXAMPLES = Path(__file__).parents[3] / "examples"


@pytest.mark.parametrize(
    "name", first_quick(sorted(it.parent.name for it in EXAMPLES.glob("*/eval.yaml")), 2)
)
def test_an_example(name: str, tmp_path: Path) -> None:
    source = tmp_path / "examples" / name / "eval.yaml"
    shutil.copytree(EXAMPLES / name, source.parent)
    text = texts(source.parent)
    remarks = [it.strip()[2:] for it in text.splitlines() if it.lstrip().startswith("# ")]
    check_round_trip(source, [it for it in remarks if text.count(it) == 1], tmp_path)


NOT_GRADED = {
    *("prompt", "panel", "pairwise", "program", "run-command", "trigger"),
    *("acme-accessibility", "custom-metrics", "json_schema", "system-event", "turn-count", "code"),
}
"""Types that start a program, ask a judge, or whose verdict needs more than these recordings have."""
TYPES = {"vally": sorted(vally_graders(DOMAINS[0])), "waza": sorted(waza_graders(DOMAINS[0]))}


Verdict = tuple[str, float, float, dict[str, bool]]


def verdicts(path: Path, process_dir: Path, folder: Path) -> dict[str, list[Verdict]]:
    """The verdict on each trial of each task: status, both scores, and whether each grader passed."""
    suite = load_suite(path, process_dir=process_dir)
    domain = next((it for it in DOMAINS if it.skill in suite.name), DOMAINS[0])
    found: dict[str, list[Verdict]] = {}
    for task in suite.tasks:
        row = found.setdefault(task.id, [])
        for context in trials(domain, folder):
            made = grade_task(suite.dialect, task, suite.graders, suite.scoring, context)
            passed = {slug_of(name): it.result.passed for name, it in made.results.items()}
            row.append((made.status, made.score, made.weighted_score, passed))
    return found


def kinds() -> Iterator[Any]:
    yield from ((dialect, kind) for kind in range(40) for dialect in TYPES if kind < len(TYPES[dialect]))


@pytest.mark.parametrize(("dialect", "number"), first_quick(kinds(), 4))
def test_each_grader_type_fails_where_it_failed_before(dialect: str, number: int, tmp_path: Path) -> None:
    kind = TYPES[dialect][number]
    fails = passes = False
    for seed in range(3):
        folder = tmp_path / str(seed)
        files = {"eval.yaml": vally_spec(seed, (kind,))} if dialect == "vally" else waza_suite(seed, (kind,))
        source, remarks = written(folder / "source", files, seed)
        check_round_trip(source, remarks, folder)
        if kind in NOT_GRADED:
            break
        before = verdicts(source, folder, tmp_path)
        assert verdicts(folder / "back" / "eval.yaml", folder, tmp_path) == before
        fails |= any(not all(it[3].values()) for row in before.values() for it in row)
        passes |= any(it[0] == "passed" for row in before.values() for it in row)
        check_one_way(folder / "there" / "eval.yaml", before, folder, tmp_path)
        if fails:
            break
    assert kind in NOT_GRADED or fails


def check_one_way(there: Path, before: dict[str, list[Verdict]], folder: Path, workspaces: Path) -> None:
    """A trial that failed does not pass where every grader has a stand-in."""
    text = texts(there.parent)
    if "# |   - at:" in text or "threshold" in text or "constraints" in text:
        return
    after = verdicts(there, folder, workspaces)
    for name, row in before.items():
        for was, now in zip(row, after[name], strict=True):
            assert was[0] == "passed" or now[0] != "passed", (was, now, text)


def test_the_tests_know_all_grader_types() -> None:
    todo = "Add the type to realistic_suites.py, and what it becomes to docs/convert.md"
    assert set(TYPES["vally"]) - {"acme-accessibility"} == set(graders("vally")) - {"pairwise"}, todo
    assert set(TYPES["waza"]) == set(graders("waza")), todo
