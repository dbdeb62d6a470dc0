"""Looking into a file whose placeholders have no values yet."""

from typing import Any

from waza_engine.placeholders import PLACEHOLDER
from waza_engine.yaml_reader import YamlError, read_yaml


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
