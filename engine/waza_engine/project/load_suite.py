"""Loads a suite or an experiment of any dialect."""

from pathlib import Path

from waza_engine.model.experiment import Experiment
from waza_engine.model.suite import ExperimentArm, LoadError, Suite
from waza_engine.project.reading import read_filled_mapping
from waza_engine.recognition.recognise import Dialect, dialect, load_object, recognise


def load_suite(
    path: Path, *, process_dir: Path, dialect_name: str = "", context_dir: Path | None = None
) -> Suite:
    """Load the eval at `path` with everything it names.

    The dialect is detected from the content, unless `dialect_name` is given.
    `process_dir` is the directory that a run starts in: some paths in the files are relative to it.
    `context_dir` is the folder of the tasks' input files, instead of the dialect's default.

    Raises:
        waza_engine.model.suite.LoadError: a file cannot be used, or this is not an eval file of any dialect.

    """
    chosen = dialect(dialect_name) if dialect_name else dialect_of_file(path)
    suite: Suite = load_object(chosen.load_suite)(
        path, process_dir=process_dir, **({"context_dir": context_dir} if context_dir else {})
    )
    return suite


def experiment_at(path: Path) -> Experiment | None:
    """Return the experiment in a file; None if the file is of another kind or cannot be read.

    Raises:
        LoadError: it is an experiment that cannot be run.

    """
    try:
        found = recognise(read_filled_mapping(path), path)
    except LoadError:
        return None
    if found is None or found[1].runnable != "experiment":
        return None
    experiment: Experiment = load_object(found[0].load_experiment)(path)
    return experiment


def suite_of_arm(about: ExperimentArm) -> Suite:
    """Return the current suite of an arm from an earlier run.

    Raises:
        LoadError: the experiment no longer has this arm, or cannot be used.

    """
    path = Path(about.path)
    experiment = experiment_at(path)
    if experiment is None:
        raise LoadError(path, "This file is no longer an experiment")
    arm = next((it for it in experiment.arms if it.name == about.variant), None)
    if arm is None:
        raise LoadError(experiment.path, f"The experiment no longer has an arm '{about.variant}'")
    return experiment.suite(arm, Path(about.eval_path), run_id=about.run_id, chosen=about.arms)


def dialect_of_file(path: Path) -> Dialect:
    """Return the dialect of the eval at `path`.

    Raises:
        LoadError: the file cannot be read, or is not an eval.

    """
    data = read_filled_mapping(path)
    found = recognise(data, path)
    if found is None:
        raise LoadError(
            path,
            "This is not an eval file: it needs 'name', 'config' and 'tasks', or 'stimuli', at the top level",
        )
    dialect, kind, _reason = found
    if kind.runnable != "eval":
        raise LoadError(
            path,
            f"This is {'an' if kind.name[0] in 'aeiou' else 'a'} {kind.name} file of {dialect.name}, not an eval. Name its eval file instead",
        )
    return dialect
