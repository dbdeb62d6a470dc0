"""A golden patch whose file does not exist.

## Why
A `golden_patch` is the reference change of a stimulus. Without its file, the run cannot start. The path is relative to
the spec's folder.

## Example
The patch is in `golden/rename.patch`:

```yaml
stimuli:
  - name: renames-the-script
    prompt: Rename deploy.sh to release.sh.
    golden_patch: {path: golden/renam.patch}
    graders:
      - type: file-exists
        config: {path: release.sh}
```

```text file=golden/rename.patch
rename from deploy.sh
rename to release.sh
```

## Instead
```yaml
stimuli:
  - name: renames-the-script
    prompt: Rename deploy.sh to release.sh.
    golden_patch: {path: golden/rename.patch}
    graders:
      - type: file-exists
        config: {path: release.sh}
```
"""

from collections.abc import Iterator

from waza_engine.dialects.vally.checks.stimuli import spec_folder
from waza_engine.model.findings import Finding, Rule
from waza_engine.model.placeholders import has_placeholder
from waza_engine.project.document import Document
from waza_engine.project.missing_paths import path_advice, path_fixes

MISSING_GOLDEN_PATCH = Rule("missing-golden-patch", "golden patch whose file does not exist", fixable=True)
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    folder = spec_folder(document)
    if folder is None:
        return
    for stimulus, _ in document.tasks():
        place = (*stimulus, "golden_patch", "path")
        text = document.text(*place)
        if text and not has_placeholder(text) and not document.files.is_file(folder / text):
            message = f"'{text}' not found in the spec's folder, so the run cannot start{path_advice(text)}"
            fixes = path_fixes(document, folder, place, text, only=document.files.is_file)
            yield MISSING_GOLDEN_PATCH.at(place, message, fixes=fixes)
