"""Writes `docs/graders` and `docs/rules`: one page per grader type and per rule, from their files.

`python -m waza_engine.docs_pages` writes them below `docs`; a test compares.
"""

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import ModuleType

from waza_engine.checking.registry import modules_in, packages
from waza_engine.dialects.waza.generations.base import OlderGrader
from waza_engine.docs_options import option_tables
from waza_engine.findings import Rule
from waza_engine.formats import Dialect, dialects
from waza_engine.graders.base import Grader
from waza_engine.schemas_graders import config_schema, grader_types, is_legacy

_GENERATIONS = {
    "PY": "waza's Python version (to 0.3)",
    "G1": "waza's first Go version (to 0.23)",
    "G2": "waza 0.24 to 0.35",
    "G3": "waza 0.36 and later",
    "DOC": "waza's older documentation",
}
_OPTIONS = "## Options"


def pages() -> dict[str, str]:
    """All pages by their path below `docs`."""
    found: dict[str, str] = {}
    for it in dialects():
        found |= _grader_pages(it)
    return found | _rule_pages()


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
    parts = [f"# {name}", _meaning(dialect, kinds[0], first)]
    for older in kinds[1:]:
        parts += [f"## In files of {_versions(dialect, older)}", _demoted(_meaning(dialect, older))]
    return "\n\n".join(parts) + "\n"


def _meaning(dialect: Dialect, kind: type[Grader], fact: str = "") -> str:
    """The page of one grader class with its options, which come before the example."""
    page = kind.page().strip()
    facts = [fact] if fact else []
    if kind.since:
        facts.append(f"Since {dialect.name} {kind.since}.")
    if kind.executes:
        facts.append("Runs code or a program that the file names.")
    if told := [f"{name} {it}" for name, it in kind.taxonomy().items() if not isinstance(it, bool)]:
        facts.append(f"Taxonomy: {', '.join(told)}.")
    if facts:
        page = page.replace("\n\n", f"\n\n{' '.join(facts)}\n\n", 1)
    options = f"{_OPTIONS}\n\n{option_tables(config_schema([kind]), dialect.name)}\n\n"
    before, heading, after = page.partition("## Example")
    return f"{before}{options}{heading}{after}" if heading else f"{page}\n\n{options.strip()}"


def _versions(dialect: Dialect, kind: type[Grader]) -> str:
    if not issubclass(kind, OlderGrader):
        return f"older versions of {dialect.name}"
    return " and ".join(_GENERATIONS.get(it, it) for it in sorted(kind.generations))


def _demoted(page: str) -> str:
    return re.sub(r"^(#+ )", r"#\1", page, flags=re.MULTILINE)


def _rule_pages() -> dict[str, str]:
    found: dict[str, str] = {}
    rows: list[str] = []
    for rule, module in rules_with_pages():
        found[f"rules/{rule.code}.md"] = _rule_page(rule, module)
        rows.append(f"| [{rule.code}]({rule.code}.md) | {rule.severity} | {rule.title} |")
    table = "\n".join(["| code | usually | what it is |", "| --- | --- | --- |", *rows])
    return {**found, "rules/README.md": f"# Findings\n\n{table}\n"}


def rules_with_pages() -> Iterator[tuple[Rule, ModuleType]]:
    """Every rule, by code, with the module whose docstring is its page: the shared one where dialects have some, too."""
    found: dict[str, tuple[Rule, ModuleType]] = {}
    for module in (it for package in packages() for it in modules_in(package)):
        for thing in vars(module).values():
            if isinstance(thing, Rule) and module.__name__.rpartition(".")[2] == thing.code.replace("-", "_"):
                found.setdefault(thing.code, (thing, module))
    return iter(found[code] for code in sorted(found))


def _rule_page(rule: Rule, module: ModuleType) -> str:
    summary, _, rest = (module.__doc__ or "").strip().partition("\n")
    return f"# {rule.code}\n\n{summary}\n\nUsually: {rule.severity}.\n{rest}\n"


def write(folder: Path) -> None:
    """Write all pages below `folder`, and remove generated pages of what no longer exists."""
    made = pages()
    for name, text in made.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for part in ("graders", "rules"):
        for path in (folder / part).rglob("*.md"):
            if path.relative_to(folder).as_posix() not in made:
                path.unlink()


if __name__ == "__main__":
    write(Path(sys.argv[1] if len(sys.argv) > 1 else "docs"))
