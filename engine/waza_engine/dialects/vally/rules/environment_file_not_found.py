"""A file for the workspace that is not there.

## Why
The files under `environment.files` are copied before the run. One that is missing is refused by vally's check, and ends every trial with an error. The paths start at the folder of the spec.

## Example
With the script in `fixtures/deploy.sh`:

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

ENVIRONMENT_FILE_NOT_FOUND = Rule("environment-file-not-found", "file for the workspace that is not there")
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
                message = f"There is no '{source}' in the folder of the spec: no trial can begin"
                yield ENVIRONMENT_FILE_NOT_FOUND.at((*place, "src"), message, fixes=fixes)
