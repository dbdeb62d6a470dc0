"""Checks of JavaScript patterns in grader configs, and excerpts of what they match.

See docs/reference/vally.md, section 7.1.
"""

import re
from collections.abc import Iterator
from typing import Any

from waza_engine.dialects.vally.fields import has_placeholder
from waza_engine.graders.excerpts import excerpt_at
from waza_engine.lib.go.regexp import UNRELATED_TEXTS
from waza_engine.lib.js_regex import TooSlowError, js_error, js_matches, js_notes, js_span
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Finding, Fix, SetValue
from waza_engine.model.schema_marks import marks
from waza_engine.rules.invalid_regex import INVALID_REGEX
from waza_engine.rules.non_portable_regex import NON_PORTABLE_REGEX, doubtful_findings
from waza_engine.rules.trivial_check import TRIVIAL_CHECK


def pattern_marks() -> dict[str, Any]:
    """Return the schema keywords of an option that holds a pattern."""
    return marks(language="regex-js")


def pattern_refusals(pattern: str, pointer: Pointer) -> Iterator[Finding]:
    """Yield the error of an invalid pattern at `pointer`; it prevents a run."""
    if not has_placeholder(pattern) and (problem := js_error(pattern)):
        message = f"Not a valid JavaScript pattern: {problem.message} (at character {problem.position + 1})"
        at = min(problem.position, len(pattern) - 1)
        yield INVALID_REGEX.at(
            pointer, message, fixes=_group_fixes(pattern, pointer), refused=True, part=(at, at + 1)
        )


def pattern_findings(pattern: str, pointer: Pointer, fate: str = "") -> Iterator[Finding]:
    """Yield remarks on a valid pattern. `fate` is the result of a check whose pattern always matches."""
    if has_placeholder(pattern) or js_error(pattern):
        return
    for note in js_notes(pattern):
        yield NON_PORTABLE_REGEX.at(
            pointer,
            f"{note.message} (at character {note.start + 1})",
            fixes=_anchor_fixes(pattern, note.start, pointer),
            part=(note.start, note.end),
        )
    yield from doubtful_findings(pattern, pointer, lambda it: js_error(it) is None)
    if fate and _matches_everything(pattern):
        yield TRIVIAL_CHECK.at(pointer, f"Matches every text, so this check {fate}")


def _matches_everything(pattern: str) -> bool:
    try:
        return all(js_matches(pattern, it) for it in UNRELATED_TEXTS)
    except TooSlowError:
        return False


_INNER_FLAGS = re.compile(r"(?<!\\)\(\?([ims]+)\)")


def _flag_fixes(pattern: str, pointer: Pointer) -> Iterator[Fix]:
    """Move flags from inside a pattern to its start, where they apply to all of it."""
    flags = "".join(dict.fromkeys("".join(_INNER_FLAGS.findall(pattern))))
    fixed = f"(?{flags}){_INNER_FLAGS.sub('', pattern)}"
    if flags and js_error(fixed) is None:
        yield Fix(f"Move (?{flags}) to the start", (SetValue(pointer, fixed),), preferred=True)


def _group_fixes(pattern: str, pointer: Pointer) -> Iterator[Fix]:
    yield from _flag_fixes(pattern, pointer)
    if "(?P<" in pattern or "(?P=" in pattern:
        fixed = pattern.replace("(?P<", "(?<")
        while "(?P=" in fixed:
            before, _, rest = fixed.partition("(?P=")
            name, _, after = rest.partition(")")
            fixed = rf"{before}\k<{name}>{after}"
        if js_error(fixed) is None:
            yield Fix("Use JavaScript syntax for named groups", (SetValue(pointer, fixed),), preferred=True)


def _anchor_fixes(pattern: str, at: int, pointer: Pointer) -> Iterator[Fix]:
    anchor = {"\\A": "^", "\\Z": "$", "\\z": "$"}.get(pattern[at : at + 2])
    if anchor:
        fixed = f"{pattern[:at]}{anchor}{pattern[at + 2 :]}"
        yield Fix(f"Change to {anchor}", (SetValue(pointer, fixed),), preferred=True)


def match_in(pattern: str, text: str) -> str:
    """Return an excerpt around the first match."""
    span = js_span(pattern, text)
    return excerpt_at(text, *span) if span else ""
