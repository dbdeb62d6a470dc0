"""Find and expand the placeholders `${NAME}` and `${NAME=default}` in the text of a spec; find templates in strings.

They are expanded before the text is read as YAML (docs/reference/vally.md, section 2). The editor and the loaders share
this module; it is apart from the models because it needs no pydantic.
"""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any, NamedTuple

from waza_engine.lib.pointer import Pointer
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


_BRACES = re.compile(r"\{\{-?\s*(?:(\.Vars\.)|index \.Vars \"|\.)?([A-Za-z_][\w-]*)\"?\s*-?\}\}")
_VARIABLE = re.compile(r"\$\{()([A-Za-z_]\w*)\}")


class Template(NamedTuple):
    """A template in a string: its text, and the name of the value that it stands for."""

    source: str
    name: str


def template_in(text: str, names: Collection[str], *, variables: bool) -> Template | None:
    """Return the first template for one of the names; with `variables`, `${NAME}` counts, too.

    `.Vars.` is a prefix that no other template language has, so such a template counts whatever its name is.
    """
    for pattern in (_BRACES, _VARIABLE) if variables else (_BRACES,):
        for found in pattern.finditer(text):
            if found[1] or found[2] in names:
                return Template(found[0], found[2])
    return None


def texts_with_templates(value: Any, pointer: Pointer) -> Iterator[tuple[Pointer, str]]:
    """Yield all strings in a value that may have a template, with their pointers."""
    if isinstance(value, str):
        if "{{" in value or "${" in value:
            yield pointer, value
    elif isinstance(value, dict):
        for key, it in value.items():
            yield from texts_with_templates(it, (*pointer, key))
    elif isinstance(value, list):
        for index, it in enumerate(value):
            yield from texts_with_templates(it, (*pointer, index))
