"""A filter of a suite with a tag that no stimulus has.

## Why
A suite selects the stimuli that have all the tags of its filter. If no stimulus has a tag with that name, the suite is
empty and its run has nothing to do.

## Example
The stimuli have the tag `tier`:

```yaml
suites:
  ci:
    filter: {teir: ci}
```

```yaml file=evals/eval.yaml
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    tags: {tier: ci}
    graders:
      - type: output-contains
        config: {substring: rolls out}
```

## Instead
```yaml
suites:
  ci:
    filter: {tier: ci}
```
"""

from collections.abc import Iterator, Mapping
from typing import Any

from waza_engine.dialects.vally.experiments.globs import USUAL_NAMES, matching_specs, matching_suite_specs
from waza_engine.lib.spelling import nearest
from waza_engine.model.findings import Finding, Fix, RenameKey, Rule
from waza_engine.model.placeholders import has_placeholder
from waza_engine.project.document import Document

UNMATCHED_FILTER = Rule("unmatched-filter", "filter of a suite with a tag that no stimulus has")
APPLIES = frozenset(["project"])
_MAX_SPECS = 200
_NESTED = "tags"
"""Some projects nest all filters of a suite under this key."""


def check(document: Document) -> Iterator[Finding]:
    filters = [
        (place, key)
        for suite in document.mapping("suites")
        for place in (("suites", suite, "filter"), ("suites", suite, "filter", _NESTED))
        for key in document.mapping(*place)
        if not (place[-1] == "filter" and key == _NESTED and document.mapping(*place, key))
    ]
    known = _tags(document) if filters else None
    for place, key in filters:
        if known and key not in known and not has_placeholder(key):
            close = nearest(key, known)
            fixes = [Fix(f"Change to '{it}'", (RenameKey((*place, key), it),)) for it in close]
            message = (
                f"No stimulus has a tag '{key}', so the suite is empty. Tags: {', '.join(sorted(known))}"
            )
            yield UNMATCHED_FILTER.at((*place, key), message, on="key", fixes=fixes)


def _tags(document: Document) -> set[str]:
    """Return the names of all tags of the project's specs; empty if not all specs are known."""
    folder, files = document.folder, document.files
    if folder is None:
        return set()
    names = _listed(document, "evalFilenames") or USUAL_NAMES
    starts = [folder / it for it in _listed(document, "evals") or ["evals"]]
    paths = {path for start in starts for it in names for path in matching_specs(f"**/{it}", start, files)}
    for suite in document.mapping("suites"):
        for _, pattern in document.texts("suites", suite, "evals"):
            paths |= {
                path for start in (folder, *starts) for path in matching_suite_specs(pattern, start, files)
            }
    if len(paths) > _MAX_SPECS:
        return set()
    return {tag for path in paths for tag in _tags_of(files.data(path))}


def _listed(document: Document, key: str) -> list[str]:
    value = document.value("paths", key)
    return [it for it in (value if isinstance(value, list) else [value]) if isinstance(it, str) and it]


def _tags_of(spec: Any) -> Iterator[str]:
    if not isinstance(spec, Mapping):
        return
    stimuli = spec.get("stimuli")
    for it in (spec, *(stimuli if isinstance(stimuli, list) else ())):
        tags = it.get("tags") if isinstance(it, Mapping) else None
        yield from (str(key) for key in tags) if isinstance(tags, Mapping) else ()
