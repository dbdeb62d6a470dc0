"""The part of Go's text/template that prompts in CSV files use (docs/reference/waza-formats.md, section 9).

Variables (`{{.Vars.name}}`, `{{index .Vars "any-name"}}`), the other fields (`{{.TaskName}}` ...), texts, numbers,
`if`/`else`/`end`, the functions of `template_functions`, pipelines, comments and `{{- -}}`. What repeats or defines
things (`range`, `with`, `define`, `$x := ...`) is refused, so that a template does no more than its length allows.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from waza_engine.dialects.waza.formats.templates.functions import FUNCTIONS, is_true, printed
from waza_engine.dialects.waza.formats.templates.syntax import (
    Branch,
    Call,
    Expression,
    Literal,
    Names,
    Part,
    TemplateError,
    parsed,
)
from waza_engine.dialects.waza.formats.templates.tokens import MOST_CHARACTERS

__all__ = ["TemplateError", "Values", "render"]


@dataclass(frozen=True, slots=True)
class Values:
    """What a template can name. `fields` are the names without `.Vars`."""

    variables: Mapping[str, str]
    fields: Mapping[str, str | int]

    @classmethod
    def of_row(cls, row: Mapping[str, str], number: int, inputs: Mapping[str, str], moment: str) -> "Values":
        """What the prompt of a row of a dataset can name; `number` counts from 1."""
        name = row.get("name") or f"row-{number}"
        fields: dict[str, str | int] = {
            "TaskName": name,
            "JobID": "",
            "Timestamp": moment,
            "Iteration": 0,
            "Attempt": 0,
        }
        return cls({**inputs, **row}, fields)


def render(template: str, values: Values) -> str:
    """The text with all `{{...}}` replaced.

    Raises:
        TemplateError: an unclosed `{{`, a name that is not there, or something outside the supported part.

    """
    if "{{" not in template:
        return template
    found: list[str] = []
    length = 0
    for it in _texts(parsed(template), values):
        length += len(it)
        if length > MOST_CHARACTERS:
            raise TemplateError(f"it becomes longer than {MOST_CHARACTERS:,} characters")
        found.append(it)
    return "".join(found)


def _texts(parts: tuple[Part, ...], values: Values) -> Iterator[str]:
    # A list, not recursion: a chain of `{{else if}}` is as deep as it is long.
    waiting = [*reversed(parts)]
    while waiting:
        match part := waiting.pop():
            case str():
                yield part
            case Branch(condition, then, otherwise):
                waiting.extend(reversed(then if is_true(_value(condition, values)) else otherwise))
            case _:
                yield printed(_value(part, values))


def _value(expression: Expression, values: Values) -> Any:
    match expression:
        case Literal(value):
            return value
        case Names(names):
            return _named(names, values)
        case Call("and" | "or" as name, arguments):
            return _first(arguments, values, wanted=name == "or")
        case Call(name, arguments):
            return FUNCTIONS[name](*(_value(it, values) for it in arguments))


def _first(arguments: tuple[Expression, ...], values: Values, *, wanted: bool) -> Any:
    """The first argument whose truth is the wanted one, or the last; what follows it is not looked at."""
    value: Any = None
    for it in arguments:
        value = _value(it, values)
        if is_true(value) is wanted:
            break
    return value


def _named(names: tuple[str, ...], values: Values) -> Any:
    first, *rest = names
    if first == "Vars":
        if not rest:
            return values.variables
        name, *rest = rest
        if name not in values.variables:
            known = ", ".join(sorted(values.variables)) or "none"
            raise TemplateError(f"there is no variable '{name}'; known: {known}")
        value: Any = values.variables[name]
    elif first in values.fields:
        value = values.fields[first]
    else:
        raise TemplateError(f"'{{{{.{first}}}}}' is not understood; variables are written {{{{.Vars.name}}}}")
    if rest:
        raise TemplateError(f"a text has no field '{rest[0]}'")
    return value
