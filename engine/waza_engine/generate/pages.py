"""Generate `docs/graders`, `docs/rules` and `docs/releases`: a page per grader type, per rule and per dialect.

`python -m waza_engine.generate.pages` writes them to `docs`, and the tables of `docs/formats`. A test checks that they are
current. The option tables come from the grader types' schemas.
"""

import re
import sys
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import ModuleType

from waza_engine.analysis.rules import rule_modules, rule_packages
from waza_engine.audit.codes import RULES as OF_AUDITS
from waza_engine.audit.findings import PACKAGE as AUDIT
from waza_engine.calibration.codes import RULES as OF_JUDGES
from waza_engine.calibration.findings import PACKAGE as CALIBRATION
from waza_engine.coverage.rules.untested_clause import UNTESTED_CLAUSE
from waza_engine.dialects.waza.generations.base import OlderGrader
from waza_engine.generate.format_pages import filled
from waza_engine.generate.release_page import release_pages
from waza_engine.generate.schemas.graders import config_schema, grader_types, is_legacy
from waza_engine.generate.tables import option_tables
from waza_engine.graders.base import Grader
from waza_engine.model.findings import Rule
from waza_engine.recognition.recognise import Dialect, dialects, releases

_GENERATIONS = {
    "PY": "waza's Python version (to 0.3)",
    "G1": "waza's first Go version (to 0.23)",
    "G2": "waza 0.24 to 0.35",
    "G3": "waza 0.36 and later",
    "DOC": "waza's older documentation",
}
_OPTIONS = "## Options"
_COVERAGE = "waza_engine.coverage.rules"
_REPORTED_BY = (
    {UNTESTED_CLAUSE: "coverage"} | dict.fromkeys(OF_AUDITS, "audit") | dict.fromkeys(OF_JUDGES, "judge show")
)
"""The commands that report what `check` does not."""


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
        fixed = "yes" if rule.fixable else ""
        rows.append(f"| [{rule.code}]({rule.code}.md) | {_usual_level(rule)} | {fixed} | {rule.title} |")
    table = "\n".join(["| code | usually | `--fix` | what it is |", "| --- | --- | --- | --- |", *rows])
    about = "`waza-lsp check --fix` repairs clear cases of the findings with a *yes*."
    about += (
        f" `check` does not report what an [audit](../is-my-eval-any-good.md) finds: {_links(OF_AUDITS)};"
    )
    about += f" what is known of [judges](../judges.md): {_links(OF_JUDGES)};"
    about += f" or what the [coverage](../coverage.md) of skills finds: [{UNTESTED_CLAUSE.code}]({UNTESTED_CLAUSE.code}.md)."
    return {**found, "rules/README.md": f"# Findings\n\n{about}\n\n{table}\n"}


def _links(rules: Iterable[Rule]) -> str:
    return ", ".join(f"[{it}]({it}.md)" for it in sorted(rule.code for rule in rules))


def rules_with_pages() -> Iterator[tuple[Rule, ModuleType]]:
    """Yield every rule by code, with the module whose docstring is its page. A shared module comes before a dialect's."""
    found: dict[str, tuple[Rule, ModuleType]] = {}
    for module in (
        it for package in (*rule_packages(), AUDIT, CALIBRATION, _COVERAGE) for it in rule_modules(package)
    ):
        for thing in vars(module).values():
            if isinstance(thing, Rule) and module.__name__.rpartition(".")[2] == thing.code.replace("-", "_"):
                found.setdefault(thing.code, (thing, module))
    return iter(found[code] for code in sorted(found))


def _rule_page(rule: Rule, module: ModuleType) -> str:
    summary, _, rest = (module.__doc__ or "").strip().partition("\n")
    advice = f" To turn it on, give `{rule.code}` a level in the settings." if rule.opt_in else ""
    fixed = "repairs clear cases" if rule.fixable else "leaves it to you"
    command = _REPORTED_BY.get(rule)
    found = f"The editor and `waza-lsp {command}` report it." if command else f"`check --fix` {fixed}."
    facts = f"Usually: {_usual_level(rule)}.{advice} {found}"
    return f"# {rule.code}\n\n{summary}\n\n{facts}\n{rest}\n"


def _usual_level(rule: Rule) -> str:
    return "off" if rule.opt_in else str(rule.severity)


def write(folder: Path) -> None:
    """Write all pages to `folder`, and remove pages of types and rules that no longer exist."""
    pages = all_pages()
    for name, text in pages.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    for path in (folder / "formats").rglob("*.md"):
        name = path.relative_to(folder).with_suffix("").as_posix()
        path.write_text(filled(name, path.read_text(encoding="utf-8")), encoding="utf-8")
    for part in ("graders", "releases", "rules"):
        for path in (folder / part).rglob("*.md"):
            if path.relative_to(folder).as_posix() not in pages:
                path.unlink()


if __name__ == "__main__":
    write(Path(sys.argv[1] if len(sys.argv) > 1 else "docs"))
