"""Files to begin with: an eval, a task, trigger tests."""

from waza_engine.recognition.starters import TASK, SkillSketch, Starter, filled, filled_file, task_names

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
    " waza-lsp: ignore[triggers-under-mock] the eval begins with the mock; these prompts need a real agent"
)
_OF_SKILL = """\
  skill_directories:
    - ${11:folder}
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
    head, gap, rest = an_eval.text.partition("\n\ngraders:")
    more = (_OF_SKILL + (_WITH_TRIGGERS if skill.prompts else "")).rstrip()
    about = skill.purpose or f"What must {skill.name} be able to do?"
    values = {2: about, 3: skill.name, 11: skill.folder}
    files = {an_eval.path: filled_file(f"{head}\n{more}{gap}{rest}", name, values)}
    if not skill.prompts:
        return {**files, a_task.path: filled(a_task.text, name)}
    prompts = skill.prompts[:_MOST_TASKS]
    for task, prompt in zip(task_names(prompts), prompts, strict=True):
        files[f"tasks/{task}.yaml"] = filled_file(a_task.text, name, {1: task, 2: prompt, 3: prompt})
    return {**files, "trigger_tests.yaml": _trigger_tests(skill)}


def _trigger_tests(skill: SkillSketch) -> str:
    # Imported late: few files are written.
    from waza_engine.lib.yaml.placed_comments import Comment, Comments
    from waza_engine.lib.yaml.writing import yaml_text

    comments = Comments({("skill",): Comment((_UNDER_MOCK,))})
    lists = {"should_trigger_prompts": skill.prompts, "should_not_trigger_prompts": skill.others}
    texts = [yaml_text({key: [{"prompt": it} for it in found]}) for key, found in lists.items() if found]
    return "\n".join([yaml_text({"skill": skill.name}, comments), *texts])
