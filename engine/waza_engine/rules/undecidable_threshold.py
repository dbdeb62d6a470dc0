"""A threshold that so few observations can never tell from chance.

## Why
A score from a few trials is a sample. Even if all of 6 trials pass, the true pass rate may be 61 %: then the eval passes
a threshold of 0.8 that the agent does not meet. It takes 14 trials without a failure to show a rate above 0.8. This is
checked where you repeat trials, because then the eval measures a rate; with a single trial of each stimulus, the
threshold is a pass mark for the trial.

For `trigger_accuracy` the comparison is with guessing: a skill that triggers at random is right about all of 4 prompts
in 1 of 16 runs. It takes at least 5 prompts. See [How sure is this?](../how-sure-is-this.md).

## Example
```yaml
defaults:
  runs: 3
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    graders:
      - type: output-contains
        config: {substring: rolls out}
scoring:
  threshold: 0.8
```

## Instead
```yaml
defaults:
  runs: 14
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    graders:
      - type: output-contains
        config: {substring: rolls out}
scoring:
  threshold: 0.8
```
"""

from collections.abc import Iterator

from waza_engine.model.findings import Finding, Rule, Severity
from waza_engine.project.document import Document
from waza_engine.rules.too_few_tasks import cannot_compare

UNDECIDABLE_THRESHOLD = Rule(
    "undecidable-threshold", "threshold that so few observations cannot tell from chance", Severity.HINT
)
APPLIES = frozenset(["eval"])


def check(document: Document) -> Iterator[Finding]:
    sample = document.sample
    # One hint about sample sizes is enough.
    if sample is None or cannot_compare(sample):
        return
    for it in sample.thresholds:
        # Imported late: few evals have such a threshold.
        from waza_engine.statistics.power import passes_to_show

        # Another finding says that a threshold is no share.
        is_rate = 0 < it.value <= 1 and (it.guessed is not None or sample.trials > 1)
        needed = passes_to_show(it.value if it.guessed is None else it.guessed)
        if is_rate and needed is not None and it.count < needed:
            what = "guessing" if it.guessed is not None else f"a true value below {it.value:g}"
            message = f"With {it.count} {it.noun}, even a perfect result cannot be told from {what}. It takes at least {needed}"
            yield UNDECIDABLE_THRESHOLD.at(it.pointer, message)
            return
