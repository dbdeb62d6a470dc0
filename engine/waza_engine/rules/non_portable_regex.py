r"""A pattern that does not mean what it looks like, or that not every JavaScript engine supports.

## Why
vally uses JavaScript patterns. In JavaScript, `\A`, `\Z` and `\p{L}` are plain letters, so a pattern copied from
another tool is valid but never matches. Only the newest engines support groups such as `(?i:...)`. In single quotes,
`'\\d'` matches a backslash and a d; YAML needs two backslashes only in double quotes. `/total/i` matches the slashes,
too: write a pattern without slashes and with its flags in front, `(?i)total`. The last two mistakes also apply to waza.

## Example
```yaml
name: portable
stimuli:
  - name: starts-with-a-heading
    prompt: Write a page.
    graders:
      - type: output-matches
        config:
          pattern: '\A# \w+'
scoring:
  threshold: 1
```

## Instead
```yaml
name: portable
stimuli:
  - name: starts-with-a-heading
    prompt: Write a page.
    graders:
      - type: output-matches
        config:
          pattern: '^# \w+'
scoring:
  threshold: 1
```
"""

from collections.abc import Callable, Iterator

from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Finding, Fix, Rule, SetValue, Severity
from waza_engine.rules._patterns import doubled_backslash, without_slashes

NON_PORTABLE_REGEX = Rule(
    "non-portable-regex", "pattern that does not mean what it looks like", Severity.WARNING
)


def doubtful_findings(pattern: str, pointer: Pointer, is_valid: Callable[[str], bool]) -> Iterator[Finding]:
    """Report what is doubtful in a valid pattern. `is_valid` tells whether the tool can parse a pattern."""
    if doubled := doubled_backslash(pattern):
        letter = doubled.letter
        message = f"This matches a backslash before {letter}. Write \\{letter}; only double quotes need two backslashes"
        fix = Fix("Write single backslashes", (SetValue(pointer, doubled.corrected),), preferred=True)
        yield NON_PORTABLE_REGEX.at(
            pointer, message, fixes=[fix] if is_valid(doubled.corrected) else [], part=doubled.span
        )
    if (bare := without_slashes(pattern)) is not None:
        fix = Fix(f"Change to {bare}", (SetValue(pointer, bare),), preferred=True)
        message = "The slashes and flags are part of the pattern, so it matches them, too. Remove them"
        yield NON_PORTABLE_REGEX.at(pointer, message, fixes=[fix] if is_valid(bare) else [])
