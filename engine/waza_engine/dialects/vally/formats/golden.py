"""Check the golden trajectory and patch of a stimulus when the spec is loaded.

See docs/reference/vally.md, sections 10.3 and 12.
"""

from pathlib import Path

from waza_engine.dialects.vally.formats.stimulus import GoldenPatch, GoldenTrajectory
from waza_engine.dialects.vally.trajectory.atif import atif_problem, text_problem
from waza_engine.lib.files.safe_read import MAX_BYTES
from waza_engine.lib.pointer import Pointer
from waza_engine.model.suite import LoadError
from waza_engine.project.reading import read_text


def check_golden_patch(golden: GoldenPatch | None, spec: Path, pointer: Pointer) -> None:
    """Check that the file of a golden patch exists.

    Raises:
        LoadError: it does not.

    """
    if golden is not None and golden.path and not (spec.parent / golden.path).is_file():
        raise LoadError(spec, f"The golden patch '{golden.path}' does not exist", (*pointer, "path"))


def check_golden_trajectory(golden: GoldenTrajectory | None, spec: Path, pointer: Pointer) -> None:
    """Check that the value at `pointer` of the spec is a golden trajectory or names one.

    Raises:
        LoadError: the trajectory is missing or not valid.

    """
    if golden is None:
        return
    if golden.path == "" or (golden.path is None) == (golden.inline is None):
        raise LoadError(spec, "A golden trajectory needs either 'path' or 'inline'", pointer)
    if golden.inline is not None and (problem := atif_problem(golden.inline)):
        raise LoadError(spec, f"The golden trajectory is not valid ATIF: {problem}", (*pointer, "inline"))
    if golden.path is None:
        return
    try:
        reason = text_problem(read_text(spec.parent / golden.path, MAX_BYTES))
    except LoadError as error:
        reason = error.message
    if reason:
        message = f"The golden trajectory '{golden.path}' cannot be used: {reason}"
        raise LoadError(spec, message, (*pointer, "path"))
