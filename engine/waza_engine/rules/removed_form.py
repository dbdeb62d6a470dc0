"""A key or value that the runner no longer accepts.

## Why
The project's version of the runner, by default the newest, refuses the file. Older versions accepted or ignored the
form. The version comes from `target` in `.waza-lsp.toml`, from the editor's settings, or from the project's lock file.

## Example
```yaml
name: notes
defaults:
  runs: 1
  executor:
stimuli:
  - name: writes-notes
    prompt: Summarise the meeting for the archive.
    graders:
      - type: output-contains
        config:
          substring: decision
```

## Instead
```yaml
name: notes
defaults:
  runs: 1
stimuli:
  - name: writes-notes
    prompt: Summarise the meeting for the archive.
    graders:
      - type: output-contains
        config:
          substring: decision
```
"""

from waza_engine.model.findings import Rule

REMOVED_FORM = Rule(
    "removed-form",
    "key or value that the runner no longer accepts",
    tags=frozenset(["deprecated"]),
    outdated=True,
    fixable=True,
)
