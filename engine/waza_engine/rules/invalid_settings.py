"""A mistake in the project's settings: `.waza-lsp.toml`, or `[tool.waza-lsp]` in `pyproject.toml`.

## Why
A setting with a wrong name or value has no effect, although somebody relies on it. If the file is not valid TOML, or
its sandbox cannot be read, runs refuse to start: they would run without the sandbox. This is then an error.
`--sandbox` and the setting `waza.run.sandbox` take precedence over the file, so a run with one of them starts.

## Example
A `.waza-lsp.toml` with `[rule]` instead of `[rules]`.

## Instead
The same file with `[rules]`.
"""

from waza_engine.model.findings import Rule, Severity

INVALID_SETTINGS = Rule("invalid-settings", "mistake in the project's settings", Severity.WARNING)
