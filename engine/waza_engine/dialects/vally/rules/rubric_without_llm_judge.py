"""A rubric that no judge reads.

## Why
vally passes the `rubric` of a stimulus to graders that call a judge model. Without such a grader, nothing reads it.

## Example
```yaml
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    rubric: [Names every step of the script]
    graders:
      - type: output-contains
        config: {substring: rolls out}
```

## Instead
```yaml
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    rubric: [Names every step of the script]
    graders:
      - type: prompt
        config: {scoring: scale_1_5}
```
"""

from collections.abc import Iterator

from waza_engine.dialects.vally.checks.stimuli import asks_judge
from waza_engine.model.findings import HERE, AppendItem, Finding, Fix, Rule, Severity
from waza_engine.project.document import Document

RUBRIC_WITHOUT_LLM_JUDGE = Rule(
    "rubric-without-llm-judge",
    "rubric that no judge reads",
    Severity.WARNING,
    needs=frozenset(["graders", HERE]),
)
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    shared = [it for _, it in document.mappings("graders")]
    for stimulus, data in document.tasks():
        graders = [*shared, *(it for _, it in document.mappings(*stimulus, "graders"))]
        if data.get("rubric") and not any(asks_judge(document, it) for it in graders):
            fix = Fix("Add a 'prompt' grader", (AppendItem((*stimulus, "graders"), {"type": "prompt"}),))
            message = "No grader of this stimulus calls a judge model, so nothing reads 'rubric'. Add a 'prompt' grader"
            yield RUBRIC_WITHOUT_LLM_JUDGE.at((*stimulus, "rubric"), message, on="key", fixes=[fix])
