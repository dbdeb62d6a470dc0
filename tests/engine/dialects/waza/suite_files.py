"""Small suites on disk for the loader's tests."""

import textwrap
from pathlib import Path

from waza_engine.model.suite import LoadError, Suite
from waza_engine.project.load_suite import load_suite

CONFIG = "config: {trials_per_task: 1, timeout_seconds: 60, executor: mock, model: m}"
EVAL = f"name: demo\nskill: demo\n{CONFIG}\ntasks: [tasks/*.yaml]\n"
TASK = "id: a\nname: A\ninputs: {prompt: Say hello}\n"


def write(folder: Path, files: dict[str, str]) -> Path:
    """Write the files (relative path, dedented text) and give back the eval's path."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
    return folder / "eval.yaml"


def load(folder: Path, **files: str) -> Suite:
    """Load a suite of an eval, one task and `files` (`eval` and `task` replace the usual ones)."""
    texts = {"eval.yaml": files.pop("eval", EVAL), "tasks/a.yaml": files.pop("task", TASK)}
    return load_suite(write(folder, {**texts, **files}), process_dir=folder)


def refused(folder: Path, **files: str) -> LoadError:
    """The error that loading such a suite gives."""
    try:
        load(folder, **files)
    except LoadError as error:
        return error
    raise AssertionError("the suite was loaded")
