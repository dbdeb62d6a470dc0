"""An option that must be given because another one is.

## Why
waza builds the grader only after the agent has run, and then ends the run with an error.

## Example
```yaml
type: skill_invocation
name: deploys
config:
  required_skills: [azure-deploy]
```

## Instead
```yaml
type: skill_invocation
name: deploys
config:
  required_skills: [azure-deploy]
  mode: any_order
```
"""

from waza_engine.model.findings import Rule

MISSING_COMPANION = Rule("missing-companion", "option without the one it needs")
