"""An option without another option that it needs.

## Why
waza creates the grader only after the agent has run, and then stops the run with an error.

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

MISSING_COMPANION = Rule("missing-companion", "option without another one that it needs")
