"""Find the known names that a misspelt word may stand for.

`nearest` is for names that authors choose, such as files and skills: it offers whatever looks similar. `likely_names` is
for names of a format. It offers a name only for a slip, another order of the words, an abbreviation or a unit more or less.
Neither offers the opposite: a suggestion of `output-not-contains` for `output_contains` would turn a check around.
"""

import contextlib
import difflib
import re
from collections.abc import Collection
from functools import lru_cache
from pathlib import Path

_LONG_ENOUGH = 4
_LONGEST = 100
"""Names of a format are shorter. Without this bound, a long key would cost as much as the rest of the file."""
_CLOSE = 0.66
_MANY_FILES = 200
"""How many files of a folder are compared with a misspelt name, 0.2 ms each."""
_LIKELY = 0.85
_PREFIX = 0.9
_REORDERED = 0.95
_ABBREVIATED = 0.8
_EXTENDED = 0.7
_HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")

_NEGATIONS = frozenset(["not", "no", "non", "never", "without", "dont", "cannot"])
_OPPOSITES = (
    ("all every each", "any some either one"),
    ("min minimum least lower", "max maximum most upper"),
    ("include includes included including inclusive", "exclude excludes excluded excluding exclusive"),
    (
        "allow allowed allows permit permitted",
        "deny denied denies block blocked forbid forbidden disallow disallowed",
    ),
    (
        "required require requires expect expected",
        "forbid forbidden disallow disallowed reject rejected prohibited",
    ),
    ("before pre", "after post"),
    ("lt lte less below under", "gt gte greater more above over"),
    ("enable enabled enables", "disable disabled disables"),
    ("true yes on", "false no off"),
    ("pass passed passes success", "fail failed fails failure"),
    ("first start begin begins starts", "last end ends"),
    ("input inputs request", "output outputs response"),
    ("read", "write"),
    ("add added insert", "remove removed delete deleted"),
    ("increase increases", "decrease decreases"),
    ("positive", "negative"),
)
"""Words that turn the meaning of a name around. A word may be in several rows."""

_UNITS = frozenset(
    [
        "s",
        "sec",
        "secs",
        "second",
        "seconds",
        "ms",
        "millis",
        "milliseconds",
        "count",
        "number",
        "num",
        "total",
        "name",
        "names",
        "id",
        "list",
        "set",
        "map",
        "file",
        "files",
        "path",
        "paths",
        "dir",
        "dirs",
        "directory",
        "directories",
        "text",
        "texts",
        "string",
        "value",
        "values",
        "type",
        "config",
        "options",
    ]
)
"""Words that say how a value is written, not what it is: `timeout` and `timeout_seconds`."""


def nearest(word: str, known: Collection[str], *, most: int = 3) -> list[str]:
    """Return at most `most` names similar to the word, best first."""
    return list(_nearest(word, tuple(known))[:most])


def did_you_mean_file(path: Path) -> str:
    """Return a sentence with similar file names beside a missing file, or ""."""
    with contextlib.suppress(OSError):
        beside = sorted(
            it.name for it in path.parent.iterdir() if it.suffix in {path.suffix, ".yaml", ".yml"}
        )
        if close := nearest(path.name, beside[:_MANY_FILES], most=1):
            return f". Did you mean '{close[0]}'?"
    return ""


def likely_names(word: str, known: Collection[str], *, most: int = 3) -> list[str]:
    """Return at most `most` names of a format that the author probably meant, best first."""
    return list(_likely_names(word, tuple(known))[:most])


@lru_cache(maxsize=256)  # The same misspelt word often occurs many times in a file.
def _nearest(word: str, known: tuple[str, ...]) -> tuple[str, ...]:
    normal = _normalize(word)
    scored = [(_similarity(normal, _normalize(name)), name) for name in known]
    close = sorted((-score, name) for score, name in scored if score >= _CLOSE)
    return _without_opposites(word, [name for _, name in close])


@lru_cache(maxsize=256)
def _likely_names(word: str, known: tuple[str, ...]) -> tuple[str, ...]:
    if len(word) > _LONGEST:
        return ()
    normal = _normalize(word)
    scored = [(_likeness(normal, _normalize(name)), name) for name in known]
    close = sorted((-score, name) for score, name in scored if score)
    same = [name for score, name in close if score == -1]
    return _without_opposites(word, same or [name for _, name in close])


def _without_opposites(word: str, names: list[str]) -> tuple[str, ...]:
    """Return the names without the opposites of the word, and of each pair of opposites only the better one."""
    kept: list[str] = []
    for it in names:
        if not is_opposite(word, it) and not any(is_opposite(it, other) for other in kept):
            kept.append(it)
    return tuple(kept)


@lru_cache(maxsize=1024)
def is_opposite(word: str, name: str) -> bool:
    """Whether one of the two says the opposite of the other: only one has a negation, or they have opposite words."""
    one, other = _words(word), _words(name)
    mine, theirs = one - other, other - one
    if any(_has(mine, left) and _has(theirs, right) for left, right in _SIDES):
        return True
    if is_typo(word, name):
        return False  # "notcontains" is "not_contains" without its separator.
    return _is_negated(mine) != _is_negated(theirs) or _is_turned(word, name) or _is_turned(name, word)


def _is_turned(word: str, name: str) -> bool:
    """Whether a negation less, or an opposite word, makes the word the name. Words may be written without separators."""
    glued = _normalize(word).replace("_", "")
    turned = [glued.replace(it, "", 1) for it in _LONG_NEGATIONS if it in glued]
    turned += [glued.replace(it, its, 1) for it, its in _LONG_OPPOSITES if it in glued]
    return any(is_typo(it, name) for it in turned)


_SIDES = [
    (frozenset(one.split()), frozenset(other.split()))
    for left, right in _OPPOSITES
    for one, other in ((left, right), (right, left))
]
_LONG_NEGATIONS = [it for it in _NEGATIONS if len(it) > 2]
_LONG_OPPOSITES = [
    (one, other) for left, right in _SIDES for one in left for other in right if min(len(one), len(other)) > 2
]
"""Without separators, shorter words are found by chance: "on" in "contains"."""


def _words(text: str) -> frozenset[str]:
    return frozenset(it for it in re.split(r"[\W_]+", _normalize(text)) if it)


def _is_negated(words: Collection[str]) -> bool:
    return sum(it in _NEGATIONS or _is_almost_not(it) or is_typo(it, "without") for it in words) % 2 == 1


def _is_almost_not(word: str) -> bool:
    single = re.sub(r"(.)\1", r"\1", word)
    return 1 < len(single) < 4 and _slips(single, "not") < 2


def _has(words: Collection[str], side: Collection[str]) -> bool:
    return any(it in side or _is_slip_of(it, side) for it in words)


def _is_slip_of(word: str, names: Collection[str]) -> bool:
    """Whether a word is one of the names with an "s" or its letters in another order, or a longer one with any slip."""
    return any(
        is_typo(word, it) if len(it) >= _LONG_ENOUGH else word == f"{it}s" or sorted(word) == sorted(it)
        for it in names
    )


def is_same_name(word: str, name: str) -> bool:
    """Whether two names differ only in case, hyphens and underscores."""
    return _normalize(word).replace("_", "") == _normalize(name).replace("_", "")


def is_typo(word: str, name: str) -> bool:
    """Whether one extra, missing, wrong or swapped letter turns the name into the word, or nothing at all.

    Case, hyphens and underscores are ignored. Short words are too uncertain and never count.
    """
    one, other = _normalize(word), _normalize(name)
    if is_same_name(word, name):
        return True
    if min(len(one), len(other)) < _LONG_ENOUGH or abs(len(one) - len(other)) > 1:
        return False
    start = next(
        (i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other))
    )
    left, right = one[start:], other[start:]
    return left[1:] == right or left == right[1:] or left[1:] == right[1:] or _is_swapped(left, right)


def is_likely_typo(word: str, known: Collection[str]) -> bool:
    """Whether a word that may be correct is more likely a misspelling of a known name."""
    return len(word) <= _LONGEST and any(_is_likely_typo_of(word, it) for it in known)


@lru_cache(maxsize=4096)
def _is_likely_typo_of(word: str, name: str) -> bool:
    is_near = is_typo(word, name) or _is_near(
        difflib.SequenceMatcher(None, _normalize(word), _normalize(name)), _LIKELY
    )
    return is_near and not is_opposite(word, name)


def _is_near(matcher: difflib.SequenceMatcher[str], least: float) -> bool:
    """Whether the ratio of two words is high enough. Most are far off, which two upper bounds show at much less cost."""
    return matcher.real_quick_ratio() >= least and matcher.quick_ratio() >= least and matcher.ratio() >= least


def _is_swapped(left: str, right: str) -> bool:
    return len(left) > 1 and left[:2] == right[:2][::-1] and left[2:] == right[2:]


def _normalize(word: str) -> str:
    """Return a word in snake case: `expectedExitCode` and `expected-exit-code` are `expected_exit_code`."""
    return _HUMP.sub("_", word).lower().replace("-", "_")


def _similarity(one: str, other: str) -> float:
    if one == other:
        return 1.0
    matcher = difflib.SequenceMatcher(None, one, other)
    if min(len(one), len(other)) >= _LONG_ENOUGH and (one.startswith(other) or other.startswith(one)):
        return (
            _PREFIX + matcher.ratio() / 10_000
        )  # Among several common prefixes the nearest name comes first.
    if min(len(one), len(other)) >= _LONG_ENOUGH and (one in other or other in one):
        return 0.0  # Inside another word it is a word of its own: "script" in "description".
    return matcher.ratio() if _is_near(matcher, _CLOSE) else 0.0


def _likeness(word: str, name: str) -> float:
    """Return how likely two normalised names are the same one: 1 if they only differ in separators, 0 if unlikely."""
    glued, other = word.replace("_", ""), name.replace("_", "")
    if glued == other:
        return 1.0
    most = _allowed_slips(max(len(glued), len(other)))
    if abs(len(glued) - len(other)) <= most and (slips := _slips(glued, other)) <= most:
        return 1 - slips / max(len(glued), len(other))
    mine, theirs = word.split("_"), name.split("_")
    if sorted(mine) == sorted(theirs):
        return _REORDERED
    if len(mine) == len(theirs) and all(map(_is_same_word, mine, theirs)):
        return _ABBREVIATED
    bare, bare_name = ([it for it in words if it not in _UNITS] for words in (mine, theirs))
    is_same = bool(bare) and len(bare) == len(bare_name) and all(map(_is_same_word, bare, bare_name))
    return _EXTENDED if is_same and not _extra(mine, theirs) else 0.0


def _is_same_word(one: str, other: str) -> bool:
    """Whether two words are equal, one is a slip of the other, or an abbreviation of it."""
    short, long = sorted((one, other), key=len)
    return one == other or is_typo(one, other) or (len(short) >= _LONG_ENOUGH and long.startswith(short))


def _extra(mine: list[str], theirs: list[str]) -> bool:
    """Whether both have a unit that the other lacks: `timeout_ms` is not `timeout_seconds`."""
    left, right = set(mine) & _UNITS, set(theirs) & _UNITS
    return bool(left - right) and bool(right - left)


def _allowed_slips(length: int) -> int:
    return 0 if length < _LONG_ENOUGH else 1 if length < 6 else 2 if length < 12 else 3


def _slips(one: str, other: str) -> int:
    """Return the number of letters to add, remove, change or swap with their neighbour."""
    before: list[int] = []
    last = list(range(len(other) + 1))
    for row, letter in enumerate(one, 1):
        line = [row]
        for column, its in enumerate(other, 1):
            cost = min(last[column] + 1, line[-1] + 1, last[column - 1] + (letter != its))
            is_swap = row > 1 and column > 1 and letter == other[column - 2] and one[row - 2] == its
            line.append(min(cost, before[column - 2] + 1) if is_swap else cost)
        before, last = last, line
    return last[-1]
