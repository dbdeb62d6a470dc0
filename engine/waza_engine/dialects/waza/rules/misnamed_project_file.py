"""Project settings in a file whose name waza does not read.

## Why
waza reads project settings only from `.waza.yaml`. It ignores the same settings in `.waza.yml` or `waza.yaml` and does
not mention it, so runs use the defaults.

## Example
`.waza.yml`:

```yaml file=.waza.yml
defaults:
  judgeModel: gpt-5.2
```

## Instead
`.waza.yaml`:

```yaml file=.waza.yaml
defaults:
  judgeModel: gpt-5.2
```
"""

from collections.abc import Iterator

from waza_engine.model.file_names import WAZA_PROJECT
from waza_engine.model.findings import Finding, Rule, Severity
from waza_engine.project.document import Document

MISNAMED_PROJECT_FILE = Rule(
    "misnamed-project-file", "project settings in a file that waza does not read", Severity.WARNING
)
APPLIES = frozenset(["project"])


def check(document: Document) -> Iterator[Finding]:
    """Report a name that waza does not read (docs/reference/waza-formats.md, section 7)."""
    path = document.path
    if path is None or path.name == WAZA_PROJECT or "waza" not in path.name or not document.mapping():
        return
    advice = (
        f"Move the settings to {WAZA_PROJECT}, which exists"
        if document.files.is_file(path.with_name(WAZA_PROJECT))
        else f"Rename the file to {WAZA_PROJECT}"
    )
    first = next(iter(document.mapping()))
    message = f"waza does not read {path.name}, so these settings do nothing. {advice}"
    yield MISNAMED_PROJECT_FILE.at((first,), message, on="key")
