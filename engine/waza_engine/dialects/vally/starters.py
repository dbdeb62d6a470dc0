"""Files to begin with: an eval."""

from waza_engine.recognition.starters import Starter

STARTERS = (
    Starter(
        "eval",
        "eval.yaml",
        "An eval: what is tested, with which agent, and its stimuli with their graders",
        """\
name: ${1:my-skill}-eval
description: ${2:What must this skill be able to do?}
type: ${3|capability,regression|}

defaults:
  runs: ${4:1}
  timeout: ${5:5m}
  # The mock needs no model; copilot-sdk runs a real agent.
  executor: ${6|mock,copilot-sdk|}
  model: ${7:gpt-4o}

stimuli:
  - name: ${8:first-task}
    prompt: |
      ${9:What is the agent asked to do?}
    graders:
      - type: output-not-contains
        name: ${10:no-excuses}
        config:
          value: ${11:I don't have access}
""",
    ),
)
