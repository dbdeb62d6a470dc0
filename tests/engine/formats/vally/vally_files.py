"""Small vally suites on disk."""

import textwrap
from pathlib import Path

from waza_engine.formats import load_suite
from waza_engine.suite import LoadError, Suite

STIMULUS = """\
stimuli:
  - name: a
    prompt: Say hello
"""


def write(folder: Path, files: dict[str, str]) -> Path:
    """Write the files (relative path, dedented text) and give back the spec's path."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
    return folder / "eval.yaml"


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
