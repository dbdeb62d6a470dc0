"""Find and expand the placeholders `${NAME}` and `${NAME=default}` in the text of a spec.

They are expanded before the text is read as YAML (docs/reference/vally.md, section 2). The editor and the loaders share
this module; it is apart from the models because it needs no pydantic.
"""

import re
from collections.abc import Mapping
from typing import Any

from waza_engine.lib.yaml.reader import YamlError, read_yaml

PLACEHOLDER = re.compile(r"\$\{([A-Za-z_]\w*)(?:=([^}]*))?\}", re.ASCII)
EVAL_FOLDER = re.compile(r"\$\{eval\.(parent|grandparent)\}")
"""A placeholder in experiments: the name of the eval's folder, or of the folder above."""


def has_placeholder(value: Any) -> bool:
    """Whether the value contains a placeholder, so that it is known only when the run starts."""
    return isinstance(value, str) and (
        PLACEHOLDER.search(value) is not None or EVAL_FOLDER.search(value) is not None
    )


def expand_placeholders(text: str, values: Mapping[str, str]) -> str:
    """Return the text with all placeholders expanded that have a value or a default; the others stay."""
    return PLACEHOLDER.sub(lambda m: values.get(m[1], m[0] if m[2] is None else m[2]), text)


def read_with_placeholders(text: str) -> Any:
    """Return the data of a YAML text. If placeholders make it invalid, each is read as 0.

    Raises:
        YamlError: the text is invalid either way.

    """
    try:
        return read_yaml(text)
    except YamlError:
        filled, count = PLACEHOLDER.subn("0", text)
        if not count:
            raise
    return read_yaml(filled)
