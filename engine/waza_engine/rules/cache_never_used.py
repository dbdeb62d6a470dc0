"""A grader that switches the cache off.

## Why
With a `behavior` or `prompt` grader among the eval's graders waza caches nothing, although the project says
`cache.enabled: true`. Among a task's own graders they do no harm.

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

from waza_engine.checking.document import Document
from waza_engine.checking.skill_names import project_of
from waza_engine.findings import Finding, Related, Rule, Severity

CACHE_NEVER_USED = Rule("cache-never-used", "grader that switches the cache off", Severity.HINT)
APPLIES = {"waza": {"eval"}}


def check(document: Document) -> Iterator[Finding]:
    place = next(
        (at for at, it in document.mappings("graders") if it.get("type") in {"behavior", "prompt"}), None
    )
    project = project_of(document) if place is not None else None
    cache = project[1].get("cache") if project is not None else None
    if place is not None and project is not None and isinstance(cache, dict) and cache.get("enabled") is True:
        message = "Because of this grader no result is ever cached"
        related = [Related(("cache", "enabled"), "the cache is switched on here", project[0])]
        yield CACHE_NEVER_USED.at((*place, "type"), message, related=related)
