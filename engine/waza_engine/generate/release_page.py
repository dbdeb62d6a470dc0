"""Generate `docs/releases`: one page per dialect that lists what each release of its runner changed.

The pages come from the dated tables alone, so a new release needs only its rows there.
"""

from collections.abc import Iterator

from waza_engine.recognition.recognise import Dialect, releases
from waza_engine.recognition.releases import Fact, Release, Releases

_CHANGES = {
    "since": "new",
    "applied_since": "used for the first time",
    "changed": "changed",
    "deprecated": "deprecated",
    "refused_since": "refused",
}
"""The words for each date of a fact, in the order of the table."""
_OLDER = {
    "refused": "refuse it",
    "ignored": "ignore it",
    "warned": "warn and ignore it",
    "accepted": "accept it",
    "unknown": "",
}
_VALUES = {"null": "without a value", '""': "with an empty string", "{}": "as a mapping"}
_MOST_PLACES = 2


def release_pages(dialect: Dialect) -> dict[str, str]:
    """Return the page of a dialect by its path below `docs`; none if the dialect has no table."""
    table = releases(dialect.name)
    if not table.releases:
        return {}
    parts = [
        f"# What each version of {dialect.name} changed",
        "From the dated table of waza-lsp, the newest release first. Releases that changed nothing in files are left out. "
        '"Probably" marks what the release notes do not say in so many words; it never leads to an error. The findings: '
        "[newer-than-target](../rules/newer-than-target.md), [removed-form](../rules/removed-form.md).",
    ]
    for release in reversed(table.releases):
        if rows := list(_rows(release, table)):
            date = f" ({release.date})" if release.date else ""
            header = "| change | what | older versions | note |\n| --- | --- | --- | --- |"
            parts += [f"## {release.version}{date}", "\n".join([header, *rows])]
    return {f"releases/{dialect.name}.md": "\n\n".join(parts) + "\n"}


def _rows(release: Release, table: Releases) -> Iterator[str]:
    """Yield one row per change; places with the same change share one."""
    versions = [it.version for it in table.releases]
    before = versions[max(0, versions.index(release.version) - 1)]
    for name, word in _CHANGES.items():
        same: dict[tuple[str, ...], list[Fact]] = {}
        for fact in table.facts:
            if _full(getattr(fact, name)) == release.version:
                same.setdefault(_identity(fact), []).append(fact)
        for facts in same.values():
            fact = facts[0]
            change = f"probably {word}" if fact.sure == "inferred" else word
            places = [_place_words(it) for it in facts]
            what = ", ".join(places[:_MOST_PLACES])
            if more := len(places) - _MOST_PLACES:
                what += f" and {more} more places" if more > 1 else ", " + places[-1] if more == 1 else ""
            # Older versions do what the fact says up to its first date; a deprecated form worked as before.
            dated = [it for it in ("since", "refused_since") if getattr(fact, it)]
            older = _OLDER[table.before(fact, before)] if dated[:1] == [name] else ""
            note = fact.note if name != "since" or not (fact.refused_since or fact.changed) else ""
            yield f"| {change} | {what} | {older} | {note} |".replace("|  |", "| |")


def _identity(fact: Fact) -> tuple[str, ...]:
    last = fact.path.rpartition(".")[2] if fact.subject != "rule" else fact.path
    return (
        fact.subject,
        last if "." in fact.path else fact.path,
        fact.value or "",
        fact.note,
        fact.before,
        fact.sure,
    )


def _full(version: str) -> str:
    """Return a version with three parts, as releases have it."""
    return f"{version}.0" if version.count(".") == 1 else version


def _place_words(fact: Fact) -> str:
    path, value = fact.path, fact.value
    type_name, _, rest = path.partition(".")
    match fact.subject:
        case "rule":
            code, _, which = path.partition(" ")
            return f"[{code}](../rules/{code}.md)" + (
                f" at `{which}`" if which and which != "(refused)" else ""
            )
        case "entry":
            return f"`{rest}` beside `config` of `{type_name}`"
        case "grader":
            name = f"`{rest}` of `{type_name}`" if rest else f"grader type `{type_name}`"
        case kind:
            is_open = path.endswith(".*")
            name = f"unknown keys of `{path.removesuffix('.*')}`" if is_open else f"`{path}`"
            name += f" ({kind.removesuffix(':')})"
    if value is None:
        return name
    return f"{name} {_VALUES.get(value, f'with `{value}`')}"
