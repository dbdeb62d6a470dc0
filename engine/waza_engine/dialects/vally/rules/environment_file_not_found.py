"""A workspace file that does not exist.

## Why
vally copies the files under `environment.files` before the run. If one is missing, vally's check refuses the spec, and
every trial ends with an error. The paths are relative to the spec's folder.

## Example
The script is in `fixtures/deploy.sh`:

```yaml
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    environment:
      files: [{src: fixtures/deploi.sh, dest: deploy.sh}]
    graders:
      - type: output-contains
        config: {substring: rolls out}
```

```text file=fixtures/deploy.sh
kubectl rollout status
```

## Instead
```yaml
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    environment:
      files: [{src: fixtures/deploy.sh, dest: deploy.sh}]
    graders:
      - type: output-contains
        config: {substring: rolls out}
```
"""

from collections.abc import Iterator

from waza_engine.dialects.vally.checks.stimuli import environments
from waza_engine.model.findings import Finding, Rule
from waza_engine.model.placeholders import has_placeholder
from waza_engine.project.document import Document
from waza_engine.project.names import similar_paths

ENVIRONMENT_FILE_NOT_FOUND = Rule("environment-file-not-found", "workspace file that does not exist")
APPLIES = frozenset(["eval", "experiment"])


def check(document: Document) -> Iterator[Finding]:
    folder = document.folder
    if folder is None:
        return
    for environment in environments(document):
        for place, it in document.mappings(*environment, "files"):
            source = it.get("src")
            if not isinstance(source, str) or not source or has_placeholder(source):
                continue
            if not document.files.exists(folder / source):
                fixes = similar_paths(document.files, folder, (*place, "src"), source)
                message = f"'{source}' not found in the spec's folder, so every trial will fail"
                yield ENVIRONMENT_FILE_NOT_FOUND.at((*place, "src"), message, fixes=fixes)
