"""A key, value or grader type that is newer than the project's version of the runner.

## Why
The older version refuses the file, which is an error, or ignores the key, which is a warning. You get this finding only
if the project declares its version: with `target` in `.waza-lsp.toml`, with the editor's settings, or in `package.json`
or a lock file.

## Example
A grader with `extract_json: true` in a project with `target = "0.30"`: waza 0.36 introduced the option.

## Instead
The same grader without the option, or a newer waza with a newer `target`.
"""

from waza_engine.model.findings import Rule, Severity

NEWER_THAN_TARGET = Rule(
    "newer-than-target", "key, value or type that is newer than the project's version", Severity.WARNING
)
