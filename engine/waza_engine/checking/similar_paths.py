"""Fixes for a path that leads nowhere: to what is nearly called so where it was looked for."""

from collections.abc import Callable, Iterator
from pathlib import Path

from waza_engine.checking.files import Files
from waza_engine.findings import Fix, Pointer, SetValue
from waza_engine.validation.spelling import nearest


def similar_paths(
    files: Files, folder: Path, place: Pointer, text: str, *, only: Callable[[Path], bool] | None = None
) -> Iterator[Fix]:
    """Changes of the path at `place`, best first. It is `text`, from `folder`; `only` says what may stand in its place."""
    head, slash, name = text.rpartition("/")
    there, base = files.names(folder / head), folder / head
    for it in nearest(name, there if only is None else [it for it in there if only(base / it)]):
        yield Fix(f"Change to '{head}{slash}{it}'", (SetValue(place, f"{head}{slash}{it}"),))
