"""The dated table of a dialect: its runner's releases, and what each release added, deprecated or refused.

One table per dialect, named by `Dialect.releases`, is the only place with versions. Schemas, findings, completion, hover
and pages take them from there. Plain data, cheap to import: the language server needs it at start.

A fact's place is one of:

- `eval: stimuli[].golden_patch`: a key of a kind of file; `[]` stands for the items of a list, `*` for any key
- `eval: stimuli[].*`: the unknown keys of a mapping
- `eval: config.group_by = tags`: a value; `null`, `""` and `{}` stand for no value, an empty string and a mapping
- `grader max-repeat`, `grader max-repeat.match`, `grader prompt.output_delivery = inline`: a grader type, its options
- `entry diff-contains.turn`: a key beside `config` in entries of one grader type
- `rule bad-thing`, `rule bad-thing *.key`, `rule bad-thing (refused)`: the findings of a rule, or some of them
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from typing import Literal, NamedTuple

Before = Literal["refused", "ignored", "warned", "accepted", "unknown"]
"""What versions before the date of a fact do with its key or value."""
Sure = Literal["read", "read once", "inferred"]
"""How sure a fact is: read in a release's notes or source, on one page only, or concluded. Inferred facts make no error."""


class Release(NamedTuple):
    """A release of the runner. `date` is in ISO format, empty if unknown; `note` sums the release up."""

    version: str
    date: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Fact:
    """What the runner's versions do with one key, value, grader type or mistake.

    since: the version that introduced it.
    deprecated: the version that deprecated it.
    refused_since: the version from which files with it are refused.
    applied_since: the version that first used it; earlier ones read it without effect.
    changed: the version that changed its meaning, as `note` says. There is no finding about it.
    before: what versions before `since` do, or before `refused_since` if there is no `since`.
    source: the section of a page below docs/reference.
    note: a sentence for users: what changed, or what to write instead.
    fix: the mechanical fix of a deprecated or refused place: `remove`, `rename NAME`, `set VALUE`, or
        `drop` if the value means the same as no key. `offer` removes the key only if the author chooses so.
    """

    place: str
    note: str = ""
    since: str = ""
    deprecated: str = ""
    refused_since: str = ""
    applied_since: str = ""
    changed: str = ""
    before: Before = "unknown"
    sure: Sure = "read"
    source: str = ""
    fix: str = ""

    @property
    def subject(self) -> str:
        """The first word of the place, such as `eval:` or `grader`."""
        return self.place.partition(" ")[0]

    @property
    def path(self) -> str:
        """The place without its first word and its value."""
        return self.place.partition(" ")[2].partition(" = ")[0]

    @property
    def value(self) -> str | None:
        """The value that the fact is about; None if it is about a key, a type or a rule."""
        _, found, value = self.place.partition(" = ")
        return value if found else None

    @property
    def versions(self) -> tuple[str, ...]:
        """All versions at which something changes."""
        named = (self.since, self.applied_since, self.changed, self.deprecated, self.refused_since)
        return tuple(it for it in named if it)


def at_each(places: Iterable[str], fact: Fact) -> tuple[Fact, ...]:
    """Return the fact for several starts of its place: `eval: stimuli[].` and the like."""
    return tuple(replace(fact, place=f"{it}{fact.place}") for it in places)


@dataclass(frozen=True)
class Releases:
    """The releases of a dialect's runner, oldest first, and the facts about them.

    `unknown_keys` says what versions from each one on do with keys that they do not know.
    """

    releases: tuple[Release, ...] = ()
    facts: tuple[Fact, ...] = ()
    unknown_keys: tuple[tuple[str, Before], ...] = field(default=(("0", "ignored"),))

    @property
    def newest(self) -> str:
        """The newest known version; empty if the table is empty."""
        return self.releases[-1].version if self.releases else ""

    def target(self, wanted: str) -> str:
        """Return the version to check against: the wanted one, by default the newest."""
        return wanted or self.newest

    @property
    def tolerated_since(self) -> str:
        """The version that began to tolerate unknown keys after earlier ones refused them; empty if there is none."""
        was_refused = False
        for version, does in self.unknown_keys:
            if was_refused and does != "refused":
                return version
            was_refused = does == "refused"
        return ""

    @cached_property
    def _by_subject(self) -> dict[str, tuple[Fact, ...]]:
        found: dict[str, list[Fact]] = {}
        for it in self.facts:
            found.setdefault(it.subject, []).append(it)
        return {name: tuple(it) for name, it in found.items()}

    def about(self, subject: str) -> tuple[Fact, ...]:
        """Return the facts whose places begin with this word: `eval:`, `grader`, `entry` or `rule`."""
        return self._by_subject.get(subject, ())

    def grader(self, type_name: str) -> Fact | None:
        """Return the fact about a grader type as a whole."""
        return next((it for it in self.about("grader") if it.path == type_name and it.value is None), None)

    def before(self, fact: Fact, target: str) -> Before:
        """Return what an older version does with a place that it does not know yet."""
        if fact.before != "unknown" or fact.value is not None:
            return fact.before
        if fact.subject == "grader" and "." not in fact.path:
            return "refused"
        return [does for version, does in self.unknown_keys if not is_newer(version, target)][-1]


def is_newer(version: str, target: str) -> bool:
    """Whether a version is newer than `target`; parts that `target` omits count as 0."""
    return _numbers(version) > (*_numbers(target), *[0] * (len(_numbers(version)) - len(_numbers(target))))


@cache
def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(it) for it in version.split("."))
