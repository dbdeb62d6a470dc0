"""A grader that turns the cache off.

## Why
If the eval's graders include a `behavior` or `prompt` grader, waza caches nothing, even though the project sets
`cache.enabled: true`. The same graders inside a task do not affect the cache.

## Example
With `cache: {enabled: true}` in the `.waza.yaml`:

```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
tasks: ["tasks/*.yaml"]
graders:
  - type: behavior
    name: few-calls
    config:
      max_tool_calls: 5
```

```yaml file=.waza.yaml
cache:
  enabled: true
```

## Instead
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
tasks: ["tasks/*.yaml"]
graders:
  - type: text
    name: polite
    config:
      contains: [please]
```

```yaml file=.waza.yaml
cache:
  enabled: true
```
"""

from collections.abc import Iterator

from waza_engine.dialects.waza.generations.meanings import newest_meaning
from waza_engine.model.findings import Finding, Related, Rule, Severity
from waza_engine.project.document import Document

CACHE_NEVER_USED = Rule("cache-never-used", "grader that turns the cache off", Severity.HINT)
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    suite = document.suite
    if suite is None or suite.setting("project:cache.enabled") is not True:
        return
    for place, grader in document.mappings("graders"):
        kind = newest_meaning(grader.get("type"))
        if kind is not None and not kind.cacheable:
            message = f"waza caches no results of an eval with a '{kind.type_name}' grader"
            related = [Related(("cache", "enabled"), "the cache is enabled here", suite.project_path)]
            yield CACHE_NEVER_USED.at((*place, "type"), message, related=related)
            return
