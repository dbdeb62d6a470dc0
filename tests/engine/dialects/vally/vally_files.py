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
    """Load a spec; keyword names of other files use `__` for `/`."""
    others = {name.replace("__", "/").replace("_yaml", ".yaml"): text for name, text in files.items()}
    return load_suite(write(folder, {"eval.yaml": spec, **others}), process_dir=folder)


def load_error(folder: Path, spec: str, **files: str) -> LoadError:
    """Load a spec that must fail, and return the error."""
    try:
        load(folder, spec, **files)
    except LoadError as error:
        return error
    raise AssertionError("the suite was loaded")
