"""The part of Go's text/template that prompts in CSV files use (waza-formats.md, section 9).

`{{.Vars.name}}`, `{{.TaskName}}`, `{{.JobID}}`, `{{.Timestamp}}`, `{{.Iteration}}`, `{{.Attempt}}`,
`{{index .Vars "any-name"}}`, texts, comments and `{{- -}}`. Everything else of Go's language is refused.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

_ACTION = re.compile(r"\{\{(-\s)?(.*?)(\s-)?\}\}", re.DOTALL)
_VARIABLE = re.compile(r"\.Vars\.([A-Za-z_]\w*)")
_FIELD = re.compile(r"\.([A-Za-z_]\w*)")
_INDEX = re.compile(r'index\s+\.Vars\s+("(?:[^"\\\n]|\\.)*"|`[^`]*`)')
_BLANKS = " \t\r\n"
_TEXT = re.compile(r'"(?:[^"\\\n]|\\.)*"|`[^`]*`')


class TemplateError(ValueError):
    """The template cannot be rendered; the text says what and why."""


@dataclass(frozen=True, slots=True)
class Values:
    """What a template can name. `fields` are the names without `.Vars`."""

    variables: Mapping[str, str]
    fields: Mapping[str, str]


def render(template: str, values: Values) -> str:
    """The text with all `{{...}}` replaced.

    Raises:
        TemplateError: an unclosed `{{`, a name that is not there, or something outside the supported part.

    """
    parts: list[str] = []
    position, trim_start = 0, False
    for found in _ACTION.finditer(template):
        trim_end, action, trim_next = found.groups()
        parts.append(_between(template[position : found.start()], trim_start, bool(trim_end)))
        parts.append(_value(action.strip(), values))
        position, trim_start = found.end(), bool(trim_next)
    rest = template[position:]
    if "{{" in rest:
        raise TemplateError("a '{{' is not closed")
    return "".join([*parts, _between(rest, trim_start, trim_end=False)])


def _between(text: str, trim_start: bool, trim_end: bool) -> str:
    """The text between two actions; `-` inside the braces takes the blanks beside them away."""
    text = text.lstrip(_BLANKS) if trim_start else text
    return text.rstrip(_BLANKS) if trim_end else text


def _value(action: str, values: Values) -> str:
    if action.startswith("/*") and action.endswith("*/"):
        return ""
    if found := _VARIABLE.fullmatch(action):
        name = found.group(1)
        if name not in values.variables:
            known = ", ".join(sorted(values.variables)) or "none"
            raise TemplateError(f"there is no variable '{name}'; known: {known}")
        return values.variables[name]
    if found := _INDEX.fullmatch(action):
        return values.variables.get(_literal(found.group(1)), "")
    if (found := _FIELD.fullmatch(action)) and found.group(1) in values.fields:
        return values.fields[found.group(1)]
    if _TEXT.fullmatch(action):
        return _literal(action)
    raise TemplateError(
        f"'{{{{{action}}}}}' is not understood; write {{{{.Vars.name}}}} or {{{{index .Vars \"name\"}}}}"
    )


def _literal(source: str) -> str:
    if source.startswith("`"):
        return source[1:-1]
    try:
        return str(json.loads(source))
    except ValueError as error:
        raise TemplateError(f"{source} is no valid text") from error
