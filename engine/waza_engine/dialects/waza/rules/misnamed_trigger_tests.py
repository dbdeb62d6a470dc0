"""Trigger tests in a file whose name waza does not read.

## Why
waza reads trigger tests only from `trigger_tests.yaml` next to the eval. A file with the ending `.yml` never runs, and
waza does not mention it.

## Example
`evals/notes/trigger_tests.yml`:

```yaml file=trigger_tests.yml
skill: notes
should_trigger_prompts:
  - prompt: Take notes of this meeting
```

## Instead
`evals/notes/trigger_tests.yaml`:

```yaml file=trigger_tests.yaml
skill: notes
should_trigger_prompts:
  - prompt: Take notes of this meeting
```
"""

from collections.abc import Iterator

from waza_engine.model.file_names import TRIGGER_TESTS
from waza_engine.model.findings import Finding, Rule, Severity
from waza_engine.project.document import Document

MISNAMED_TRIGGER_TESTS = Rule(
    "misnamed-trigger-tests", "trigger tests in a file that waza does not read", Severity.WARNING
)
APPLIES = frozenset(["triggers"])
_READ_BY_NOBODY = TRIGGER_TESTS.removesuffix("yaml") + "yml"


def check(document: Document) -> Iterator[Finding]:
    """Report a file ending that waza does not read (docs/reference/waza-formats.md, section 2)."""
    path = document.path
    if path is None or path.name != _READ_BY_NOBODY or not document.mapping():
        return
    beside = path.with_name(TRIGGER_TESTS)
    advice = (
        f"Move the prompts to {TRIGGER_TESTS}, which exists"
        if document.files.is_file(beside)
        else f"Rename the file to {TRIGGER_TESTS}"
    )
    first = next(iter(document.mapping()))
    yield MISNAMED_TRIGGER_TESTS.at(
        (first,), f"waza does not read {_READ_BY_NOBODY}, so these prompts never run. {advice}", on="key"
    )
