"""Base classes of `output-contains`, `output-matches` and their `-not-` twins.

See docs/reference/vally.md, section 7.1.
"""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar

from pydantic import Field

from waza_engine.dialects.vally.fields import Flag, Text, has_placeholder
from waza_engine.dialects.vally.graders._shared.base import VallyGrader
from waza_engine.dialects.vally.graders._shared.patterns import (
    match_in,
    pattern_findings,
    pattern_marks,
    pattern_refusals,
)
from waza_engine.graders.base import FailedCheck, GraderResult, GradingContext, Scope
from waza_engine.graders.excerpts import nearest_line, nearest_to_pattern, occurrence
from waza_engine.lib.js_regex import TooSlowError, js_matches
from waza_engine.lib.pointer import Pointer
from waza_engine.model.fields import IfGiven
from waza_engine.model.findings import Finding
from waza_engine.model.results.evidence import Place, TextName
from waza_engine.rules.pattern_as_text import pattern_as_text
from waza_engine.rules.trivial_check import TRIVIAL_CHECK


class Negatable(VallyGrader):
    """A check that its type or `negate` can invert; `negate` takes precedence."""

    negated_by_type: ClassVar[bool] = False

    negate: IfGiven[Flag] = Field(
        default=None,
        description="Inverts the check. Default: true for types with `-not-` in their name, otherwise false.",
        examples=[True],
    )

    @property
    def negated(self) -> bool:
        """Whether a match is a failure."""
        return self.negated_by_type if self.negate is None else self.negate

    @property
    def fate(self) -> str:
        """The result of the check if everything matches."""
        return "always fails" if self.negated else "always passes"


class _MessageCheck(Negatable):
    """A check of the agent's messages."""

    text_name: ClassVar[TextName] = "output"

    @classmethod
    def texts_of(cls, context: GradingContext) -> list[str]:
        """Return the texts to check, of which any may match: the agent's last message."""
        return [context.output]

    def _no_message(self, texts: list[str], details: dict[str, Any]) -> GraderResult | None:
        """Return the verdict on an agent without a message, which no negated check accepts."""
        if texts or not self.negated:
            return None
        feedback = f"The {self.text_name} has no message of the agent"
        return GraderResult.failed(feedback, details, (FailedCheck((), feedback),))


class OutputContains(_MessageCheck):
    """Looks for a string in the output."""

    at_least_one = ("substring", "value")

    substring: IfGiven[Text] = Field(
        default=None,
        description="String to find in the text.",
        examples=["resource group"],
    )
    value: IfGiven[Text] = Field(
        default=None,
        description="Alias of `substring`.",
        examples=["resource group"],
        json_schema_extra={"x-alias-of": "substring"},
    )
    case_sensitive: IfGiven[Flag] = Field(
        default=None,
        description="Whether the comparison is case-sensitive. Default: false.",
        examples=[True],
        json_schema_extra={"x-shown-default": False},
    )

    @classmethod
    def echoed_checks(cls, config: Mapping[str, object], prompt: str) -> Iterator[Pointer]:
        for option in ("substring", "value"):
            text = config.get(option)
            negate = config.get("negate")
            negated = negate if isinstance(negate, bool) else cls.negated_by_type
            if isinstance(text, str) and text and not negated and text.lower() in prompt.lower():
                yield (option,)

    def check(self, scope: Scope) -> Iterator[Finding]:
        if self.expected_text == "" and not has_placeholder(self.expected_text):
            yield TRIVIAL_CHECK.at(
                (self._option,),
                f"Every {self.text_name} contains the empty string, so this check {self.fate}",
            )
        twin = self.type_name.replace("contains", "matches")
        yield from pattern_as_text(self.expected_text, (self._option,), f"'{twin}'")

    def grade(self, context: GradingContext) -> GraderResult:
        text, texts = self.expected_text, self.texts_of(context)
        exact = bool(self.case_sensitive)
        details = {"substring": text, "case_sensitive": exact, "negate": self.negated}
        if failed := self._no_message(texts, details):
            return failed
        matching = next((it for it in texts if (text in it if exact else text.lower() in it.lower())), None)
        found, output = matching is not None, "\n".join(texts) if matching is None else matching
        feedback = f"The {self.text_name} {'contains' if found else 'does not contain'} '{text}'"
        if found is not self.negated:
            return GraderResult(1.0, True, feedback, details)
        excerpt = occurrence(text, output, any_case=not exact) if found else nearest_line(text, output)
        wanted = f"{'no ' if found else ''}substring: {text}"
        message = f"{'found' if found else 'missing'}: {text}"
        part = FailedCheck((self._option,), message, excerpt, wanted=wanted, place=Place(self.text_name))
        return GraderResult.failed(feedback, details, (part,))

    @property
    def expected_text(self) -> str:
        """The value of `substring` or its alias `value`."""
        return (self.value if self.substring is None else self.substring) or ""

    @property
    def _option(self) -> str:
        return "value" if self.substring is None else "substring"


class OutputMatches(_MessageCheck):
    """Looks for a pattern in the output."""

    cost_profile = "free"

    pattern: Text = Field(
        description=(
            "JavaScript pattern to find anywhere in the text. A leading `(?i)`, `(?m)`, `(?s)` or a combination such as "
            "`(?im)` sets flags."
        ),
        examples=["(?i)deployed to https?://\\S+"],
        json_schema_extra={**pattern_marks(), "x-applies-to": "output"},
    )

    def refusals(self, scope: Scope) -> Iterator[Finding]:
        yield from pattern_refusals(self.pattern, ("pattern",))

    def check(self, scope: Scope) -> Iterator[Finding]:
        yield from pattern_findings(self.pattern, ("pattern",), self.fate)

    def grade(self, context: GradingContext) -> GraderResult:
        details = {"pattern": self.pattern, "negate": self.negated}
        texts = self.texts_of(context)
        if failed := self._no_message(texts, details):
            return failed
        try:
            matching = next((it for it in texts if js_matches(self.pattern, it)), None)
        except TooSlowError as error:
            return GraderResult.undecided(f"Cannot tell: {error}", details)
        found, output = matching is not None, "\n".join(texts) if matching is None else matching
        feedback = f"The {self.text_name} {'matches' if found else 'does not match'} {self.pattern}"
        if found is not self.negated:
            return GraderResult(1.0, True, feedback, details)
        excerpt = match_in(self.pattern, output) if found else nearest_to_pattern(self.pattern, output)
        wanted = f"{'no match' if found else 'match'}: {self.pattern}"
        message = f"{'match' if found else 'no match'}: {self.pattern}"
        part = FailedCheck(("pattern",), message, excerpt, wanted=wanted, place=Place(self.text_name))
        return GraderResult.failed(feedback, details, (part,))
