"""Functions of Go's templates that prompts can call: comparisons, `len`, `index`, `not`, `print`, `println`, `printf`."""

import operator
import re
from collections.abc import Callable, Mapping
from typing import Any

from waza_engine.dialects.waza.formats.templates.tokens import MOST_CHARACTERS, TemplateError, quote

_VERB = re.compile(r"%([-+0]*)([0-9]*)(?:\.([0-9]*))?(.)?", re.DOTALL)
_MAX_DIGITS = 3
"""Most digits of a width or precision."""


def is_true(value: Any) -> bool:
    """Whether Go treats a value as true: a non-empty string or map, a number other than 0."""
    return bool(value)


def go_text(value: Any) -> str:
    """Return a value as Go prints it."""
    match value:
        case bool():
            return "true" if value else "false"
        case float():
            return repr(int(value)) if value.is_integer() and abs(value) < 1e21 else repr(value)
        case Mapping():
            return f"map[{' '.join(f'{key}:{value[key]}' for key in sorted(value))}]"
        case _:
            return str(value)


def _len(value: Any) -> int:
    if isinstance(value, str):
        return len(value.encode("utf-8", "surrogatepass"))  # Go counts bytes.
    if isinstance(value, Mapping):
        return len(value)
    raise TemplateError(f"'len' needs a string, not {_kind(value)}")


def _index(value: Any, *keys: Any) -> Any:
    for key in keys:
        if isinstance(value, Mapping) and isinstance(key, str):
            value = value.get(key, "")
        elif isinstance(value, str) and type(key) is int:
            data = value.encode("utf-8", "surrogatepass")
            if not 0 <= key < len(data):
                raise TemplateError(f"'index': {key} is beyond the end of the string")
            value = data[key]
        else:
            raise TemplateError(f"'index' cannot look up {_kind(key)} in {_kind(value)}")
    return value


def _same_kind(name: str, left: Any, right: Any) -> None:
    if type(left) is not type(right) or isinstance(left, Mapping):
        raise TemplateError(f"'{name}' cannot compare {_kind(left)} with {_kind(right)}")


def _eq(left: Any, *others: Any) -> bool:
    for it in others:
        _same_kind("eq", left, it)
        if left == it:
            return True
    return False


def _ne(left: Any, right: Any) -> bool:
    _same_kind("ne", left, right)
    return bool(left != right)


def _ordering(name: str) -> Callable[[Any, Any], bool]:
    compare: Callable[[Any, Any], bool] = getattr(operator, name)

    def compare_same_kind(left: Any, right: Any) -> bool:
        _same_kind(name, left, right)
        if isinstance(left, bool):
            raise TemplateError(f"'{name}' cannot order booleans")
        return compare(left, right)

    return compare_same_kind


def _limit_length(*values: Any) -> None:
    """Refuse long values: printing printed values again can multiply their length."""
    if sum(len(it) for it in values if isinstance(it, str)) > MOST_CHARACTERS:
        raise TemplateError(f"a string in it becomes longer than {MOST_CHARACTERS:,} characters")


def _print(*values: Any) -> str:
    """Print values, with a space between two of which neither is a string."""
    _limit_length(*values)
    text = ""
    for before, it in zip((None, *values), values, strict=False):
        needs_space = before is not None and not isinstance(before, str) and not isinstance(it, str)
        text += (" " if needs_space else "") + go_text(it)
    return text


def _println(*values: Any) -> str:
    _limit_length(*values)
    return " ".join(map(go_text, values)) + "\n"


def _printf(form: Any, *values: Any) -> str:
    if not isinstance(form, str):
        raise TemplateError(f"'printf' needs a string first, not {_kind(form)}")
    _limit_length(form, *values)
    left = list(values)

    def replacement(found: re.Match[str]) -> str:
        flags, width, precision, verb = found.groups()
        if verb is None:
            return "%!(NOVERB)"
        if verb == "%":
            return "%"
        if verb not in _VERBS or len(width) > _MAX_DIGITS or len(precision or "") > _MAX_DIGITS:
            raise TemplateError(f"'printf': '{found[0]}' is not supported")
        if not left:
            return f"%!{verb}(MISSING)"
        value = left.pop(0)
        text = _VERBS[verb](value, None if precision is None else int(precision or 0))
        if text is None:
            return f"%!{verb}({_go_type(value)}={go_text(value)})"
        return _padded(text, value, flags, int(width or 0))

    text = _VERB.sub(replacement, form)
    if left:
        extra = ", ".join(f"{_go_type(it)}={go_text(it)}" for it in left)
        text += f"%!(EXTRA {extra})"
    return text


def _padded(text: str, value: Any, flags: str, width: int) -> str:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if "+" in flags and is_number and not text.startswith("-"):
        text = f"+{text}"
    if "-" in flags:
        return text.ljust(width)
    return text.zfill(width) if "0" in flags and is_number else text.rjust(width)


def _as_text(value: Any, precision: int | None) -> str | None:
    return value[:precision] if isinstance(value, str) else None


def _as_quoted(value: Any, precision: int | None) -> str | None:
    return quote(value[:precision]) if isinstance(value, str) else None


def _as_any(value: Any, precision: int | None) -> str:
    return value[:precision] if isinstance(value, str) else go_text(value)


def _as_whole(value: Any, _precision: int | None) -> str | None:
    return str(value) if type(value) is int else None


def _as_truth(value: Any, _precision: int | None) -> str | None:
    return go_text(value) if isinstance(value, bool) else None


def _as_fraction(value: Any, precision: int | None) -> str | None:
    return f"{value:.{6 if precision is None else precision}f}" if isinstance(value, float) else None


_VERBS: Mapping[str, Callable[[Any, int | None], str | None]] = {
    "s": _as_text,
    "q": _as_quoted,
    "v": _as_any,
    "d": _as_whole,
    "t": _as_truth,
    "f": _as_fraction,
}


def _go_type(value: Any) -> str:
    names = {str: "string", bool: "bool", int: "int", float: "float64"}
    return names.get(type(value), "map[string]string")


def _kind(value: Any) -> str:
    names = {str: "a string", bool: "a boolean", int: "a whole number", float: "a number with a fraction"}
    return names.get(type(value), "a map")


FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "not": lambda it: not is_true(it),
    "len": _len,
    "index": _index,
    "eq": _eq,
    "ne": _ne,
    "print": _print,
    "println": _println,
    "printf": _printf,
    **{it: _ordering(it) for it in ("lt", "le", "gt", "ge")},
}
_MAX_ARGUMENTS = 100
ARGUMENTS: Mapping[str, tuple[int, int]] = {
    **dict.fromkeys(("and", "or", "index", "printf"), (1, _MAX_ARGUMENTS)),
    **dict.fromkeys(("print", "println"), (0, _MAX_ARGUMENTS)),
    **dict.fromkeys(("not", "len"), (1, 1)),
    **dict.fromkeys(("ne", "lt", "le", "gt", "ge"), (2, 2)),
    "eq": (2, _MAX_ARGUMENTS),
}
"""The fewest and the most arguments of each function."""
