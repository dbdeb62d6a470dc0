"""Fill in the tables of `docs/formats`: the keys of each kind of file, from the models.

The pages are written by hand. Between the comments `<!-- keys -->` and `<!-- end of keys -->` the tables are generated.
"""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import PurePosixPath

from waza_engine.analysis.schema.navigate import DISCRIMINATOR
from waza_engine.analysis.schema.tolerance import Schema
from waza_engine.generate.schemas.export import file_schemas
from waza_engine.generate.schemas.manual import Manual, Section, resolved
from waza_engine.generate.tables import in_cell, kind_words, meaning
from waza_engine.recognition.recognise import Dialect, dialects

_REGION = re.compile(r"(<!-- keys -->\n).*?(<!-- end of keys -->)", re.DOTALL)


def filled(name: str, text: str) -> str:
    """Return the text of a page with current tables; `name` is its path below `docs`, without the suffix."""
    tables = _all_tables().get(name, "")
    return _REGION.sub(lambda it: f"{it[1]}\n{tables}\n\n{it[2]}", text)


@cache
def _all_tables() -> dict[str, str]:
    found: dict[str, str] = {}
    for dialect in dialects():
        manual = Manual(dialect, file_schemas(dialect))
        for page, sections in manual.pages.items():
            found[page] = "\n\n".join(text for it in sections for text in _section(it, dialect, manual))
    return found


def page_names() -> list[str]:
    """Return the pages that describe a mapping of a file, as paths below `docs` without the suffix."""
    return sorted(_all_tables())


def _section(section: Section, dialect: Dialect, manual: Manual) -> Iterator[str]:
    first, *more = section.places
    yield f"## In `{_shown(first)}`" if first else "## At the top"
    if first and (about := section.schema.get("description", "")):
        yield about
    if more:
        yield f"The same keys are in {_listed(more)}."
    if section.base is not None:
        link = _link(section.base.page, section.page, "")
        yield f"All keys of [{PurePosixPath(section.base.page).name}]({link}) can be given, and:"
    rows = ["| key | value | default | meaning |", "| --- | --- | --- | --- |"]
    for key, option in section.keys.items():
        needed = key in section.schema.get("required", ())
        default = (
            "required" if needed else f"`{json.dumps(option['default'])}`" if "default" in option else ""
        )
        cells = [
            f'<a id="{section.anchor(key)}"></a>`{key}`',
            _value(key, option, section, manual),
            default,
            _about(option, key, section, dialect),
        ]
        rows.append("| " + " | ".join(in_cell(it) for it in cells) + " |")
    yield "\n".join(rows)


def _shown(path: str) -> str:
    return path.replace(".*", ".<name>")


def _listed(places: list[str]) -> str:
    return ", ".join(f"`{_shown(it)}`" for it in places)


def _value(key: str, option: Schema, section: Section, manual: Manual) -> str:
    """Return the kind of value, with a link to the section about its keys."""
    if section.schema.get(DISCRIMINATOR) == key:
        return "grader type"
    words = kind_words(option, section.root.get("$defs", {}))
    target = next(
        (it for part in _parts(option, section.root) if (it := manual.section_of(part)) is not None), None
    )
    if target is None:
        return words
    heading = "" if not target.places[0] else "#" + _slug(f"In {_shown(target.places[0])}")
    link = heading if target.page == section.page else _link(target.page, section.page, heading)
    return f"[{words}]({link or '#at-the-top'})"


def _parts(option: Schema, root: Schema) -> Iterator[Schema]:
    """Yield the mappings that a value, its items or its members may be."""
    whole = resolved(root, option)
    yield whole
    for keyword in ("items", "additionalProperties"):
        if isinstance(it := whole.get(keyword), dict):
            yield from _parts(it, root)


def _link(page: str, from_page: str, heading: str) -> str:
    up = "../" * (len(PurePosixPath(from_page).parts) - len(PurePosixPath(page).parts))
    target = PurePosixPath(page)
    same = PurePosixPath(from_page).parent == target.parent
    return f"{target.name if same else up + target.name}.md{heading}"


def _slug(heading: str) -> str:
    return re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")


def _about(option: Schema, key: str, section: Section, dialect: Dialect) -> str:
    """Return the meaning of a key; grader types and their options have pages of their own."""
    folder = "../" * (len(PurePosixPath(section.page).parts) - 1)
    graders = f"[types of graders]({folder}graders/{dialect.schema_folder}README.md)"
    if section.schema.get(DISCRIMINATOR) == key:
        return f"{option.get('description', '')} See the {graders}."
    text = meaning(resolved(section.root, option), dialect.name)
    if instead := option.get("x-use-instead"):
        text += f" Old: use {f'`{instead}`' if ' ' not in instead else instead}."
    elif option.get("deprecated"):
        text += " Old."
    return f"{text} See the {graders}." if DISCRIMINATOR in section.schema and key == "config" else text
