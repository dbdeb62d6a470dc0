"""Convert the suite of an eval to another dialect.

Apart from the converters, which are imported late: options of commands and actions of editors need only `TARGETS`.
"""

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from waza_engine.convert.conversion import Conversion

_CONVERTERS = {
    "vally": "waza_engine.convert.to_vally:to_vally",
    "waza": "waza_engine.convert.to_waza:to_waza",
}
TARGETS = tuple(_CONVERTERS)
"""The dialects to convert to."""


def convert_suite(path: Path, target: str, folder: Path, process_dir: Path) -> "Conversion":
    """Convert the suite of the eval at `path` to files of the dialect `target`, for `folder`.

    Raises:
        LoadError: the target is unknown, the suite already has that dialect, or one of its files is invalid.

    """
    from waza_engine.model.suite import LoadError
    from waza_engine.project.load_suite import dialect_of_file
    from waza_engine.recognition.recognise import load_object

    if target not in _CONVERTERS:
        raise LoadError(path, f"Cannot convert to '{target}'. Known targets: {', '.join(_CONVERTERS)}")
    if dialect_of_file(path).name == target:
        raise LoadError(
            path,
            f"This is already a {target} suite. To update it to the newest form, use `waza-lsp convert --to latest`",
        )
    converted: Conversion = load_object(_CONVERTERS[target])(path, folder.absolute(), process_dir=process_dir)
    return converted
