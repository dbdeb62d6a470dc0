"""Evaluates expressions in Python or JavaScript that must be true.

## What it looks at
Each assertion can use `output`, `outcome` (always empty), `transcript` (list of events), `tool_calls` (each with
`name`, `arguments`, `success`, `result`), `errors` (events that mention an error) and `duration_ms`. Python also has
`len any all re str int float bool list dict True False` and nothing else. JavaScript has its standard objects. Names
that a Python assertion binds with `:=`, and variables of a JavaScript assertion, are visible in later assertions.

## Score
The share of assertions that are true (truthy). If one of four assertions is false and one raises an exception, the
score is 2 / 4 = 0.5, and the grader fails.

## Example
```yaml
type: code
name: short-and-successful
config:
  assertions:
    - len(output) < 2000
    - len(errors) == 0
    - tool_calls[0]['name'] == 'bash'
```

## Watch out
- Lambdas and the bodies of generator expressions cannot see these names, only the first iterable can:
  `any(it in output for it in ['a'])` always fails. Use `re.search('a|b', output)` instead.
- `sum`, `sorted`, `min`, `isinstance`, `set`, `print` and imports do not exist.
- An exception without a message counts as passed, for example that of `iter([]).__next__()`.
- If an assertion ends the interpreter, prints something or runs too long, the whole run becomes an error.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, ConfigDict, Field, JsonValue

from waza_engine.assertions.evaluation import Outcome, evaluate_javascript, evaluate_python
from waza_engine.assertions.wall import missing_parts
from waza_engine.dialects.waza.assertions.javascript import (
    problem_in_javascript,
    reads_as_javascript,
    translate_to_javascript,
)
from waza_engine.dialects.waza.assertions.names import (
    JAVASCRIPT_NAMES,
    PYTHON_NAMES,
    assertion_name_meanings,
    assertion_names,
)
from waza_engine.dialects.waza.assertions.static import Problem, alternatives, problem_in_python
from waza_engine.dialects.waza.assertions.values import values_of
from waza_engine.graders.base import FailedCheck, Grader, GraderResult, GradingContext, Scope
from waza_engine.graders.excerpts import quote
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.spelling import nearest
from waza_engine.model.fields import Strings, as_text, is_null
from waza_engine.model.findings import Change, Finding, Fix, InsertKey, SetValue
from waza_engine.model.schema_marks import foreign_keys, marks
from waza_engine.rules.invalid_assertion import INVALID_ASSERTION

_TRUE_OF_ANYTHING = frozenset(
    ["output", "len(output)", "len(output)>0", "len(output)>=1", "output!=''", 'output!=""', "len(output)!=0"]
)
"""Assertions, without whitespace, that only check that there is output."""

_OTHER_NAMES: dict[str, JsonValue] = {
    "js": "javascript",
    "node": "javascript",
    "nodejs": "javascript",
    "py": "python",
    "python3": "python",
}


_ASSERTION: dict[str, Any] = {
    "type": "string",
    **marks(language="python"),
    "x-language-from": "language",
    "x-names": assertion_name_meanings(),
}


def _language(value: Any) -> Any:
    return "python" if is_null(value) or value == "" else as_text(value)


class CodeGrader(Grader):
    type_name = "code"
    deterministic: ClassVar[bool] = False
    executes: ClassVar[bool] = True
    evaluates_code = True

    model_config = ConfigDict(
        json_schema_extra=foreign_keys(
            {
                "assertion": "assertions",
                "assert": "assertions",
                "checks": "assertions",
                "expression": "assertions",
                "expressions": "assertions",
                "lang": "language",
            }
        )
    )

    assertions: Strings = Field(
        min_length=1,
        description="Expressions that must be true, evaluated in order.",
        examples=[["len(output) > 0", "'deployed' in output.lower()"]],
        json_schema_extra={"items": _ASSERTION},
    )
    language: Annotated[Literal["python", "javascript"], BeforeValidator(_language)] = Field(
        default="python",
        description="The language of the assertions.",
        examples=["javascript"],
        json_schema_extra={
            "x-meant": _OTHER_NAMES,
            **marks(
                values={
                    "python": "Python expressions with a small set of names.",
                    "javascript": "JavaScript, at most 5 seconds each; needs Node.js.",
                }
            ),
        },
    )

    @classmethod
    def vacuous_checks(cls, config: Mapping[str, Any]) -> Iterator[Pointer]:
        assertions = config.get("assertions")
        for index, text in enumerate(assertions if isinstance(assertions, list) else ()):
            if isinstance(text, str) and "".join(text.split()) in _TRUE_OF_ANYTHING:
                yield ("assertions", index)

    def check(self, scope: Scope) -> Iterator[Finding]:
        problems = problem_in_python if self.language == "python" else problem_in_javascript
        bound: set[str] = set()
        for index, assertion in enumerate(self.assertions):
            place = ("assertions", index)
            for problem in problems(assertion, bound):
                fixes = self._fixes(problem, place)
                yield problem.rule.at(place, problem.message, part=problem.part, fixes=fixes)

    def _fixes(self, problem: Problem, place: Pointer) -> Iterator[Fix]:
        """Yield fixes: other ways to write the assertion, or the other language."""
        text = self.assertions[int(place[-1])]
        if problem.name and problem.part is not None:
            known = PYTHON_NAMES if self.language == "python" else JAVASCRIPT_NAMES
            start, end = problem.part
            for index, name in enumerate(nearest(problem.name, known)):
                change = SetValue(place, text[:start] + name + text[end:])
                yield Fix(f"Change to '{name}'", (change,), preferred=index == 0)
        elif self.language == "python":
            for alternative in alternatives(text):
                yield Fix(f"Change to {alternative}", (SetValue(place, alternative),), preferred=True)
            if problem.rule is INVALID_ASSERTION and reads_as_javascript(text):
                yield Fix("Change the language to JavaScript", (self._set_javascript(),))
        elif (translation := translate_to_javascript(text)) is not None:
            yield Fix(f"Change to {translation}", (SetValue(place, translation),), preferred=True)

    def _set_javascript(self) -> Change:
        if "language" in self.model_fields_set:
            return SetValue(("language",), "javascript")
        return InsertKey((), "language", "javascript")

    def grade(self, context: GradingContext) -> GraderResult:
        names = assertion_names(context)
        outcomes = (
            evaluate_python(self.assertions, names, context.process_dir)
            if self.language == "python"
            else evaluate_javascript(self.assertions, names)
        )
        seen = self._values(outcomes, names, context)
        failures = [
            FailedCheck(
                ("assertions", index), _failure(assertion, outcome), seen.get(index) or _reason(outcome)
            )
            for index, (assertion, outcome) in enumerate(zip(self.assertions, outcomes, strict=True))
            if not _has_passed(outcome)
        ]
        total = len(self.assertions)
        return GraderResult.of_checks(
            total,
            failures,
            "All assertions passed",
            total_assertions=total,
            passed_assertions=total - len(failures),
            **({"unprotected": list(missing)} if (missing := missing_parts()) else {}),
        )

    def _values(
        self, outcomes: Sequence[Outcome], names: Mapping[str, Any], context: GradingContext
    ) -> Mapping[int, str]:
        """Return what the assertions that are not true compare, by their index."""
        untrue = [at for at, it in enumerate(outcomes) if it.kind == "fail"]
        if self.language != "python" or not untrue:
            return {}
        return values_of(
            self.assertions,
            untrue,
            lambda expressions: evaluate_python(expressions, names, context.process_dir),
            context.output,
        )


def _has_passed(outcome: Outcome) -> bool:
    # waza reports an exception by its message, and an empty report means "passed".
    return outcome.kind == "pass" or (outcome.kind == "error" and not outcome.text)


def _failure(assertion: str, outcome: Outcome) -> str:
    return f"failed: {assertion}" if outcome.text in {"", "fail"} else f"failed: {assertion} ({outcome.text})"


def _reason(outcome: Outcome) -> str:
    return "it is not true" if outcome.text in {"", "fail"} else f"it raises: {quote(outcome.text)}"
