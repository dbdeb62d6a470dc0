"""All that a schema says about a key or value, as a short Markdown page."""

from collections.abc import Iterator
from typing import Any

from waza_engine.analysis.schema.navigate import DISCRIMINATOR, Schema, branches, resolve, schema_at
from waza_engine.findings import Pointer
from waza_lsp.schema.explain import listed_values
from waza_lsp.schema.wording import code, limits, type_words
from waza_lsp.syntax.written import block, flow

_MOST_ON_ONE_LINE = 60


def details(root: Schema, pointer: Pointer, data: Any, value: str | None) -> str:
    """The page of the key at `pointer`, or of its value `value`; empty where nothing is known."""
    schema = schema_at(root, pointer, data)
    if schema is None:
        return ""
    paragraphs = _of_key(root, schema, str(pointer[-1]) if pointer else "")
    if value is not None and value in listed_values(schema):
        parent = schema_at(root, pointer[:-1], data)
        paragraphs = _of_value(root, schema, parent if parent is not None else {}, value)
    return "\n\n".join(it for it in paragraphs if it)


def _of_key(root: Schema, schema: Schema, name: str) -> Iterator[str]:
    yield schema.get("description", "")
    if schema.get("deprecated") and (instead := schema.get("x-use-instead")):
        yield f"Deprecated: use {code(instead)}."
    facts = [type_words(root, schema), *limits(schema)]
    if "default" in schema:
        facts.append(f"default {code(flow(schema['default']))}")
    if since := schema.get("x-since"):
        facts.append(f"since {since}")
    yield " · ".join(facts)
    for example in schema.get("examples", ())[:1]:
        yield _example(name, example)


def _of_value(root: Schema, schema: Schema, parent: Schema, value: str) -> Iterator[str]:
    yield schema.get("x-enum-descriptions", {}).get(value, "")
    branch = branches(parent).get(value) if DISCRIMINATOR in parent else None
    for option in resolve(root, branch).get("properties", {}).values() if branch is not None else ():
        found = resolve(root, option)
        if since := found.get("x-since"):
            yield f"Since {since}."
        lines = [
            f"- {code(name)}: {resolve(root, it).get('description', '')}"
            for name, it in found.get("properties", {}).items()
            if not resolve(root, it).get("deprecated")
        ]
        yield "\n".join(lines)


def _example(name: str, example: Any) -> str:
    if not name or not isinstance(example, list | dict) or len(flow(example)) <= _MOST_ON_ONE_LINE:
        return f"Example: {code(f'{name}: {flow(example)}' if name else flow(example))}"
    return "\n".join(["```yaml", f"{name}:", *block(example, "  "), "```"])
