"""`jsonschema` with our changes to its keywords: what `waza_engine.analysis.schema` must agree with.

An empty value is fine where nothing is required, and as good as none there, in a list too; a whole number has at most
64 bits; a text field takes numbers and booleans, a boolean field takes `yes` and `off`.
Of a list of alternatives chosen by a discriminator, only the chosen one is looked at: a branch that the author
did not pick is never blamed.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from jsonschema import Draft202012Validator, validators
from jsonschema.exceptions import ValidationError

from waza_engine.lib.yaml.scalars import FALSE_WORDS, TRUE_WORDS
from waza_engine.model.placeholders import has_placeholder

DISCRIMINATOR = "x-discriminator"


def _is_text(_checker: Any, value: Any) -> bool:
    return isinstance(value, (str, bool, int, float))


def _is_flag(_checker: Any, value: Any) -> bool:
    return isinstance(value, bool) or (isinstance(value, str) and value in TRUE_WORDS | FALSE_WORDS)


def _is_integer(_checker: Any, value: Any) -> bool:
    return bool(Draft202012Validator.TYPE_CHECKER.is_type(value, "integer") and value < 2**63)


_TYPES = Draft202012Validator.TYPE_CHECKER.redefine_many(
    {"string": _is_text, "boolean": _is_flag, "integer": _is_integer}
)


def _as_written(keyword: str) -> Any:
    """A keyword for texts, applied to a number or boolean as the text that waza makes of it."""
    check = Draft202012Validator.VALIDATORS[keyword]

    def checked(
        validator: Any, value: Any, instance: Any, schema: Mapping[str, Any]
    ) -> Iterator[ValidationError]:
        text = str(instance) if isinstance(instance, (bool, int, float)) else instance
        yield from check(validator, value, text, schema) or ()

    return checked


def _unless_empty(keyword: str) -> Any:
    check = Draft202012Validator.VALIDATORS[keyword]

    def checked(
        validator: Any, value: Any, instance: Any, schema: Mapping[str, Any]
    ) -> Iterator[ValidationError]:
        if instance is not None:
            yield from check(validator, value, instance, schema) or ()

    return checked


def _enum(validator: Any, words: Any, instance: Any, schema: Mapping[str, Any]) -> Iterator[ValidationError]:
    is_any_case = schema.get("x-any-case") and isinstance(instance, str)
    yield from _unless_empty("enum")(
        validator, words, instance.strip().lower() if is_any_case else instance, schema
    )


def _properties(
    validator: Any, known: Any, instance: Any, schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    wanted = (
        *schema.get("required", ()),
        *schema.get("x-recommended", ()),
        schema.get(DISCRIMINATOR),
    )
    for name, member in known.items() if isinstance(instance, dict) else ():
        has_words = isinstance(member, Mapping) and "enum" in member and member.get("type") == "string"
        is_word = has_words and name not in wanted
        if name in instance and not (is_word and instance[name] == ""):
            yield from validator.descend(instance[name], member, path=name, schema_path=name)


def _all_of(
    validator: Any, branches: list[Any], instance: Any, schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    key = schema.get(DISCRIMINATOR)
    chosen = branches
    if key is not None:
        branch = branch_of(schema, instance.get(key) if isinstance(instance, dict) else None)
        if branch is not None:
            # The branch is known to apply: going to its consequence at once keeps the `if` from being tried.
            yield from validator.descend(instance, branch["then"], schema_path="allOf")
        chosen = [it for it in branches if not _is_branch(it, key)]
    for index, it in enumerate(chosen):
        yield from validator.descend(instance, it, schema_path=index)


def _is_branch(schema: Mapping[str, Any], key: str) -> bool:
    return key in schema.get("if", {}).get("properties", {})


def _recommended(_validator: Any, names: list[str], instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, dict) and any(instance.get(it) is None for it in names):
        yield ValidationError("recommended keys are missing")


def _required(_validator: Any, names: list[str], instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        yield from (ValidationError("no value") for it in names if instance.get(it) is None)


def _annotation(message: str) -> Any:
    """A mark on the schema of something that is there: found, whatever its value."""

    def marked(_validator: Any, value: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
        if value is not False and instance not in (None, [], {}):
            yield ValidationError(message)

    return marked


def branch_of(schema: Mapping[str, Any], kind: Any) -> Mapping[str, Any] | None:
    """The if/then branch of a discriminated schema whose constant is `kind`."""
    key = schema[DISCRIMINATOR]
    for it in schema.get("allOf", ()):
        if _is_branch(it, key) and it["if"]["properties"][key].get("const") == kind:
            branch: Mapping[str, Any] = it
            return branch
    return None


def _unknown_keys(
    _validator: Any, _value: Any, instance: Any, schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    """Keys that the loader passes over although it does not know them: which are worth a word, the message decides."""
    if isinstance(instance, dict) and any(it not in schema.get("properties", {}) for it in instance):
        yield ValidationError("unknown keys")


def _needs(_validator: Any, needs: Any, instance: Any, _schema: Any) -> Iterator[ValidationError]:
    if isinstance(instance, dict):
        for name, it in needs.items():
            listed = instance.get(name)
            has_items = isinstance(listed, list) and any(item is not None for item in listed)
            if has_items and instance.get(it["option"]) in (None, ""):
                yield ValidationError("an option is missing")
                return


def _min_items(
    _validator: Any, least: int, instance: Any, _schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    if isinstance(instance, list) and len([it for it in instance if it is not None]) < least:
        yield ValidationError("too few items")


def _max_items(
    _validator: Any, most: int, instance: Any, _schema: Mapping[str, Any]
) -> Iterator[ValidationError]:
    if isinstance(instance, list) and len([it for it in instance if it is not None]) > most:
        yield ValidationError("too many items")


Validator = validators.extend(  # type: ignore[no-untyped-call]  # the library gives it no types
    Draft202012Validator,
    validators={
        "type": _unless_empty("type"),
        "enum": _enum,
        "properties": _properties,
        "const": _unless_empty("const"),
        "pattern": _as_written("pattern"),
        "minItems": _min_items,
        "maxItems": _max_items,
        "minLength": _as_written("minLength"),
        "maxLength": _as_written("maxLength"),
        "allOf": _all_of,
        "required": _required,
        "x-recommended": _recommended,
        "x-no-effect": _annotation("has no effect"),
        "x-move-to": _annotation("is an old form"),
        "x-unknown-keys": _unknown_keys,
        "x-needs": _needs,
    },
    type_checker=_TYPES,
)


def _unless_placeholder(check: Any) -> Any:
    def checked(
        validator: Any, value: Any, instance: Any, schema: Mapping[str, Any]
    ) -> Iterator[ValidationError]:
        if not has_placeholder(instance):
            yield from check(validator, value, instance, schema) or ()

    return checked


PlaceholderValidator = validators.extend(  # type: ignore[no-untyped-call]  # the library gives it no types
    Validator,
    validators={
        keyword: _unless_placeholder(Validator.VALIDATORS[keyword])
        for keyword in ("type", "enum", "const", "pattern", "minLength", "maxLength", "anyOf", "oneOf")
    },
)
"""For files in which `${NAME}` may stand anywhere: what it becomes is not known yet, so nothing is wrong with it."""
