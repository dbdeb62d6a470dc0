"""Small vally suites on disk."""

from pathlib import Path

from tests.engine.dialects.waza.suite_files import write
from waza_engine.model.suite import LoadError, Suite
from waza_engine.project.load_suite import load_suite

STIMULUS = """\
stimuli:
  - name: a
    prompt: Say hello
"""


def load(folder: Path, spec: str, **files: str) -> Suite:
    """Load a spec; names of other files are written with `__` for `/`."""
    others = {name.replace("__", "/").replace("_yaml", ".yaml"): text for name, text in files.items()}
    return load_suite(write(folder, {"eval.yaml": spec, **others}), process_dir=folder)


def refused(folder: Path, spec: str, **files: str) -> LoadError:
    """The error that loading gives."""
    try:
        load(folder, spec, **files)
    except LoadError as error:
        return error
    raise AssertionError("the suite was loaded")
