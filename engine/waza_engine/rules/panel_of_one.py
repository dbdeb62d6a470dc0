"""A panel with a single judge.

## Why
A panel averages out the errors of single judges. With one judge it does the same as a simpler `prompt` grader.

## Example
```yaml
name: tone
stimuli:
  - name: polite
    prompt: Decline the invitation.
    graders:
      - type: panel
        config:
          models: [gpt-5.2]
scoring:
  threshold: 0.8
```

## Instead
```yaml
name: tone
stimuli:
  - name: polite
    prompt: Decline the invitation.
    graders:
      - type: panel
        config:
          models: [gpt-5.2, claude-sonnet-4.6]
scoring:
  threshold: 0.8
```
"""

from waza_engine.model.findings import HERE, Rule, Severity

PANEL_OF_ONE = Rule("panel-of-one", "panel with a single judge", Severity.HINT, needs=frozenset([HERE]))
