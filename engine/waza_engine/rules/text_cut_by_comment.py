"""A text that YAML cuts at a `#`.

## Why
Outside of quotes, a blank and a `#` begin a comment. A prompt such as `Fix issue #12 first` reaches the agent as
`Fix issue`, and a criterion of a judge loses its end without a word.

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

TEXT_CUT_BY_COMMENT = Rule("text-cut-by-comment", "text that YAML cuts at a #", Severity.WARNING)
