"""A blank tool name.

## Why
waza refuses the grader, but only after the agent has run.

## Example
```yaml
type: tool_constraint
name: uses-bash
config:
  expect_tools:
    - tool: ' '
```

## Instead
```yaml
type: tool_constraint
name: uses-bash
config:
  expect_tools:
    - tool: bash
```
"""

from waza_engine.model.findings import Rule

BLANK_TOOL_NAME = Rule("blank-tool-name", "blank tool name")
