"""An option or grader type that is newer than the project's waza version.

## Why
An older waza silently ignores the option, or refuses the file. You get this finding only if the project declares its
version: with `target` in `.waza-lsp.toml`, or with the editor's setting `waza.target`.

## Example
A grader with `extract_json: true` in a project with `target = "0.30"`: waza 0.36 introduced the option.

## Instead
The same grader without the option, or a newer waza with a newer `target`.
"""

from waza_engine.model.findings import Rule, Severity

NEWER_THAN_TARGET = Rule(
    "newer-than-target", "option or type that is newer than the project's waza version", Severity.WARNING
)
