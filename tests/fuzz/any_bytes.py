"""Coverage-guided fuzzing of the tree and of the loader with any bytes: no crash, no hang. Needs `pip install atheris`.

`python -m tests.fuzz.any_bytes tree -max_total_time=600 -timeout=10` (or `loader`); the options are libFuzzer's.
"""

import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["waza_lsp.syntax", "waza_lsp.schema", "waza_engine"]):
    from tests.lenses import code_lens
    from waza_engine.analysis.pipeline import CheckContext
    from waza_engine.lib.yaml.reader import YamlError, read_yaml
    from waza_engine.recognition.recognise import recognise
    from waza_lsp.features.diagnostics import findings
    from waza_lsp.features.document_symbol import document_symbol
    from waza_lsp.snapshot import Snapshot

PATH = Path("/nowhere/evals/eval.yaml")


def tree(data: bytes) -> None:
    """Everything that an editor asks for at once when it opens a file."""
    snapshot = Snapshot.of(PATH.as_uri(), data.decode("utf-8", "replace"), 1)
    findings(snapshot, CheckContext(PATH))
    document_symbol(snapshot)
    code_lens(snapshot)


def loader(data: bytes) -> None:
    """The way of a file into a run."""
    try:
        value = read_yaml(data.decode("utf-8", "replace"), strict_graders=True)
    except YamlError:
        return
    if isinstance(value, dict):
        recognise(value, PATH)


if __name__ == "__main__":
    target = {"tree": tree, "loader": loader}[sys.argv.pop(1)]
    atheris.Setup(sys.argv, target)
    atheris.Fuzz()
