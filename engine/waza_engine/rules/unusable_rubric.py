"""A rubric that does not exist, or a file that is not a rubric.

## Why
waza cannot create the grader, so the run ends with an error after the agent has run. A rubric is a built-in name, or
the path of a Markdown file with front matter (`name`, `version`, `scale`, `description`) and a text.

## Example
```yaml
type: prompt
name: grounded
config:
  rubric: groundednes
```

## Instead
```yaml
type: prompt
name: grounded
config:
  rubric: groundedness
```
"""

from waza_engine.model.findings import Rule

UNUSABLE_RUBRIC = Rule("unusable-rubric", "rubric that cannot be used")
