"""A named environment that the project does not have.

## Why
If `environment` is a string, it names an entry under `environments` in the nearest `.vally.yaml`. Without that entry
the run cannot start.

## Example
The project has an environment `with-mcp`:

```yaml
name: notes
environment: with-mpc
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    graders:
      - type: output-contains
        config: {substring: rolls out}
scoring:
  threshold: 1
```

```yaml file=.vally.yaml
environments:
  with-mcp:
    env: {REGION: west}
```

## Instead
```yaml
name: notes
environment: with-mcp
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    graders:
      - type: output-contains
        config: {substring: rolls out}
scoring:
  threshold: 1
```
"""

from collections.abc import Iterator, Mapping

from waza_engine.dialects.vally.checks.stimuli import environments
from waza_engine.dialects.vally.formats.project_file import NAME as PROJECT_FILE
from waza_engine.lib.spelling import nearest
from waza_engine.model.findings import Finding, Fix, Rule, SetValue
from waza_engine.model.placeholders import has_placeholder
from waza_engine.project.document import Document
from waza_engine.project.suite_files import text_of

UNKNOWN_ENVIRONMENT = Rule("unknown-environment", "named environment that the project does not have")
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    if document.suite is None:
        return
    path = document.suite.project_path
    project = document.files.data(path) if path is not None else None
    if path is not None and document.files.text(path) and not isinstance(project, Mapping):
        return  # The project file has an error of its own.
    known = project.get("environments") if isinstance(project, Mapping) else None
    names = [str(it) for it in known] if isinstance(known, Mapping) else []
    for place in environments(document):
        name = text_of(document.value(*place))
        if name and name not in names and not has_placeholder(name):
            fixes = [Fix(f"Change to '{it}'", (SetValue(place, it),)) for it in nearest(name, names)]
            known_names = f". Known environments: {', '.join(names)}" if names else ""
            where = f"{path.name} has no" if path is not None else f"There is no {PROJECT_FILE} with an"
            message = f"{where} environment '{name}', so the run cannot start{known_names}"
            yield UNKNOWN_ENVIRONMENT.at(place, message, fixes=fixes)
