"""A rubric that does not exist, or a file that is no rubric.

## Why
The grader cannot be built: the run ends with an error after the agent has worked. A rubric is one of the built-in
names, or a path to a Markdown file with front matter (`name`, `version`, `scale`, `description`) and a text.

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
