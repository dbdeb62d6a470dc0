"""Generate `docs/graders`, `docs/rules` and `docs/releases`: a page per grader type, per rule and per dialect.

`python -m waza_engine.generate.pages` writes them to `docs`; a test checks that they are current. The option tables come
from the grader types' schemas.
"""

import json
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any

from waza_engine.analysis.rules import rule_modules, rule_packages
from waza_engine.analysis.schema.navigate import key_groups
from waza_engine.analysis.schema.tolerance import Schema
from waza_engine.dialects.waza.generations.base import OlderGrader
from waza_engine.generate.release_page import release_pages
from waza_engine.generate.schemas.graders import config_schema, grader_types, is_legacy
from waza_engine.generate.schemas.shape import subschemas
from waza_engine.graders.base import Grader
from waza_engine.lib.type_words import MANY, ONE
from waza_engine.model.findings import Rule
from waza_engine.recognition.recognise import Dialect, dialects, releases

_REFERENCE = "#/$defs/"
_PLURAL = {word: MANY[name] for name, word in ONE.items() if name in MANY}


def option_tables(schema: Schema, program: str = "waza") -> str:
    """Return a table of the options, then one per kind of mapping in them; `program` is the owner of the versions."""
    if not schema.get("properties"):
        return "This type has no options."
    definitions = schema.get("$defs", {})
    parts = [_table(schema, definitions, program)]
    if group := [it[0] for it in key_groups(schema.get("anyOf", ()))]:
        parts.append(f"At least one of {', '.join(f'`{it}`' for it in group)} must be given.")
    shown: list[str] = []
    waiting = [("", schema)]
    while waiting:
        prefix, part = waiting.pop(0)
        for key, name in _mappings(part):
            if name not in shown:
                shown.append(name)
                waiting.append((f"{prefix}{key}.", definitions[name]))
                heading = f"### In `{prefix}{key}`"
                parts += [
                    heading,
                    definitions[name].get("description", ""),
                    _table(definitions[name], definitions, program),
                ]
    return "\n\n".join(it for it in parts if it)


def _mappings(schema: Schema) -> Iterator[tuple[str, str]]:
    """Each option that takes mappings of a named kind, with the kind's name."""
    for key, option in schema.get("properties", {}).items():
        for part in subschemas(option):
            if "$ref" in part:
                yield key, part["$ref"].removeprefix(_REFERENCE)


def _table(schema: Schema, definitions: Schema, program: str) -> str:
    rows = ["| option | value | default | meaning |", "| --- | --- | --- | --- |"]
    for key, option in schema.get("properties", {}).items():
        needed = key in schema.get("required", ())
        default = (
            "required" if needed else f"`{json.dumps(option['default'])}`" if "default" in option else ""
        )
        cells = [f"`{key}`", kind_words(option, definitions), default, _meaning(option, program)]
        rows.append("| " + " | ".join(_in_cell(it) for it in cells) + " |")
    return "\n".join(rows)


def _in_cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _meaning(option: Schema, program: str) -> str:
    dates = "".join(f" {it}." for it in version_words(option, program))
    values = [f"`{value}`: {text}" for value, text in option.get("x-enum-descriptions", {}).items()]
    example = option.get("examples", [None])[0]
    shown = f" Example: `{json.dumps(example, ensure_ascii=False)}`." if example is not None else ""
    return " ".join([option.get("description", ""), *values]) + dates + shown


def version_words(schema: Schema, program: str) -> Iterator[str]:
    """Yield when a key came, was deprecated and was refused, from the marks in its schema."""
    for mark, words in (
        ("x-since", "Since"),
        ("x-deprecated-since", "Deprecated since"),
        ("x-refused-since", "Refused since"),
    ):
        if mark in schema:
            yield f"{words} {program} {schema[mark]}"


def kind_words(option: Schema, definitions: Schema) -> str:
    """Return the kind of value that an option takes: `list of strings`, `number from 0 to 1`."""
    if "$ref" in option:
        return kind_words(
            definitions.get(option["$ref"].removeprefix(_REFERENCE), {"type": "object"}), definitions
        )
    if "enum" in option:
        return " or ".join(f"`{it}`" for it in option["enum"])
    declared = option.get("type", "any value")
    names: list[str] = declared if isinstance(declared, list) else [declared]
    kinds = [ONE.get(it, it) for it in names]
    if names == ["array"]:
        items = kind_words(option.get("items", {}), definitions)
        return f"list of {' or '.join(_PLURAL.get(it, it) for it in items.split(' or '))}"
    return " or ".join(kinds) + _range_words(option)


def _range_words(option: dict[str, Any]) -> str:
    low, high = option.get("minimum"), option.get("maximum")
    match low, high:
        case None, None:
            return ""
        case _, None:
            return f", at least {low}"
        case None, _:
            return f", at most {high}"
        case _:
            return f" from {low} to {high}"


_GENERATIONS = {
    "PY": "waza's Python version (to 0.3)",
    "G1": "waza's first Go version (to 0.23)",
    "G2": "waza 0.24 to 0.35",
    "G3": "waza 0.36 and later",
    "DOC": "waza's older documentation",
}
_OPTIONS = "## Options"


def all_pages() -> dict[str, str]:
    """Return all pages by their path below `docs`."""
    pages: dict[str, str] = {}
    for dialect in dialects():
        pages |= _grader_pages(dialect) | release_pages(dialect)
    return pages | _rule_pages()


def _grader_pages(dialect: Dialect) -> dict[str, str]:
    folder = f"graders/{dialect.schema_folder}"
    types = grader_types(dialect)
    found = {f"{folder}{name}.md": _grader_page(dialect, name, kinds) for name, kinds in types.items()}
    rows = "\n".join(
        f"| [{name}]({name}.md) | {kinds[0].summary()}{' *(old)*' if is_legacy(kinds) else ''} |"
        for name, kinds in types.items()
    )
    found[f"{folder}README.md"] = f"# Grader types of {dialect.name}\n\n| type | |\n| --- | --- |\n{rows}\n"
    return found


def _grader_page(dialect: Dialect, name: str, kinds: Sequence[type[Grader]]) -> str:
    first = f"Only in files of {_versions(dialect, kinds[0])}." if is_legacy(kinds) else ""
    parts = [f"# {name}", _class_section(dialect, kinds[0], first, *_dates(dialect, name), is_first=True)]
    for older in kinds[1:]:
        parts += [
            f"## In files of {_versions(dialect, older)}",
            _demote_headings(_class_section(dialect, older)),
        ]
    return "\n\n".join(parts) + "\n"


def _dates(dialect: Dialect, type_name: str) -> Iterator[str]:
    """When a type came, and when it went."""
    fact = releases(dialect.name).grader(type_name)
    if fact is not None and fact.since:
        yield f"Since {dialect.name} {fact.since}."


def _class_section(dialect: Dialect, kind: type[Grader], *about: str, is_first: bool = False) -> str:
    """The text of one grader class, with its options before the example. Only the first class of a type has versions."""
    page = kind.page().strip()
    facts = [it for it in about if it]
    if kind.executes:
        facts.append("Runs code or a program that the file names.")
    if taxonomy := [f"{name} {it}" for name, it in kind.taxonomy().items() if not isinstance(it, bool)]:
        facts.append(f"Taxonomy: {', '.join(taxonomy)}.")
    if facts:
        page = page.replace("\n\n", f"\n\n{' '.join(facts)}\n\n", 1)
    schema = config_schema([kind], dialect.name if is_first else "")
    options = f"{_OPTIONS}\n\n{option_tables(schema, dialect.name)}\n\n"
    before, heading, after = page.partition("## Example")
    return f"{before}{options}{heading}{after}" if heading else f"{page}\n\n{options.strip()}"


def _versions(dialect: Dialect, kind: type[Grader]) -> str:
    if not issubclass(kind, OlderGrader):
        return f"older versions of {dialect.name}"
    return " and ".join(_GENERATIONS.get(it, it) for it in sorted(kind.generations))


def _demote_headings(page: str) -> str:
    return re.sub(r"^(#+ )", r"#\1", page, flags=re.MULTILINE)


def _rule_pages() -> dict[str, str]:
    found: dict[str, str] = {}
    rows: list[str] = []
    for rule, module in rules_with_pages():
        found[f"rules/{rule.code}.md"] = _rule_page(rule, module)
        rows.append(f"| [{rule.code}]({rule.code}.md) | {_usual_level(rule)} | {rule.title} |")
    table = "\n".join(["| code | usually | what it is |", "| --- | --- | --- |", *rows])
    return {**found, "rules/README.md": f"# Findings\n\n{table}\n"}


def rules_with_pages() -> Iterator[tuple[Rule, ModuleType]]:
    """Yield every rule by code, with the module whose docstring is its page. A shared module comes before a dialect's."""
    found: dict[str, tuple[Rule, ModuleType]] = {}
    for module in (it for package in rule_packages() for it in rule_modules(package)):
        for thing in vars(module).values():
            if isinstance(thing, Rule) and module.__name__.rpartition(".")[2] == thing.code.replace("-", "_"):
                found.setdefault(thing.code, (thing, module))
    return iter(found[code] for code in sorted(found))


def _rule_page(rule: Rule, module: ModuleType) -> str:
    summary, _, rest = (module.__doc__ or "").strip().partition("\n")
    advice = f" To turn it on, give `{rule.code}` a level in the settings." if rule.opt_in else ""
    return f"# {rule.code}\n\n{summary}\n\nUsually: {_usual_level(rule)}.{advice}\n{rest}\n"


def _usual_level(rule: Rule) -> str:
    return "off" if rule.opt_in else str(rule.severity)


def write(folder: Path) -> None:
    """Write all pages to `folder`, and remove pages of types and rules that no longer exist."""
    pages = all_pages()
    for name, text in pages.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for part in ("graders", "releases", "rules"):
        for path in (folder / part).rglob("*.md"):
            if path.relative_to(folder).as_posix() not in pages:
                path.unlink()


if __name__ == "__main__":
    write(Path(sys.argv[1] if len(sys.argv) > 1 else "docs"))
