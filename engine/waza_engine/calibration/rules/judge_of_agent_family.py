"""A judge of the same model family as the agent.

## Why
Models prefer answers of their own kind, and make the same mistakes. If judge and agent are of one family, the judge is
more lenient with this agent than with another, so comparisons between agents are not fair.

## What to do
Let a model of another family judge. Or measure how well the judge agrees with people: [Is my judge right?](../judges.md).

## Example
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-5.2
tasks: ["tasks/*.yaml"]
graders:
  - type: prompt
    name: is-polite
    config:
      prompt: Is the answer polite?
      model: gpt-5.2-mini
```

## Instead
```yaml
name: notes-eval
skill: notes
config:
  trials_per_task: 1
  timeout_seconds: 60
  executor: copilot-sdk
  model: gpt-5.2
tasks: ["tasks/*.yaml"]
graders:
  - type: prompt
    name: is-polite
    config:
      prompt: Is the answer polite?
      model: claude-sonnet-4.6
```
"""

from collections.abc import Iterator

from waza_engine.calibration.codes import JUDGE_OF_AGENT_FAMILY
from waza_engine.calibration.standing import JudgeStanding
from waza_engine.model.findings import Finding


def check(standing: JudgeStanding) -> Iterator[Finding]:
    """Report a judge of the agent's family, unless people agree with it."""
    known = standing.record.with_people if standing.record is not None else None
    is_proven = known is not None and known.kappa_interval is not None and known.kappa_interval.lower >= 0.6
    if standing.family and not is_proven:
        message = f"Agent and judge are both {standing.family} models, which prefer answers of their own kind"
        yield JUDGE_OF_AGENT_FAMILY.at(standing.grader.entry.pointer, message)
