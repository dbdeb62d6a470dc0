r"""A regular expression where plain text is expected.

## Why
`contains`, `output_contains` and vally's `substring` search for the literal text: `(?i)total` matches only an output
with a parenthesis, a question mark and an i. A positive check then always fails; a negative one never does.

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

PATTERN_AS_TEXT = Rule("pattern-as-text", "regular expression where plain text is expected", Severity.WARNING)


def pattern_as_text(text: str, pointer: Pointer, other: str, fixes: Iterable[Fix] = ()) -> Iterator[Finding]:
    """Report a literal text that looks like a pattern; `other` names the option or grader for patterns."""
    if looks_like_pattern(text) and not has_placeholder(text):
        message = f"This text is searched for literally, although it looks like a pattern. Patterns belong in {other}"
        yield PATTERN_AS_TEXT.at(pointer, message, fixes=fixes)
