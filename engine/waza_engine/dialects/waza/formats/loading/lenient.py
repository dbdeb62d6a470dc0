"""Builds an eval or a task from a file with unknown keys, as waza does since 0.36.

See docs/reference/waza-newest.md, section 8. What `waza-lsp check` only warns about is ignored with a note. A key that
resembles a known one is refused, and so is every unknown key of a file that is read strictly.
"""

from pathlib import Path
from typing import Any, TypeVar

from waza_engine.model.schema_marks import FileModel
from waza_engine.model.suite import LoadError
from waza_engine.project.reading import build, pointer_text

_Model = TypeVar("_Model", bound=FileModel)


def build_leniently(
    model: type[_Model], kind_name: str, data: dict[str, Any], path: Path
) -> tuple[_Model, dict[str, Any], list[str]]:
    """Validate data as a model. Return the model, the data that it was made from, and notes about ignored keys.

    Raises:
        LoadError: the first error of the data.

    """
    try:
        return build(model, data, path), data, []
    except LoadError:
        # Imported late: most files have no unknown keys, and loading them needs no schema.
        from waza_engine.analysis.tolerated_keys import tolerated_keys, without

        unknown = tolerated_keys("waza", kind_name, data)
        if not unknown:
            raise
    known = without(data, unknown)
    notes = [f"{path}: '{pointer_text(it)}' is ignored: waza does not know this key" for it in unknown]
    return build(model, known, path), known, notes
