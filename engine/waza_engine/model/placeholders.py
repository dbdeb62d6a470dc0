"""`${NAME}` and `${NAME=default}` in the text of a spec: replaced before it is read as YAML.

See docs/reference/vally.md, section 2.

Looking into a file whose placeholders have no values yet.
"""

import re
from collections.abc import Mapping
from typing import Any

from waza_engine.lib.yaml.reader import YamlError, read_yaml

PLACEHOLDER = re.compile(r"\$\{([A-Za-z_]\w*)(?:=([^}]*))?\}", re.ASCII)
FOLDER_OF_EVAL = re.compile(r"\$\{eval\.(parent|grandparent)\}")
"""In experiments: the names of the folders that an eval is in (docs/reference/vally.md, section 2)."""


def has_placeholder(value: Any) -> bool:
    """Whether a value is known only when the run starts."""
    return isinstance(value, str) and (
        PLACEHOLDER.search(value) is not None or FOLDER_OF_EVAL.search(value) is not None
    )


def expanded(text: str, values: Mapping[str, str]) -> str:
    """The text with all placeholders replaced that have a value or a default; the others stay as they are."""
    return PLACEHOLDER.sub(lambda it: values.get(it[1], it[0] if it[2] is None else it[2]), text)


def read_filled(text: str) -> Any:
    """The data of a YAML text. Where placeholders keep it from being YAML, any value will do in their place.

    Raises:
        YamlError: it is none either way.

    """
    try:
        return read_yaml(text)
    except YamlError:
        filled, count = PLACEHOLDER.subn("0", text)
        if not count:
            raise
    return read_yaml(filled)
