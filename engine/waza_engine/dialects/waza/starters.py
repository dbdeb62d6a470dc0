"""Files to begin with: an eval, a task, trigger tests."""

from waza_engine.recognition.starters import Starter

STARTERS = (
    Starter(
        "eval",
        "eval.yaml",
        "An eval: what is tested, with which agent, and what holds for every task",
        """\
name: ${1:my-skill}-eval
description: ${2:What must this skill be able to do?}
skill: ${3:my-skill}

config:
  trials_per_task: ${4:1}
  timeout_seconds: ${5:300}
  # The mock needs no model; copilot-sdk runs a real agent.
  executor: ${6|mock,copilot-sdk|}
  model: ${7:gpt-4o}

graders:
  - type: text
    name: ${8:no-excuses}
    config:
      not_contains:
        - ${9:I don't have access}

tasks:
  - ${10:tasks/*.yaml}
""",
    ),
    Starter(
        "task",
        "tasks/first-task.yaml",
        "A task: what the agent is asked, and how its work is graded",
        """\
id: ${1:first-task}
name: ${2:The first task}

inputs:
  prompt: |
    ${3:What is the agent asked to do?}

graders:
  - type: code
    name: ${4:to-the-point}
    config:
      assertions:
        - ${5:len(output.split()) <= 200}
""",
    ),
    Starter(
        "triggers",
        "",
        "Trigger tests: prompts that must, and must not, bring a skill in",
        """\
skill: ${1:my-skill}

should_trigger_prompts:
  - prompt: ${2:A request that the skill is for}

should_not_trigger_prompts:
  - prompt: ${3:A request that looks like it}
    reason: ${4:and why it is none}
""",
    ),
)
