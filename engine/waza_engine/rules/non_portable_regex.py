r"""A pattern that means something else than it looks like, or that not every version of JavaScript reads.

## Why
vally's patterns are JavaScript's. There `\A`, `\Z` and `\p{L}` are plain letters, so a pattern copied from another
tool is valid and never matches. A group such as `(?i:...)` is read by the newest engines only. `'\\d'` in single
quotes looks for a backslash and a d: only in double quotes does YAML want two backslashes. `/total/i` looks for
slashes, too: as a text, a pattern has none around it, and its flags stand before it, `(?i)total`. The last two hold for
waza as well.

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
from waza_engine.rules._patterns import doubled_backslash, out_of_slashes

NON_PORTABLE_REGEX = Rule(
    "non-portable-regex", "pattern that does not mean what it looks like", Severity.WARNING
)


def doubtful_findings(pattern: str, pointer: Pointer, is_valid: Callable[[str], bool]) -> Iterator[Finding]:
    """What is doubtful in a valid pattern of any tool. `is_valid` says whether a pattern can be read."""
    if doubled := doubled_backslash(pattern):
        letter = doubled.letter
        message = f"This looks for a backslash before {letter}: only in double quotes does \\{letter} need two backslashes"
        fix = Fix("Write single backslashes", (SetValue(pointer, doubled.mended),), preferred=True)
        yield NON_PORTABLE_REGEX.at(
            pointer, message, fixes=[fix] if is_valid(doubled.mended) else [], part=doubled.span
        )
    if (bare := out_of_slashes(pattern)) is not None:
        fix = Fix(f"Change to {bare}", (SetValue(pointer, bare),), preferred=True)
        message = "The slashes and what stands behind them are part of the pattern: they are looked for, too"
        yield NON_PORTABLE_REGEX.at(pointer, message, fixes=[fix] if is_valid(bare) else [])
