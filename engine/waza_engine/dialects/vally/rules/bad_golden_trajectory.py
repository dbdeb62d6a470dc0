"""A golden trajectory that is none.

## Why
A reference answer is read when the spec is loaded: a file that is not there, or a trajectory that is not in the ATIF form (a
`schema_version` that begins with `ATIF-`, `session_id`, `agent`, `steps`), keeps the whole spec from being run.

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

from waza_engine.dialects.vally.trajectory.atif import atif_problem, text_problem
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.findings import Finding, Rule, Severity
from waza_engine.model.placeholders import has_placeholder
from waza_engine.project.document import Document

BAD_GOLDEN_TRAJECTORY = Rule("bad-golden-trajectory", "golden trajectory that is none", Severity.ERROR)
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    for place, _ in document.tasks():
        here = (*place, "golden_trajectory")
        given = document.mapping(*here)
        path, inline = given.get("path"), plain(given.get("inline"))
        if inline is not None and not path:
            yield from _inline(document, (*here, "inline"), inline)
        elif isinstance(path, str) and path and inline is None:
            yield from _file(document, (*here, "path"), path)


def _inline(document: Document, place: Pointer, inline: Any) -> Iterator[Finding]:
    # Nobody knows the types of values that are filled in later.
    if not has_placeholder(repr(inline)) and (found := atif_problem(inline)):
        spot = found.pointer
        while spot and not document.has(*place, *spot):
            spot = spot[:-1]
        yield BAD_GOLDEN_TRAJECTORY.at(
            (*place, *spot), f"This is no trajectory in the ATIF form: {found}; no run can start"
        )


def _file(document: Document, place: Pointer, path: str) -> Iterator[Finding]:
    folder = document.folder
    if folder is None or has_placeholder(path):
        return
    if not document.files.is_file(folder / path):
        yield BAD_GOLDEN_TRAJECTORY.at(
            place, f"There is no file '{path}' in the folder of the spec; no run can start"
        )
    elif told := document.files.read_as(folder / path, text_problem):
        yield BAD_GOLDEN_TRAJECTORY.at(
            place, f"'{path}' is no trajectory in the ATIF form: {told}; no run can start"
        )
