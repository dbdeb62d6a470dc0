"""A path or glob of an experiment, or of a suite in `.vally.yaml`, that matches no eval.

## Why
An experiment runs the evals that its paths and globs match. A missing eval goes unnoticed, and without any eval there
is nothing to run; then the level is error. All files that match must be eval specs. Paths are relative to the experiment. The same applies to the suites of a project; their globs are
resolved from the project's folder and from the folders under `paths.evals`.

## Example
```yaml
name: skill-or-not
evals: [evals/eval.yaml]
vary: [/environment/skills]
baseline: without
variants:
  without:
    environment: {skills: []}
  with:
    environment: {skills: [skills/deploy]}
```

```yaml file=eval.yaml
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    graders:
      - type: output-contains
        config: {substring: rolls out}
```

```text file=skills/deploy/SKILL.md
---
name: deploy
description: Deploys.
---
Deploy.
```

## Instead
```yaml
name: skill-or-not
evals: [eval.yaml]
vary: [/environment/skills]
baseline: without
variants:
  without:
    environment: {skills: []}
  with:
    environment: {skills: [skills/deploy]}
```
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from waza_engine.dialects.vally.checks.experiments import matching_evals
from waza_engine.dialects.vally.experiments.globs import matching_specs, matching_suite_specs
from waza_engine.lib.files.vfs import Files
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Finding, Fix, Rule, SetValue, Severity
from waza_engine.model.placeholders import has_placeholder
from waza_engine.project.document import Document
from waza_engine.project.missing_paths import near_globs
from waza_engine.recognition.recognise import recognise

UNMATCHED_EVALS = Rule("unmatched-evals", "path or glob that matches no eval", Severity.WARNING)
APPLIES = frozenset(["experiment", "project"])
_DEFAULT_FOLDER = "evals"


def check(document: Document) -> Iterator[Finding]:
    if document.kind == "project":
        yield from _suites(document)
        return
    matches, folder = matching_evals(document), document.folder
    if folder is None:
        return
    # With one spec the experiment can run; a pattern with a placeholder may match some.
    has_none = len(matches) == len(list(document.texts("evals"))) and not any(it for _, _, it in matches)
    for place, pattern, paths in matches:
        if not paths:
            fate = ", so the run cannot start" if has_none else ""
            severity = Severity.ERROR if has_none else Severity.WARNING
            near = _near(document, folder, pattern, matching_specs)
            message = f"No eval matches '{pattern}' in {folder.name}/{fate}{_advice(near)}"
            yield UNMATCHED_EVALS.at(place, message, severity=severity, fixes=_fixes(place, near))
        elif strange := next((it for it in paths if not _is_spec(document, it)), None):
            what = "this experiment" if strange == document.path else "which is not an eval spec"
            message = f"'{pattern}' matches {strange.name}, {what}, so the run cannot start"
            yield UNMATCHED_EVALS.at(place, message, severity=Severity.ERROR)


def _is_spec(document: Document, path: Path) -> bool:
    data = document.data if path == document.path else document.files.data(path)
    found = recognise(data, path) if isinstance(data, Mapping) else None
    return found is not None and (found[0].name, found[1].runnable) == (document.dialect, "eval")


def _suites(document: Document) -> Iterator[Finding]:
    folder = document.folder
    if folder is None:
        return
    listed = [it for _, it in document.texts("paths", "evals")]
    folders = listed or [document.text("paths", "evals") or _DEFAULT_FOLDER]
    starts = [folder, *(folder / it for it in folders)]
    for suite in document.mapping("suites"):
        for place, pattern in document.texts("suites", suite, "evals"):
            # A pattern that begins with '!' excludes files and need not match any.
            if not pattern or pattern.startswith("!") or has_placeholder(pattern):
                continue
            if _is_generated(document, folder, pattern):
                continue
            if not any(matching_suite_specs(pattern, it, document.files) for it in starts):
                near = _near(document, folder, pattern, matching_suite_specs)
                message = f"No eval matches '{pattern}' in {folder.name}/{_advice(near)}"
                yield UNMATCHED_EVALS.at(place, message, fixes=_fixes(place, near))


def _near(
    document: Document, folder: Path, pattern: str, find: Callable[[str, Path, Files], list[Path]]
) -> list[str]:
    """Return the patterns that were probably meant and match eval specs only."""

    def matches(glob: str) -> bool:
        paths = find(glob, folder, document.files)
        return bool(paths) and all(_is_spec(document, it) for it in paths)

    return [*near_globs(document.files, folder, pattern, matches)]


def _advice(near: Sequence[str]) -> str:
    return f". Did you mean '{near[0]}'?" if near else ""


def _fixes(place: Pointer, near: Sequence[str]) -> list[Fix]:
    return [Fix(f"Change to '{it}'", (SetValue(place, it),), preferred=[it] == [*near]) for it in near]


def _is_generated(document: Document, folder: Path, pattern: str) -> bool:
    """Whether a pattern leads into a hidden folder that does not exist yet, such as `.work/`."""
    first = pattern.removeprefix("./").partition("/")[0]
    return first.startswith(".") and first != ".." and not document.files.exists(folder / first)
