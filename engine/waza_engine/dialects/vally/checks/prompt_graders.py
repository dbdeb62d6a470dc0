"""Find graders at the end of a prompt: the line `graders:` above them is missing."""

import re

from waza_engine.graders.registry import graders
from waza_engine.lib.yaml.reader import YamlError, read_yaml
from waza_engine.lib.yaml.scalars import plain

_FIRST = re.compile(r"^[ \t]*- type:[ \t]*\S", re.MULTILINE)


def line_of_graders(text: str, dialect: str) -> str:
    """Return the line of a prompt where a list of graders begins that goes on to its end; empty without one."""
    found = _FIRST.search(text)
    if found is None:
        return ""
    try:
        entries = plain(read_yaml(text[found.start() :]))
    except YamlError:
        return ""
    known = graders(dialect)
    is_list = isinstance(entries, list) and all(isinstance(it, dict) for it in entries)
    if not is_list or not all(str(it.get("type")) in known for it in entries):
        return ""
    return text[found.start() :].partition("\n")[0].strip()
