"""A workspace file that does not exist.

## Why
vally copies the files under `environment.files` before the run. If one is missing, vally's check refuses the spec, and
every trial ends with an error. The paths are relative to the spec's folder, also those of a named environment.

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

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeGuard

from waza_engine.dialects.vally.checks.stimuli import environments, named_environment, spec_folder
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Finding, Rule
from waza_engine.model.placeholders import has_placeholder
from waza_engine.project.document import Document
from waza_engine.project.missing_paths import path_advice, path_fixes

ENVIRONMENT_FILE_NOT_FOUND = Rule(
    "environment-file-not-found", "workspace file that does not exist", fixable=True
)
APPLIES = frozenset(["eval", "experiment"])


def check(document: Document) -> Iterator[Finding]:
    folder = spec_folder(document)
    if folder is None:
        return
    for environment in environments(document):
        for place, it in document.mappings(*environment, "files"):
            source = it.get("src")
            if _is_missing(source, document, folder):
                fixes = path_fixes(document, folder, (*place, "src"), source, new="")
                message = f"'{source}' not found in the spec's folder, so every trial will fail{path_advice(source)}"
                yield ENVIRONMENT_FILE_NOT_FOUND.at((*place, "src"), message, fixes=fixes)
        yield from _named(document, folder, environment)


def _named(document: Document, folder: Path, place: Pointer) -> Iterator[Finding]:
    """Report a missing file of a named environment, where the spec names it."""
    files = named_environment(document, place).get("files")
    for it in files if isinstance(files, list) else ():
        source = it.get("src") if isinstance(it, Mapping) else None
        if _is_missing(source, document, folder):
            message = (
                f"'{source}' of the environment '{document.text(*place)}' not found in the spec's folder, "
                "so every trial will fail"
            )
            yield ENVIRONMENT_FILE_NOT_FOUND.at(place, message)
            return


def _is_missing(source: Any, document: Document, folder: Path) -> TypeGuard[str]:
    is_path = isinstance(source, str) and source != "" and not has_placeholder(source)
    return is_path and not document.files.exists(folder / source)
