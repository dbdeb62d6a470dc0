"""A golden trajectory that is invalid.

## Why
vally reads the golden trajectory when it loads the spec. If the file does not exist, or the trajectory is not in ATIF
format (a `schema_version` that begins with `ATIF-`, `session_id`, `agent`, `steps`), vally cannot run the spec at all.

## Example
```yaml
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    golden_trajectory:
      inline:
        schema_version: v1.4
        session_id: golden
        agent: {name: author, version: "1"}
        steps: [{step_id: 1, source: agent, message: It rolls out the service.}]
    graders:
      - type: output-contains
        config: {substring: rolls out}
```

## Instead
```yaml
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    golden_trajectory:
      inline:
        schema_version: ATIF-v1.4
        session_id: golden
        agent: {name: author, version: "1"}
        steps: [{step_id: 1, source: agent, message: It rolls out the service.}]
    graders:
      - type: output-contains
        config: {substring: rolls out}
```
"""

from collections.abc import Iterator
from typing import Any

from waza_engine.dialects.vally.checks.stimuli import spec_folder
from waza_engine.dialects.vally.trajectory.atif import atif_problem, text_problem
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.findings import Finding, Rule, Severity
from waza_engine.model.placeholders import has_placeholder
from waza_engine.project.document import Document

BAD_GOLDEN_TRAJECTORY = Rule("bad-golden-trajectory", "golden trajectory that is invalid", Severity.ERROR)
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    for place, _ in document.tasks():
        golden_place = (*place, "golden_trajectory")
        golden = document.mapping(*golden_place)
        path, inline = golden.get("path"), plain(golden.get("inline"))
        if inline is not None and not path:
            yield from _inline(document, (*golden_place, "inline"), inline)
        elif isinstance(path, str) and path and inline is None:
            yield from _file(document, (*golden_place, "path"), path)


def _inline(document: Document, place: Pointer, inline: Any) -> Iterator[Finding]:
    # The types of values that are filled in later are unknown.
    if not has_placeholder(repr(inline)) and (problem := atif_problem(inline)):
        below = problem.pointer
        while below and not document.has(*place, *below):
            below = below[:-1]
        message = f"Not a trajectory in ATIF format, so the run cannot start: {problem}"
        yield BAD_GOLDEN_TRAJECTORY.at((*place, *below), message)


def _file(document: Document, place: Pointer, path: str) -> Iterator[Finding]:
    folder = spec_folder(document)
    if folder is None or has_placeholder(path):
        return
    if not document.files.is_file(folder / path):
        message = f"'{path}' not found in the spec's folder, so the run cannot start"
        yield BAD_GOLDEN_TRAJECTORY.at(place, message)
    elif problem := document.files.read_as(folder / path, text_problem):
        message = f"'{path}' is not a trajectory in ATIF format, so the run cannot start: {problem}"
        yield BAD_GOLDEN_TRAJECTORY.at(place, message)
