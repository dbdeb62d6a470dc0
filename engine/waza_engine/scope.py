"""What a static check may know beyond the data it checks. Cheap to import: the language server needs it at start."""

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True, slots=True)
class Scope:
    """Where the suite stands and how it will run.

    `eval_dir` and `process_dir` are None when unknown (a file that is not saved yet); a check that needs them
    then stays silent. `executor` is the suite's, empty when unknown.
    """

    eval_dir: Path | None = None
    process_dir: Path | None = None
    executor: str = ""
