"""Files to begin with: an eval."""

import re
import textwrap

from waza_engine.recognition.starters import (
    EXPERIMENT,
    TASK,
    SkillSketch,
    Starter,
    filled,
    filled_file,
    task_names,
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
    - ${11:folder}

"""


def eval_of_skill(name: str, skill: SkillSketch) -> dict[str, str]:
    """Return a new eval of a skill: first stimuli from the prompts that its description is for, and not for."""
    an_eval, a_task, _ = STARTERS
    head, *_ = an_eval.text.partition("\nstimuli:\n")
    values = {2: skill.purpose or f"What must {skill.name} be able to do?", 11: skill.folder}
    text = filled_file(head + _OF_SKILL, name, values) + "stimuli:\n"
    wanted, others = skill.prompts[:_MOST_TASKS], skill.others[:_MOST_OTHERS]
    if not wanted:
        return {an_eval.path: text + textwrap.indent(filled(a_task.text, name), "  ")}
    names = task_names([*wanted, *others])
    stimuli = (
        _item(filled_file(a_task.text, name, {1: task, 3: prompt}))
        + _example(skill.name, is_wanted=at < len(wanted))
        for at, (task, prompt) in enumerate(zip(names, [*wanted, *others], strict=True))
    )
    return {an_eval.path: text + "\n".join(stimuli)}


def _item(text: str) -> str:
    return textwrap.indent(textwrap.dedent(text), "  ")


def _example(skill: str, *, is_wanted: bool) -> str:
    """Return a grader in a comment: whether the agent loads the skill."""
    # Imported late: few files are written.
    from waza_engine.lib.yaml.writing import yaml_text

    name, option = ("loads-the-skill", "required") if is_wanted else ("loads-no-skill", "disallowed")
    lines = yaml_text({"type": "skill-invocation", "name": name, "config": {option: [skill]}})
    item = f"- {textwrap.indent(lines, '  ').lstrip()}"
    return textwrap.indent(f"With a real agent (the mock loads no skills):\n{item}", "      # ")
