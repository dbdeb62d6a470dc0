"""Files to begin with: an eval."""

import re
import textwrap

from waza_engine.recognition.starters import (
    EXPERIMENT,
    TASK,
    SkillSketch,
    Starter,
    filled,
    task_names,
    yaml_scalar,
)

_STIMULUS = """\
- name: ${1:first-task}
  prompt: |
    ${3:What is the agent asked to do?}
  graders:
    - type: output-not-contains
      name: ${4:no-excuses}
      config:
        value: ${5:I don't have access}
"""
_STOPS_BEFORE = 10


def _in_eval(item: str) -> str:
    """Return an item of the list in the eval: indented, with its tab stops after those of the eval."""
    later = re.sub(r"\$\{(\d+)", lambda it: "${" + str(int(it[1]) + _STOPS_BEFORE), item)
    return textwrap.indent(later, "  ")


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
"""
        + _in_eval(_STIMULUS),
    ),
    Starter(
        TASK,
        "",
        "A stimulus: what the agent is asked, and how its work is graded",
        _STIMULUS,
        is_item=True,
    ),
    Starter(
        EXPERIMENT,
        "",
        "An experiment: the same evals with different settings, compared with a baseline",
        """\
name: ${1:my-skill}-models
description: ${2:Which model does the task better?}
evals:
  - ${3:my-skill/eval.yaml}

# The settings in which the variants differ.
vary:
  - /defaults/model
baseline: ${4:gpt-4o}
variants:
  ${4:gpt-4o}:
    overrides:
      model: ${4:gpt-4o}
  ${5:claude-sonnet-4.6}:
    overrides:
      model: ${5:claude-sonnet-4.6}
""",
    ),
)

_MOST_TASKS = 3
_MOST_OTHERS = 2
_OF_SKILL = """
environment:
  skills:
    - {folder}

"""
_ACTIVATES = """\
      # With a real agent (the mock loads no skills):
      # - type: skill-invocation
      #   name: {name}
      #   config:
      #     {option}:
      #       - {skill}
"""


def eval_of_skill(name: str, skill: SkillSketch) -> dict[str, str]:
    """Return a new eval of a skill: first stimuli from the prompts that its description is for, and not for."""
    an_eval, a_task, _ = STARTERS
    about = yaml_scalar(skill.purpose) if skill.purpose else f"What must {skill.name} be able to do?"
    head, *_ = an_eval.text.partition("\nstimuli:\n")
    text = filled(head, name, {2: about}) + _OF_SKILL.format(folder=yaml_scalar(skill.folder)) + "stimuli:\n"
    wanted, others = skill.prompts[:_MOST_TASKS], skill.others[:_MOST_OTHERS]
    prompts = [*((it, True) for it in wanted), *((it, False) for it in others)]
    if not wanted:
        return {an_eval.path: text + textwrap.indent(filled(a_task.text, name), "  ")}
    names = task_names(it for it, _ in prompts)
    stimuli = (
        textwrap.indent(filled(a_task.text, name, {1: task, 3: prompt}), "  ")
        + _ACTIVATES.format(
            name="loads-the-skill" if is_wanted else "loads-no-skill",
            option="required" if is_wanted else "disallowed",
            skill=skill.name,
        )
        for task, (prompt, is_wanted) in zip(names, prompts, strict=True)
    )
    return {an_eval.path: text + "\n".join(stimuli)}
