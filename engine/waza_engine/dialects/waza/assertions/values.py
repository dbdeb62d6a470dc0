"""The values in Python assertions that are not true: what `len(output.split())` was in `len(output.split()) <= 90`."""

import ast
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress

from waza_engine.assertions.evaluation import Outcome
from waza_engine.graders.base import GradeError
from waza_engine.graders.excerpts import nearest_line, occurrence, quote

_MOST_OPERANDS = 4
_LONGEST, _LONGEST_NAME = 200, 60
_MARK = "value "
_TEXT = "output"

_LITERAL = (
    *(ast.Constant, ast.List, ast.Tuple, ast.Set, ast.Dict),
    *(ast.UnaryOp, ast.unaryop, ast.expr_context),
)
Evaluate = Callable[[Sequence[str]], list[Outcome]]


def values_of(
    assertions: Sequence[str], failed: Sequence[int], evaluate: Evaluate, output: str
) -> dict[int, str]:
    """Return what is known about the assertions at the indices `failed`, which are not true.

    The interpreter only says whether an expression is true, so the values come in the text of an exception: of a key
    that an empty dictionary lacks. All assertions are evaluated again before, because they share variables.
    """
    operands = [(index, it) for index in failed for it in _operands(assertions[index])]
    found = {index: text for index in failed if (text := _text_found(assertions[index], output))}
    outcomes: list[Outcome] = []
    if operands:
        probes = [f"{{}}[{_MARK!r} + str({it})[:{_LONGEST}]]" for _, it in operands]
        with suppress(GradeError):
            outcomes = evaluate([*assertions, *probes])[len(assertions) :]
    values: dict[int, list[str]] = {}
    for (index, operand), outcome in zip(operands, outcomes, strict=False):
        value = _value(outcome)
        if value is not None:
            shown = operand if len(operand) <= _LONGEST_NAME else f"{operand[: _LONGEST_NAME - 1]}…"
            values.setdefault(index, []).append(f"{shown} is {quote(value).strip(chr(39))}")
    return {index: ", ".join(it) for index, it in values.items()} | found


def _operands(assertion: str) -> list[str]:
    """Return the sides of the comparisons in an assertion whose values the reader cannot see."""
    try:
        tree = ast.parse(assertion.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return []
    segments = (ast.get_source_segment(assertion.strip(), it) for it in _sides(tree.body))
    return list(dict.fromkeys(it for it in segments if it and "\n" not in it))[:_MOST_OPERANDS]


def _sides(node: ast.expr) -> Iterator[ast.expr]:
    match node:
        case ast.BoolOp(values=values):
            for it in values:
                yield from _sides(it)
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            yield from _sides(operand)
        case ast.Compare(left=left, comparators=others):
            yield from (it for it in (left, *others) if not _is_plain(it))
        case _:
            pass


def _is_plain(node: ast.expr) -> bool:
    """Whether the value of a side is in the assertion, or is the whole output."""
    return _is_output(node) or all(isinstance(it, _LITERAL) for it in ast.walk(node))


def _is_output(node: ast.expr) -> bool:
    match node:
        case ast.Name(id=name):
            return name == _TEXT
        case ast.Call(
            func=ast.Attribute(value=ast.Name(id=name), attr="lower" | "upper" | "casefold" | "strip")
        ):
            return name == _TEXT
        case _:
            return False


def _text_found(assertion: str, output: str) -> str:
    """Return the line of the output that a string of `'text' in output` comes closest to."""
    try:
        tree = ast.parse(assertion.strip(), mode="eval")
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return ""
    match tree.body:
        case ast.Compare(left=ast.Constant(value=str(text)), ops=[operator], comparators=[side]):
            if not _is_output(side):
                return ""
            if isinstance(operator, ast.In):
                return nearest_line(text, output)
            return occurrence(text, output, any_case=True) if isinstance(operator, ast.NotIn) else ""
        case _:
            return ""


def _value(outcome: Outcome) -> str | None:
    if outcome.kind != "error":
        return None
    try:
        text = ast.literal_eval(outcome.text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return text.removeprefix(_MARK) if isinstance(text, str) and text.startswith(_MARK) else None
