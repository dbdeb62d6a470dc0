"""Files to begin with: an eval, a task, trigger tests."""

from waza_engine.recognition.starters import TASK, SkillSketch, Starter, filled, task_names, yaml_scalar

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
        TASK,
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


_MOST_TASKS = 3
_UNDER_MOCK = (
    "# waza-lsp: ignore[triggers-under-mock] the eval begins with the mock; these prompts need a real agent"
)
_OF_SKILL = """\
  skill_directories:
    - {folder}
"""
_WITH_TRIGGERS = """\
  # With the skill's text in the system prompt, the trigger tests would measure nothing.
  inject_skill_body: false

metrics:
  - name: trigger_accuracy
    weight: 1.0
    threshold: 0.8
"""


def eval_of_skill(name: str, skill: SkillSketch) -> dict[str, str]:
    """Return the files of a new eval of a skill: first tasks and trigger tests from the prompts in its description."""
    an_eval, a_task, _ = STARTERS
    about = yaml_scalar(skill.purpose) if skill.purpose else f"What must {skill.name} be able to do?"
    head, gap, rest = filled(an_eval.text, name, {2: about, 3: skill.name}).partition("\n\ngraders:")
    more = _OF_SKILL.format(folder=yaml_scalar(skill.folder)) + (_WITH_TRIGGERS if skill.prompts else "")
    files = {an_eval.path: f"{head}\n{more.rstrip()}{gap}{rest}"}
    if not skill.prompts:
        return {**files, a_task.path: filled(a_task.text, name)}
    prompts = skill.prompts[:_MOST_TASKS]
    for task, prompt in zip(task_names(prompts), prompts, strict=True):
        files[f"tasks/{task}.yaml"] = filled(a_task.text, name, {1: task, 2: yaml_scalar(prompt), 3: prompt})
    return {**files, "trigger_tests.yaml": _trigger_tests(skill)}


def _trigger_tests(skill: SkillSketch) -> str:
    lines = [_UNDER_MOCK, f"skill: {skill.name}", "", "should_trigger_prompts:"]
    lines += [f"  - prompt: {yaml_scalar(it)}" for it in skill.prompts]
    if skill.others:
        lines += ["", "should_not_trigger_prompts:"]
        lines += [f"  - prompt: {yaml_scalar(it)}" for it in skill.others]
    return "\n".join(lines) + "\n"
