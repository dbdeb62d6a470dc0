"""What an editor shows in a quiz, as JSON. It is its own program: the dialect must be installed when it starts."""

import json
import sys

from tests.behaviour.completion_harness import completions_at
from tests.behaviour.findings_harness import findings_in
from tests.behaviour.reading_harness import hover_at, lenses

NAME = "a.quiz.yaml"
QUIZ = """\
title: Europe
questions:
  - id: capital
    ask: {ask}
    checks:
      - type: says
        config:
          {option}
"""


def shown() -> dict[str, object]:
    found = findings_in(QUIZ.format(ask="Name the capital.", option="wrods: [Paris]"), NAME)
    hover = hover_at(QUIZ.format(ask="Where is it?", option="wor¦ds: [Paris]"), NAME)
    good = QUIZ.format(ask="Where is it?", option="words: [Paris]")
    return {
        "findings": [[it.line, it.underlined, it.code] for it in found],
        "none": [it.code for it in findings_in(good, NAME)],
        "types": completions_at(good.replace("type: says", "type: ¦"), NAME).labels,
        "options": completions_at(QUIZ.format(ask="Where is it?", option="¦"), NAME).labels,
        "hover": hover.text if hover else "",
        "lenses": [[line, task] for line, _, task in lenses(good, NAME)],
    }


if __name__ == "__main__":
    json.dump(shown(), sys.stdout)
