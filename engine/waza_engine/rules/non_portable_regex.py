r"""A pattern that means something else than it looks like, or that not every version of JavaScript reads.

## Why
vally's patterns are JavaScript's. There `\A`, `\Z` and `\p{L}` are plain letters, so a pattern copied from another
tool is valid and never matches. A group such as `(?i:...)` is read by the newest engines only. `'\\d'` in single
quotes looks for a backslash and a d: only in double quotes does YAML want two backslashes.

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

from waza_engine.findings import Rule, Severity

NON_PORTABLE_REGEX = Rule(
    "non-portable-regex", "pattern that does not mean what it looks like", Severity.WARNING
)
