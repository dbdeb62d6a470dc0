"""How many tasks and trials an eval chooses (docs/reference/waza-formats.md, sections 2 and 9)."""

from collections.abc import Iterator, Mapping
from typing import Any

from waza_engine.dialects.waza.checks.dataset import dataset_of
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.file_names import TRIGGER_TESTS
from waza_engine.project.document import Document
from waza_engine.recognition.recognise import kind_of
from waza_engine.recognition.sample import RateThreshold, Sample

_TRIALS = ("config", "trials_per_task")
_MANY = 100
"""Of more task files the few that are disabled do not matter, and reading them takes time."""
_GUESSED = 0.5
"""Whether a skill triggers is yes or no."""


def sample_of(document: Document) -> Sample | None:
    """Return the sample of an eval."""
    trials = plain(document.value(*_TRIALS))
    if document.kind != "eval" or not _is_count(trials):
        return None
    return Sample(
        _tasks(document),
        trials,
        (_TRIALS,),
        tuple((it,) for it in ("tasks", "tasks_from") if document.has(it)),
        comparison=("baseline",) if document.value("baseline") is True else (),
        thresholds=tuple(_thresholds(document)),
    )


def _tasks(document: Document) -> int:
    """Return the number of enabled tasks: inline ones, task files, or rows of the dataset."""
    if document.text("tasks_from"):
        dataset = dataset_of(document)
        rows = len(dataset.rows) if dataset is not None else 0
        first, last = (plain(document.value("range", it)) for it in (0, 1))
        return len(range(rows)[first - 1 : last]) if _is_count(first) and _is_count(last) else rows
    inline = len(document.task_values(_is_enabled))
    suite = document.suite
    if suite is None:
        return inline
    files = len(set(suite.paths) - {suite.eval_path, suite.folder / TRIGGER_TESTS})
    if files > _MANY:
        return inline + files
    return inline + sum(it.data.get("enabled") is not False for it in suite.tasks)


def _is_enabled(_: Document, task: Mapping[str, Any]) -> bool:
    return task.get("enabled") is not False


def _thresholds(document: Document) -> Iterator[RateThreshold]:
    """Yield the threshold for the share of trigger prompts with the right outcome, the only one that waza evaluates."""
    kind = kind_of(document.dialect, "triggers")
    folder = document.folder
    # The mock runs no trigger prompts.
    if document.executor == "mock":
        return
    if kind is None or folder is None or not document.files.is_file(folder / TRIGGER_TESTS):
        return
    tests = document.files.mapping(folder / TRIGGER_TESTS)
    prompts = sum(len(it) for key in kind.trigger_lists if isinstance(it := tests.get(key), list))
    for place, metric in document.mappings("metrics"):
        value = plain(metric.get("threshold"))
        is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
        if (
            metric.get("name") == "trigger_accuracy"
            and is_number
            and prompts
            and metric.get("enabled") is not False
        ):
            yield RateThreshold((*place, "threshold"), float(value), prompts, "trigger prompts", _GUESSED)


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value > 0
