"""A string that YAML cuts at a `#`.

## Why
Outside of quotes, a blank and a `#` start a comment. The agent gets the prompt `Fix issue #12 first` as `Fix issue`,
and a judge's criterion silently loses its end.

## Example
```yaml
id: first
name: First
inputs:
  prompt: Fix issue #12 of this repository
expected:
  output_contains: [done]
```

## Instead
```yaml
id: first
name: First
inputs:
  prompt: "Fix issue #12 of this repository"
expected:
  output_contains: [done]
```
"""

from waza_engine.model.findings import Rule, Severity

TEXT_CUT_BY_COMMENT = Rule("text-cut-by-comment", "string that YAML cuts at a #", Severity.WARNING)
