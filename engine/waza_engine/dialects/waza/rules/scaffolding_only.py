"""A project setting that runs do not use.

## Why
waza copies `defaults.engine`, `defaults.model` and `defaults.timeout` into new evals. Runs use the values in the eval.
waza itself writes these settings into every new project, so the rule is off and the hover of each key says the same.

## Example
```yaml
defaults:
  model: gpt-5.2
```

## Instead
```yaml
defaults:
  judgeModel: gpt-5.2
```
"""

from collections.abc import Iterator

from waza_engine.model.findings import Finding, Rule, Severity
from waza_engine.project.document import Document

SCAFFOLDING_ONLY = Rule(
    "scaffolding-only", "project setting that runs do not use", Severity.INFORMATION, opt_in=True
)
APPLIES = frozenset(["project"])
_EVAL_KEYS = {"engine": "config.executor", "model": "config.model", "timeout": "config.timeout_seconds"}


def check(document: Document) -> Iterator[Finding]:
    for key, eval_key in _EVAL_KEYS.items():
        if document.has("defaults", key):
            message = f"waza uses '{key}' only for new evals. Runs use the eval's '{eval_key}'"
            yield SCAFFOLDING_ONLY.at(("defaults", key), message, on="key")
