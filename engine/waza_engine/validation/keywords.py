"""What each keyword of a JSON Schema asks of a value, adapted to what waza's loader accepts (waza-formats.md, section 3).

An empty value is fine everywhere, a text field takes numbers and booleans, a boolean field takes `yes` and `off`.
Of a list of alternatives chosen by a discriminator, only the chosen one is looked at: a branch that the author
did not pick is never blamed. In all else this is JSON Schema of 2020-12; a test compares it with `jsonschema`, which
takes ten times as long.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

from waza_engine.placeholders import has_placeholder
from waza_engine.scalars import FALSE_WORDS, TRUE_WORDS
from waza_engine.validation.error import SchemaError

Schema = Mapping[str, Any]
Way = tuple[Any, str | int] | None
"""A path, last part first: the way to the parent, and the part."""
Check = Callable[[Any, Way, list[SchemaError]], None]
"""Appends what is wrong with a value that stands at the end of a way."""

DISCRIMINATOR = "x-discriminator"
NO_VALUE = "x-no-value"
"""What a key violates that must have a value and has none."""
_FLAG_WORDS = TRUE_WORDS | FALSE_WORDS


class Compiler(Protocol):
    """Makes checks of schemas."""

    def compiled(self, schema: Any) -> Check:
        """The check of a schema, made once."""

    def target(self, reference: str) -> Schema:
        """What a local reference means."""


class Keyword(NamedTuple):
    """A keyword where it stands: its name, its value, and the schema around it."""

    name: str
    value: Any
    schema: Schema
    compiler: Compiler

    def error(
        self, instance: Any, way: Way, message: str = "", context: Sequence[SchemaError] = ()
    ) -> SchemaError:
        """The keyword is violated."""
        return SchemaError(self.name, self.value, instance, self.schema, _path(way), message, context)


Maker = Callable[[Keyword], Check]


def _path(way: Way) -> tuple[str | int, ...]:
    parts: list[str | int] = []
    while way is not None:
        way, part = way
        parts.append(part)
    return tuple(reversed(parts))


def _simple(is_wrong: Callable[[Any, Any], bool], words: Callable[[Any, Any], str] = lambda *_: "") -> Maker:
    """A keyword that only looks at the value: `is_wrong(instance, value of the keyword)`."""

    def make(it: Keyword) -> Check:
        wanted = it.value

        def check(instance: Any, way: Way, out: list[SchemaError]) -> None:
            if is_wrong(instance, wanted):
                out.append(it.error(instance, way, words(instance, wanted)))

        return check

    return make


_KINDS: dict[str, Callable[[Any], bool]] = {
    "string": lambda it: isinstance(it, (str, bool, int, float)),
    "boolean": lambda it: isinstance(it, bool) or (isinstance(it, str) and it in _FLAG_WORDS),
    "integer": lambda it: (
        (isinstance(it, int) and not isinstance(it, bool)) or (isinstance(it, float) and it.is_integer())
    ),
    "number": lambda it: isinstance(it, (int, float)) and not isinstance(it, bool),
    "array": lambda it: isinstance(it, list),
    "object": lambda it: isinstance(it, dict),
    "null": lambda it: it is None,
}
_is_number = _KINDS["number"]


def _type(it: Keyword) -> Check:
    kinds = [_KINDS[kind] for kind in (it.value if isinstance(it.value, list) else [it.value])]
    [first, *others] = kinds

    def check(instance: Any, way: Way, out: list[SchemaError]) -> None:
        if instance is not None and not first(instance) and not any(kind(instance) for kind in others):
            out.append(it.error(instance, way))

    return check


def _is_equal(one: Any, other: Any) -> bool:
    """Equal as JSON has it: `true` is not 1."""
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_is_equal, one, other))
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_is_equal(value, other[key]) for key, value in one.items())
    return bool(one == other) and isinstance(one, bool) == isinstance(other, bool)


def _enum(it: Keyword) -> Check:
    texts = frozenset(value for value in it.value if isinstance(value, str))

    def check(instance: Any, way: Way, out: list[SchemaError]) -> None:
        if isinstance(instance, str):
            is_known = instance in texts
        else:
            is_known = instance is None or any(_is_equal(value, instance) for value in it.value)
        if not is_known:
            out.append(it.error(instance, way))

    return check


def _text(instance: Any) -> str | None:
    """A number or boolean as the text that waza makes of it."""
    if isinstance(instance, str):
        return instance
    return str(instance) if isinstance(instance, (bool, int, float)) else None


def _length(is_wrong: Callable[[int, int], bool]) -> Callable[[Any, Any], bool]:
    return lambda instance, most: (text := _text(instance)) is not None and is_wrong(len(text), most)


def _pattern(it: Keyword) -> Check:
    search = re.compile(it.value).search

    def check(instance: Any, way: Way, out: list[SchemaError]) -> None:
        text = _text(instance)
        if text is not None and not search(text):
            out.append(it.error(instance, way))

    return check


def _properties(it: Keyword) -> Check:
    known, compiled = it.value, it.compiler.compiled
    order = {name: index for index, name in enumerate(known)}

    def check(instance: Any, way: Way, out: list[SchemaError]) -> None:
        if isinstance(instance, dict):
            for name in sorted(instance.keys() & order.keys(), key=order.__getitem__):
                compiled(known[name])(instance[name], (way, name), out)

    return check


def _additional(it: Keyword) -> Check:
    known = it.schema.get("properties", {})
    patterns = [re.compile(pattern) for pattern in it.schema.get("patternProperties", ())]
    more = it.compiler.compiled(it.value) if isinstance(it.value, Mapping) else None

    def check(instance: Any, way: Way, out: list[SchemaError]) -> None:
        if not isinstance(instance, dict) or instance.keys() <= known.keys():
            return
        names = [name for name in instance if name not in known and not any(p.search(name) for p in patterns)]
        if more is not None:
            for name in names:
                more(instance[name], (way, name), out)
        elif names and it.value is False:
            out.append(it.error(instance, way))

    return check


def _required(it: Keyword) -> Check:
    def check(instance: Any, way: Way, out: list[SchemaError]) -> None:
        if isinstance(instance, dict):
            out.extend(it.error(instance, way) for name in it.value if name not in instance)

    return check


def _required_value(it: Keyword) -> Check:
    """The same where `null` is refused: a key that must be there must also have a value."""
    absent, blank = _required(it), it._replace(name=NO_VALUE)
    needed = [name for name in it.value if name not in it.schema.get("x-tolerated", ())]

    def check(instance: Any, way: Way, out: list[SchemaError]) -> None:
        absent(instance, way, out)
        if isinstance(instance, dict):
            empty = (name for name in needed if name in instance and instance[name] is None)
            out.extend(blank.error(None, (way, name)) for name in empty)

    return check


def _items(it: Keyword) -> Check:
    item, start = it.compiler.compiled(it.value), len(it.schema.get("prefixItems", ()))

    def check(instance: Any, way: Way, out: list[SchemaError]) -> None:
        if isinstance(instance, list):
            for index in range(start, len(instance)):
                item(instance[index], (way, index), out)

    return check


def _reference(it: Keyword) -> Check:
    target, compiled = it.compiler.target(it.value), it.compiler.compiled

    def check(instance: Any, way: Way, out: list[SchemaError]) -> None:
        # Not compiled ahead: a schema may contain itself.
        compiled(target)(instance, way, out)

    return check


def _condition(it: Keyword) -> Check:
    compiled = it.compiler.compiled
    test = compiled(it.value)

    def check(instance: Any, way: Way, out: list[SchemaError]) -> None:
        against: list[SchemaError] = []
        test(instance, way, against)
        branch = "else" if against else "then"
        if branch in it.schema:
            compiled(it.schema[branch])(instance, way, out)

    return check


def _all_of(it: Keyword) -> Check:
    key, compiled = it.schema.get(DISCRIMINATOR), it.compiler.compiled
    branches = {
        branch["if"]["properties"][key].get("const"): branch["then"]
        for branch in reversed(it.value)
        if _is_branch(branch, key)
    }
    others = [part for part in it.value if not _is_branch(part, key)]

    def check(instance: Any, way: Way, out: list[SchemaError]) -> None:
        kind = instance.get(key) if branches and isinstance(instance, dict) else None
        if isinstance(kind, str) and kind in branches:
            # The branch is known to apply: going to its consequence at once keeps the `if` from being tried.
            compiled(branches[kind])(instance, way, out)
        for part in others:
            compiled(part)(instance, way, out)

    return check


def _is_branch(schema: Schema, key: str | None) -> bool:
    return key is not None and key in schema.get("if", {}).get("properties", {})


def _fitting(it: Keyword, instance: Any, way: Way) -> tuple[list[int], list[SchemaError]]:
    """Which of the alternatives fit, and, up to the first one that does, why others do not."""
    fitting: list[int] = []
    context: list[SchemaError] = []
    for index, part in enumerate(it.value):
        against: list[SchemaError] = []
        it.compiler.compiled(part)(instance, way, against)
        if not against:
            fitting.append(index)
            if it.name == "anyOf":
                break
        elif not fitting:
            context += [_of_alternative(error, index) for error in against]
    return fitting, context


def _of_alternative(error: SchemaError, index: int) -> SchemaError:
    return SchemaError(
        error.validator,
        error.validator_value,
        error.instance,
        error.schema,
        error.absolute_path,
        error.message,
        error.context,
        (index,),
    )


def _alternatives(it: Keyword) -> Check:
    def check(instance: Any, way: Way, out: list[SchemaError]) -> None:
        fitting, context = _fitting(it, instance, way)
        if not fitting:
            out.append(it.error(instance, way, context=context))
        elif len(fitting) > 1:
            out.append(it.error(instance, way))

    return check


def _not(it: Keyword) -> Check:
    unwanted = it.compiler.compiled(it.value)

    def check(instance: Any, way: Way, out: list[SchemaError]) -> None:
        against: list[SchemaError] = []
        unwanted(instance, way, against)
        if not against:
            out.append(it.error(instance, way, f"{instance!r} should not be valid under {it.value!r}"))

    return check


def _foreign(it: Keyword) -> Check:
    """A keyword that none of our schemas has: those of plug-ins may."""

    def check(instance: Any, way: Way, out: list[SchemaError]) -> None:
        # Imported late: the library takes longer than all else at the start of the server.
        from jsonschema import Draft202012Validator

        for found in Draft202012Validator({it.name: it.value}).iter_errors(instance):
            below = way
            for part in found.absolute_path:
                below = (below, part)
            out.append(it.error(found.instance, below, found.message))

    return check


def _is_marked(instance: Any, value: Any) -> bool:
    """A mark on the schema of something that is there: found, whatever its value."""
    return value is not False and instance not in (None, [], {})


def _has_unknown(it: Keyword) -> Check:
    """Keys that the loader passes over although it does not know them: which are worth a word, the message decides."""
    known = it.schema.get("properties", {})

    def check(instance: Any, way: Way, out: list[SchemaError]) -> None:
        if isinstance(instance, dict) and not instance.keys() <= known.keys():
            out.append(it.error(instance, way))

    return check


def unmet_needs(instance: Mapping[str, Any], needs: Mapping[str, Any]) -> Iterator[str]:
    """The lists with something in them that lack the option they need."""
    for name, need in needs.items():
        listed = instance.get(name)
        if isinstance(listed, list) and listed and instance.get(need["option"]) in (None, ""):
            yield name


def _too_long(instance: Any, most: int) -> str:
    return f"{_text(instance)!r} {'is expected to be empty' if most == 0 else 'is too long'}"


def _unless_placeholder(make: Maker) -> Maker:
    def guarded(it: Keyword) -> Check:
        check = make(it)
        return lambda instance, way, out: None if has_placeholder(instance) else check(instance, way, out)

    return guarded


_OURS: dict[str, Maker] = {
    "$ref": _reference,
    "type": _type,
    "enum": _enum,
    "const": _simple(
        lambda it, wanted: it is not None and not _is_equal(it, wanted),
        lambda _, wanted: f"{wanted!r} was expected",
    ),
    "properties": _properties,
    "additionalProperties": _additional,
    "required": _required,
    "items": _items,
    "if": _condition,
    "allOf": _all_of,
    "anyOf": _alternatives,
    "oneOf": _alternatives,
    "not": _not,
    "pattern": _pattern,
    "minLength": _simple(_length(lambda length, least: length < least)),
    "maxLength": _simple(_length(lambda length, most: length > most), _too_long),
    "minimum": _simple(lambda it, least: _is_number(it) and it < least),
    "maximum": _simple(lambda it, most: _is_number(it) and it > most),
    "exclusiveMinimum": _simple(lambda it, least: _is_number(it) and it <= least),
    "exclusiveMaximum": _simple(lambda it, most: _is_number(it) and it >= most),
    "minItems": _simple(lambda it, least: isinstance(it, list) and len(it) < least),
    "maxItems": _simple(lambda it, most: isinstance(it, list) and len(it) > most),
    "minProperties": _simple(lambda it, least: isinstance(it, dict) and len(it) < least),
    "maxProperties": _simple(
        lambda it, most: isinstance(it, dict) and len(it) > most,
        lambda it, most: f"{it!r} {'is expected to be empty' if most == 0 else 'has too many properties'}",
    ),
    "x-recommended": _simple(
        lambda it, names: isinstance(it, dict) and any(name not in it for name in names)
    ),
    "x-no-effect": _simple(_is_marked),
    "x-move-to": _simple(_is_marked),
    "x-unknown-keys": _has_unknown,
    "x-needs": _simple(
        lambda it, needs: isinstance(it, dict) and any(unmet_needs(it, needs)),
    ),
}
_FOREIGN = (
    "contains",
    "dependentRequired",
    "dependentSchemas",
    "multipleOf",
    "patternProperties",
    "prefixItems",
    "propertyNames",
    "uniqueItems",
)
KEYWORDS: dict[str, Maker] = {**_OURS, **dict.fromkeys(_FOREIGN, _foreign)}
PLACEHOLDER_KEYWORDS: dict[str, Maker] = {
    **KEYWORDS,
    **{
        name: _unless_placeholder(KEYWORDS[name])
        for name in ("type", "enum", "const", "pattern", "minLength", "maxLength", "anyOf", "oneOf")
    },
}
"""For files in which `${NAME}` may stand anywhere: what it becomes is not known yet, so nothing is wrong with it."""


def keywords_for(schema: Schema) -> dict[str, Maker]:
    """The keywords as a file is read whose schema says `x-placeholders`, or (`x-null-refused`) takes no null for a value."""
    known = PLACEHOLDER_KEYWORDS if schema.get("x-placeholders") else KEYWORDS
    return {**known, "required": _required_value} if schema.get("x-null-refused") else known
