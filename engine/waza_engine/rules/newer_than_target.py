"""An option or grader type that the waza version of the project does not know.

## Why
An older waza ignores the option silently, or refuses the file. Only projects that say which version they use get
this finding: `target` in `.waza-lsp.toml`, or the editor's setting `waza.target`.

## Example
With `target = "0.30"`, a grader with `extract_json: true`: the option came with waza 0.36.

## Instead
The same grader without the option, or a newer waza and a newer `target`.
"""

from waza_engine.model.findings import Rule, Severity

NEWER_THAN_TARGET = Rule(
    "newer-than-target", "option or type that the project's waza version does not know", Severity.WARNING
)
