r"""A test runner of which only the exit status counts.

## Why
Some test runners end with status 0 when they found no test at all: an agent that deletes the tests, or puts them where
the runner does not look, passes.

## Example
```yaml
name: tests
stimuli:
  - name: keeps-the-tests-green
    prompt: Rename the module.
    graders:
      - type: run-command
        config:
          command: npm test
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
          command: npm test
          stdout_matches: '(?m)^# pass [1-9]'
scoring:
  threshold: 1
```
"""

from waza_engine.model.findings import HERE, Rule, Severity

EXIT_CODE_ONLY = Rule(
    "exit-code-only",
    "test runner of which only the exit status counts",
    Severity.HINT,
    needs=frozenset([HERE]),
)
