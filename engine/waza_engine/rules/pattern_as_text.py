r"""A regular expression where a plain text is looked for.

## Why
`contains`, `output_contains` and vally's `substring` look for the text as it stands: `(?i)total` is found only where
somebody wrote a parenthesis, a question mark and an i. A positive check then always fails; a negative one never does.

## Example
```yaml
type: text
name: names-the-total
config:
  contains: ['(?i)total: \d+']
```

## Instead
```yaml
type: text
name: names-the-total
config:
  regex_match: ['(?i)total: \d+']
```
"""

from collections.abc import Iterable, Iterator

from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Finding, Fix, Rule, Severity
from waza_engine.model.placeholders import has_placeholder
from waza_engine.rules._patterns import looks_like_pattern

PATTERN_AS_TEXT = Rule(
    "pattern-as-text", "regular expression where a plain text is looked for", Severity.WARNING
)


def pattern_as_text(text: str, pointer: Pointer, other: str, fixes: Iterable[Fix] = ()) -> Iterator[Finding]:
    """What is said of a text that is looked for as it stands; a pattern belongs in the `other` option or grader."""
    if looks_like_pattern(text) and not has_placeholder(text):
        message = f"This is looked for as it stands, special characters and all; a pattern belongs in {other}"
        yield PATTERN_AS_TEXT.at(pointer, message, fixes=fixes)
