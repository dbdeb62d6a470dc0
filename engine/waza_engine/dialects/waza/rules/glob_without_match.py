"""A task glob that matches no file, or that waza cannot parse.

## Why
waza notices only if all globs together match nothing, and then stops before the first task. If one of several globs
matches nothing, its tasks silently never run. The level is error if no task is left, else warning. If a glob matches a folder, waza tries to read the folder as a task.

## Example
With a task in `tasks/first.yaml`:

```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
tasks: ["task/*.yaml"]
```

```yaml file=tasks/first.yaml
id: first
name: First
inputs:
  prompt: Say hello.
```

## Instead
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-4o
tasks: ["tasks/*.yaml"]
```
"""

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import partial
from pathlib import Path

from waza_engine.dialects.waza.rules.unsupported_glob import has_foreign_syntax
from waza_engine.lib.files.vfs import Files
from waza_engine.lib.go.glob import BadPattern, match
from waza_engine.model.findings import Finding, Fix, Rule, SetValue, Severity
from waza_engine.project.document import Document
from waza_engine.project.missing_paths import near_globs, path_advice, path_fixes
from waza_engine.project.suite_files import SuiteFiles, globs_of

GLOB_WITHOUT_MATCH = Rule("glob-without-match", "task glob that matches no file", fixable=True)
APPLIES = frozenset(["eval"])
_SUFFIXES = (".yaml", ".yml")
_MOST_FOLDERS = 40
_MOST_FIXES = 3
_TASK = """\
id: first
name: First
inputs:
  prompt: What the agent gets.
expected:
  output_contains: [words to look for]
"""
"""The text of a new task."""


def check(document: Document) -> Iterator[Finding]:
    suite, files = document.suite, document.files
    if suite is None or document.has("tasks_from"):
        return
    matching = {index for task in suite.tasks for index in task.globs}
    unmatched = []
    for index, pattern in globs_of(document.mapping()):
        if index in matching:
            continue
        if (reason := _malformed(pattern)) is not None:
            message = f"waza cannot parse the glob '{pattern}': {reason}"
            yield GLOB_WITHOUT_MATCH.at(("tasks", index), message)
        elif not has_foreign_syntax(pattern) and not pattern.startswith("include:"):
            unmatched.append((index, pattern))
    for task in suite.tasks:
        if task.path.suffix not in _SUFFIXES and files.is_directory(task.path):
            yield _folder(document, task.globs[0], task.path)
    likely = _likely_globs(suite, files) if unmatched else []
    for index, pattern in unmatched:
        yield _unmatched(document, suite, index, pattern, likely)


def _unmatched(
    document: Document, suite: SuiteFiles, index: int, pattern: str, likely: Sequence[str]
) -> Finding:
    files, place = document.files, ("tasks", index)

    def _matches(path: Path) -> bool:
        return bool(files.glob(path.name, path.parent))

    def _matches_task(glob: str) -> bool:
        paths = files.glob(glob, suite.folder)
        return document.path not in paths and any(it.suffix.lower() in _SUFFIXES for it in paths)

    meant = [*near_globs(files, suite.folder, pattern, _matches_task)]
    globs = dict.fromkeys([*meant, *sorted(likely, key=partial(_unlikeness, pattern))])
    fixes = [
        Fix(f"Change to '{it}'", (SetValue(place, it),), preferred=[it] == meant)
        for it in [*globs][:_MOST_FIXES]
    ]
    better = [*path_fixes(document, suite.folder, place, pattern, only=_matches, new=_TASK)]
    fixes = [it for it in better if it.preferred] or [*fixes[: _MOST_FIXES - len(better)], *better]
    advice = path_advice(pattern) or (f". Did you mean '{meant[0]}'?" if meant else "")
    message = f"No file matches '{pattern}' in {suite.folder.name}/{advice}"
    # Without any task file, the run cannot start.
    severity = Severity.WARNING if suite.tasks else Severity.ERROR
    return GLOB_WITHOUT_MATCH.at(place, message, severity=severity, fixes=fixes)


def _malformed(pattern: str) -> str | None:
    try:
        match(pattern, "")
    except BadPattern as error:
        return str(error)
    return None


def _folder(document: Document, index: int, path: Path) -> Finding:
    pattern = document.text("tasks", index)
    fix = Fix("Match the files in the folder", (SetValue(("tasks", index), f"{pattern.rstrip('/')}/*.yaml"),))
    message = f"'{pattern}' matches the folder {path.name}/, which waza will try to read as a task"
    return GLOB_WITHOUT_MATCH.at(("tasks", index), message, fixes=[fix] if path.name in pattern else [])


def _likely_globs(suite: SuiteFiles, files: Files) -> list[str]:
    """Return globs for the YAML files in the folders next to the eval, which were probably meant."""
    globs = []
    for name in [it for it in files.names(suite.folder) if not it.startswith(".")][:_MOST_FOLDERS]:
        names = files.names(suite.folder / name)
        globs += [f"{name}/*{end}" for end in _SUFFIXES if any(it.endswith(end) for it in names)]
    return globs


def _unlikeness(one: str, other: str) -> float:
    return -SequenceMatcher(None, one, other).ratio()
