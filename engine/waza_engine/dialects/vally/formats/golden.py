"""The golden trajectory of a stimulus, which must be one when the spec is loaded.

See docs/reference/vally.md, sections 10.3 and 12.
"""

from pathlib import Path

from waza_engine.dialects.vally.formats.stimulus import GoldenTrajectory
from waza_engine.dialects.vally.trajectory.atif import atif_problem, text_problem
from waza_engine.lib.pointer import Pointer
from waza_engine.model.suite import LoadError
from waza_engine.project.reading import read_text


def check_golden_trajectory(given: GoldenTrajectory | None, spec: Path, pointer: Pointer) -> None:
    """See that what stands at `pointer` of the spec is a golden trajectory, or names one.

    Raises:
        LoadError: it does not.

    """
    if given is None:
        return
    if given.path == "" or (given.path is None) == (given.inline is None):
        raise LoadError(spec, "A golden trajectory has either 'path' or 'inline'", pointer)
    if given.inline is not None and (found := atif_problem(given.inline)):
        raise LoadError(spec, f"The golden trajectory is no ATIF: {found}", (*pointer, "inline"))
    if given.path is None:
        return
    try:
        told = text_problem(read_text(spec.parent / given.path))
    except LoadError as error:
        told = error.message
    if told:
        message = f"The golden trajectory '{given.path}' cannot be used: {told}"
        raise LoadError(spec, message, (*pointer, "path"))
