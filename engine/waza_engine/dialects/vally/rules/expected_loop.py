"""A `loop-outcome` check that demands a loop.

## Why
With `should_loop: true` the check passes only if the agent repeats itself. Usually an eval wants the opposite: the agent
should notice the dead end and stop.

## Example
```yaml
name: dead-end
stimuli:
  - name: missing-host
    prompt: Fetch the status of a host that does not exist.
    graders:
      - type: loop-outcome
        config:
          max_acceptable_retries: 2
          should_loop: true
scoring:
  threshold: 1
```

## Instead
```yaml
name: dead-end
stimuli:
  - name: missing-host
    prompt: Fetch the status of a host that does not exist.
    graders:
      - type: loop-outcome
        config:
          max_acceptable_retries: 2
scoring:
  threshold: 1
```
"""

from waza_engine.model.findings import HERE, Rule, Severity

EXPECTED_LOOP = Rule(
    "expected-loop", "check that passes only if the agent loops", Severity.HINT, needs=frozenset([HERE])
)
