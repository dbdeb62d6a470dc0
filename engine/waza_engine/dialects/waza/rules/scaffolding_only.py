"""A setting of the project that runs do not read.

## Why
`defaults.engine`, `defaults.model` and `defaults.timeout` go into new evals. Runs of existing evals use what the eval
says.

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

SCAFFOLDING_ONLY = Rule("scaffolding-only", "project setting that runs do not read", Severity.INFORMATION)
APPLIES = frozenset(["project"])
_WHERE = {"engine": "config.executor", "model": "config.model", "timeout": "config.timeout_seconds"}


def check(document: Document) -> Iterator[Finding]:
    for key, instead in _WHERE.items():
        if document.has("defaults", key):
            message = f"Only new evals get this; a run uses the eval's '{instead}'"
            yield SCAFFOLDING_ONLY.at(("defaults", key), message, on="key")
