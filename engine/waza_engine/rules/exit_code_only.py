r"""A test runner that is graded only by its exit status.

## Why
Some test runners exit with status 0 if they find no tests at all: `go test`, `cargo test`, `node --test`, Maven, Gradle
and others. An agent passes if it deletes the tests, or moves them where the runner does not look. Runners that fail
without tests, such as pytest and jest, are not reported.

## Example
```yaml
name: tests
stimuli:
  - name: keeps-the-tests-green
    prompt: Rename the module.
    graders:
      - type: run-command
        config:
          command: go test ./...
scoring:
  threshold: 1
```

## Instead
```yaml
name: tests
stimuli:
  - name: keeps-the-tests-green
    prompt: Rename the module.
    graders:
      - type: run-command
        config:
          command: go test ./...
          stdout_matches: '(?m)^ok\s'
scoring:
  threshold: 1
```
"""

from waza_engine.model.findings import HERE, Rule, Severity

EXIT_CODE_ONLY = Rule(
    "exit-code-only",
    "test runner that is graded only by its exit status",
    Severity.HINT,
    needs=frozenset([HERE]),
)
