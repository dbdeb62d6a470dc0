r"""Checks that the output contains, or does not contain, given strings and patterns.

## What it looks at
The agent's final output, unchanged: nothing is trimmed, line endings are kept.

## Score
Each list item is one check. The score is the share of checks that passed. Two strings to find and one forbidden
pattern make three checks; if one string is missing, the score is 2 / 3 = 0.67, and the grader fails.

## Example
```yaml
type: text
name: says-where
config:
  contains: [deployed to]
  regex_not_match: ['(?i)\btraceback\b']
```

## Watch out
- An invalid pattern is a failed check, also in `regex_not_match`.
- Every output contains the empty string, even an empty output.
- Without any list, the grader passes with score 1.0.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from pydantic import ConfigDict, Field

from waza_engine.graders.base import DraftedGrader, FailedCheck, Grader, GraderResult, GradingContext, Scope
from waza_engine.graders.drafts import common_phrases
from waza_engine.graders.excerpts import match_excerpt, mismatch_excerpt, nearest_line, occurrence
from waza_engine.lib.go.regexp import (
    is_catch_all,
    is_in_any_word,
    regex_error,
    regex_error_span,
    regex_matches,
)
from waza_engine.lib.go.text import fold
from waza_engine.lib.pointer import Pointer
from waza_engine.model.fields import Strings
from waza_engine.model.findings import AppendItem, Change, Finding, Fix, InsertKey, RemoveKey
from waza_engine.model.schema_marks import item_marks
from waza_engine.rules._patterns import regex_fixes
from waza_engine.rules.cannot_fail import CANNOT_FAIL
from waza_engine.rules.contradictory_checks import required_and_forbidden
from waza_engine.rules.invalid_regex import INVALID_REGEX
from waza_engine.rules.non_portable_regex import doubtful_findings
from waza_engine.rules.pattern_as_text import pattern_as_text
from waza_engine.rules.trivial_check import TRIVIAL_CHECK

_MISSING_TEXT = '"{}" not found in the output'
_UNWANTED_TEXT = '"{}" found in the output'
_MISSING_MATCH = 'no match for "{}" in the output'
_UNWANTED_MATCH = 'unwanted match for "{}" in the output'


class TextGrader(Grader):
    type_name = "text"
    model_config = ConfigDict(
        json_schema_extra={
            # The older graders `keyword` and `regex` have other names for these options.
            "x-moved": {
                "keywords": "contains",
                "must_contain": "contains",
                "must_not_contain": "not_contains",
                "must_match": "regex_match",
                "must_not_match": "regex_not_match",
                "pattern": "regex_match",
                "patterns": "regex_match",
                "substring": "contains",
                "substrings": "contains",
                "text": "contains",
                "value": "contains",
                "output_contains": "contains",
                "output_not_contains": "not_contains",
                "regex": "regex_match",
            },
            # Every listed string is required. Of several alternatives, one pattern is.
            "x-alternatives": {
                "match_any": "regex_match",
                "matches_any": "regex_match",
                "regex_match_any": "regex_match",
                "contains_any": "regex_match",
                "contains_one_of": "regex_match",
                "output_contains_any": "regex_match",
                "any_of": "regex_match",
            },
        }
    )

    contains: Strings = Field(
        default=[],
        description="Strings that must appear in the output (case-insensitive).",
        examples=[["deployed to", "resource group"]],
    )
    not_contains: Strings = Field(
        default=[],
        description="Strings that must not appear in the output (case-insensitive).",
        examples=[["error", "traceback"]],
    )
    contains_cs: Strings = Field(
        default=[],
        description="Strings that must appear in the output (case-sensitive).",
        examples=[["README.md"]],
    )
    not_contains_cs: Strings = Field(
        default=[],
        description="Strings that must not appear in the output (case-sensitive).",
        examples=[["TODO"]],
    )
    regex_match: Strings = Field(
        default=[],
        description="RE2 patterns that must match somewhere in the output.",
        examples=[[r"(?i)https?://\S+"]],
        json_schema_extra=item_marks(language="regex", applies_to="output"),
    )
    regex_not_match: Strings = Field(
        default=[],
        description="RE2 patterns that must not match anywhere in the output.",
        examples=[["(?i)traceback"]],
        json_schema_extra=item_marks(language="regex", applies_to="output"),
    )

    @classmethod
    def echoed_checks(cls, config: Mapping[str, Any], prompt: str) -> Iterator[Pointer]:
        texts, folded = config.get("contains"), fold(prompt)
        for index, text in enumerate(texts if isinstance(texts, list) else ()):
            if isinstance(text, str) and text and fold(text) in folded:
                yield ("contains", index)

    @classmethod
    def draft(cls, trials: Sequence[GradingContext]) -> DraftedGrader | None:
        phrases = common_phrases(trials, most=3)
        return (
            DraftedGrader("names-the-essentials", ", ".join(phrases), cls(contains=phrases))
            if phrases
            else None
        )

    def check(self, scope: Scope) -> Iterator[Finding]:
        if not any(items for _, items in self):
            fixes = [Fix(f"Add '{it}'", (InsertKey((), it, None),)) for it in ("contains", "regex_match")]
            yield CANNOT_FAIL.at((), "This grader has no checks, so it always passes", fixes=fixes)
        is_last = sum(len(items) for _, items in self) == 1
        for option, items in self:
            for index, item in enumerate(items):
                if option.startswith("regex"):
                    yield from _pattern_findings(option, item, index, is_last=is_last)
                elif not item:
                    message = f"Every output contains the empty string, so this check {_fate(option)}"
                    yield TRIVIAL_CHECK.at(
                        (option, index), message, fixes=_removal_fixes(option, index, is_last=is_last)
                    )
                else:
                    other = _pattern_option(option)
                    move_fixes = _move_fixes(option, index, item, is_only_item=len(items) == 1)
                    yield from pattern_as_text(item, (option, index), f"'{other}'", move_fixes)
        yield from required_and_forbidden("contains", self.contains, "not_contains", self.not_contains, fold)
        yield from required_and_forbidden(
            "contains_cs", self.contains_cs, "not_contains", self.not_contains, fold
        )
        yield from required_and_forbidden(
            "contains_cs", self.contains_cs, "not_contains_cs", self.not_contains_cs
        )
        yield from required_and_forbidden(
            "regex_match", self.regex_match, "regex_not_match", self.regex_not_match
        )

    def grade(self, context: GradingContext) -> GraderResult:
        output, folded = context.output, fold(context.output)
        checks: list[tuple[str, str, Callable[[str], bool], Callable[[str], str]]] = [
            (
                "contains",
                _MISSING_TEXT,
                lambda text: fold(text) in folded,
                lambda text: nearest_line(text, output),
            ),
            (
                "not_contains",
                _UNWANTED_TEXT,
                lambda text: fold(text) not in folded,
                lambda text: occurrence(text, output, any_case=True),
            ),
            (
                "contains_cs",
                _MISSING_TEXT,
                lambda text: text in output,
                lambda text: nearest_line(text, output),
            ),
            (
                "not_contains_cs",
                _UNWANTED_TEXT,
                lambda text: text not in output,
                lambda text: occurrence(text, output, any_case=False),
            ),
            (
                "regex_match",
                _MISSING_MATCH,
                lambda pattern: bool(regex_matches(pattern, output)),
                lambda pattern: mismatch_excerpt(pattern, output),
            ),
            # regex_matches() is None for an invalid pattern, and that counts as a failure.
            (
                "regex_not_match",
                _UNWANTED_MATCH,
                lambda pattern: regex_matches(pattern, output) is False,
                lambda pattern: match_excerpt(pattern, output),
            ),
        ]
        failures = [
            FailedCheck((option, index), message.format(item), found_in_output(item))
            for option, message, holds, found_in_output in checks
            for index, item in enumerate(getattr(self, option))
            if not holds(item)
        ]
        total = sum(len(getattr(self, option)) for option, *_ in checks)
        return GraderResult.of_checks(total, failures, **self.model_dump())


def _pattern_findings(option: str, pattern: str, index: int, *, is_last: bool) -> Iterator[Finding]:
    if reason := regex_error(pattern):
        yield INVALID_REGEX.at(
            (option, index),
            f"Not a valid RE2 pattern: {reason}",
            part=regex_error_span(pattern),
            fixes=regex_fixes(pattern, (option, index)),
        )
    elif is_catch_all(pattern):
        message = f"This pattern matches every output, so this check {_fate(option)}"
        yield TRIVIAL_CHECK.at((option, index), message, fixes=_removal_fixes(option, index, is_last=is_last))
    elif is_in_any_word(pattern):
        message = f"This pattern matches every output that contains a word, so this check {_fate(option)}"
        yield TRIVIAL_CHECK.at((option, index), message, fixes=_removal_fixes(option, index, is_last=is_last))
    else:
        yield from doubtful_findings(pattern, (option, index), lambda text: regex_error(text) is None)


def _pattern_option(option: str) -> str:
    """Return the option for patterns that corresponds to an option for strings."""
    return "regex_not_match" if "not_" in option else "regex_match"


def _move_fixes(option: str, index: int, text: str, *, is_only_item: bool) -> Iterator[Fix]:
    if regex_error(text) is None:
        other = _pattern_option(option)
        changes: tuple[Change, ...] = (
            AppendItem((other,), text),
            RemoveKey((option,) if is_only_item else (option, index)),
        )
        yield Fix(f"Move it to '{other}'", changes, preferred=True)


def _removal_fixes(option: str, index: int, *, is_last: bool) -> list[Fix]:
    """Return a fix that removes a check, unless it is the grader's last one."""
    return [] if is_last else [Fix("Remove this check", (RemoveKey((option, index)),))]


def _fate(option: str) -> str:
    return "always fails" if "not_" in option else "always passes"
