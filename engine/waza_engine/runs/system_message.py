"""What is added to the agent's system message: the skill or custom agent under test, then the instruction files.

waza does so since v0.25 (skill), v0.31 (custom agent) and v0.33 (instruction files);
docs/reference/waza-formats.md, sections 4.2 and 13.3.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path

from waza_engine.executors.skill_body import skill_body
from waza_engine.suite import CustomAgent, Task


def system_message(
    task: Task, skill: str, directories: Sequence[Path], agent: CustomAgent | None, *, inject_skill_body: bool
) -> str:
    """The text, or "" when there is nothing to add."""
    return "\n\n".join(it for it in _parts(task, skill, directories, agent, inject_skill_body) if it)


def _parts(
    task: Task, skill: str, directories: Sequence[Path], agent: CustomAgent | None, inject: bool
) -> Iterator[str]:
    if inject:
        yield skill_body(skill, directories) or (agent.body if agent else "")
    wanted = set(task.instructions)
    for it in task.files:
        if it.target in wanted:
            yield it.content.decode("utf-8-sig", "replace").strip()
