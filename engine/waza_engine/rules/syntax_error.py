"""Text that is not YAML.

## Why
Nothing in the file can be read reliably; waza stops with an error that often names another line.

## Example
```yaml
name: notes-eval
skill: "notes
```

## Instead
```yaml
name: notes-eval
skill: "notes"
```
"""

from waza_engine.findings import Rule

SYNTAX_ERROR = Rule("syntax-error", "text that is not YAML")
