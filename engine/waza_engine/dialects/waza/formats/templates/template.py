"""The part of Go's text/template that prompts in CSV files use (docs/reference/waza-formats.md, section 9).

Variables (`{{.Vars.name}}`, `{{index .Vars "any-name"}}`), the other fields (`{{.TaskName}}` ...), strings, numbers,
`if`/`else`/`end`, the functions of `functions.py`, pipelines, comments and `{{- -}}`. Loops and
definitions (`range`, `with`, `define`, `$x := ...`) are refused, so that a template's work is bounded by its length.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from waza_engine.dialects.waza.formats.templates.functions import FUNCTIONS, go_text, is_true
from waza_engine.dialects.waza.formats.templates.syntax import (
    Branch,
    Call,
    Expression,
    Literal,
    Names,
    Part,
    TemplateError,
    parse,
)
from waza_engine.dialects.waza.formats.templates.tokens import MOST_CHARACTERS

__all__ = ["TemplateError", "Values", "render"]


@dataclass(frozen=True, slots=True)
class Values:
    """The values that a template can name. `fields` are those outside of `.Vars`."""

    variables: Mapping[str, str]
    fields: Mapping[str, str | int]

    @classmethod
    def of_row(cls, row: Mapping[str, str], number: int, inputs: Mapping[str, str], moment: str) -> "Values":
        """Return the values for the prompt of a dataset row; `number` counts from 1."""
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
    """Return the text with all `{{...}}` replaced.

    Raises:
        TemplateError: an unclosed `{{`, an unknown name, or syntax outside the supported part.

    """
    if "{{" not in template:
        return template
    found: list[str] = []
    length = 0
    for it in _render_parts(parse(template), values):
        length += len(it)
        if length > MOST_CHARACTERS:
            raise TemplateError(f"it becomes longer than {MOST_CHARACTERS:,} characters")
        found.append(it)
    return "".join(found)


def _render_parts(parts: tuple[Part, ...], values: Values) -> Iterator[str]:
    # A list, not recursion: a chain of `{{else if}}` is as deep as it is long.
    pending = [*reversed(parts)]
    while pending:
        match part := pending.pop():
            case str():
                yield part
            case Branch(condition, then, otherwise):
                pending.extend(reversed(then if is_true(_value(condition, values)) else otherwise))
            case _:
                yield go_text(_value(part, values))


def _value(expression: Expression, values: Values) -> Any:
    match expression:
        case Literal(value):
            return value
        case Names(names):
            return _lookup(names, values)
        case Call("and" | "or" as name, arguments):
            return _first(arguments, values, expected=name == "or")
        case Call(name, arguments):
            return FUNCTIONS[name](*(_value(it, values) for it in arguments))


def _first(arguments: tuple[Expression, ...], values: Values, *, expected: bool) -> Any:
    """Return the first argument whose truth is `expected`, or the last. Later ones are not evaluated."""
    value: Any = None
    for it in arguments:
        value = _value(it, values)
        if is_true(value) is expected:
            break
    return value


def _lookup(names: tuple[str, ...], values: Values) -> Any:
    first, *rest = names
    if first == "Vars":
        if not rest:
            return values.variables
        name, *rest = rest
        if name not in values.variables:
            known = ", ".join(sorted(values.variables)) or "none"
            raise TemplateError(f"unknown variable '{name}'. Known variables: {known}")
        value: Any = values.variables[name]
    elif first in values.fields:
        value = values.fields[first]
    else:
        raise TemplateError(f"'{{{{.{first}}}}}' is not supported. Write variables as {{{{.Vars.name}}}}")
    if rest:
        raise TemplateError(f"a string has no field '{rest[0]}'")
    return value
