"""A question without a question mark.

## Why
An agent may take it for an order.

## Example
```yaml
title: Geography
questions:
  - id: capital
    ask: Name the capital of France.
```

## Instead
```yaml
title: Geography
questions:
  - id: capital
    ask: What is the capital of France?
```
"""

from collections.abc import Iterator

from waza_engine.model.findings import Finding, Rule, Severity
from waza_engine.project.document import Document

NO_QUESTION = Rule("no-question", "question without a question mark", Severity.WARNING)
APPLIES = frozenset(["quiz"])


def check(document: Document) -> Iterator[Finding]:
    for place, question in document.tasks():
        if isinstance(asked := question.get("ask"), str) and "?" not in asked:
            yield NO_QUESTION.at((*place, "ask"), "This is no question: it has no question mark")
