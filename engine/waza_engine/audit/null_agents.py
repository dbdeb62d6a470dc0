"""Agents that do no work. A task that one of them passes does not notice whether the work was done."""

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from waza_engine.audit.calls import calls_of
from waza_engine.audit.texts import input_texts
from waza_engine.model.suite import Task
from waza_engine.model.trajectory import Session, Trajectory, Usage

UNTOUCHED = "untouched"
"""The agent that says what a good one says, and changes nothing."""
SILENCE = "silence"
"""The agent that says nothing."""
DONE = "done"
"""The agent that says one word."""
ECHO = "echo"
"""The agent that repeats the prompt."""
EMPTIED = "emptied"
"""The agent that deletes all files."""
_DURATION_MS = 1_000
_REFUSAL = "I'm sorry, I can't help with that."
_WANTS_DONE = (
    r"\b(?:reply|answer|respond|say|return|write|output|print|confirm)\b[^.?!\n]{0,40}\b(?:done|ok|okay)\b"
)
_WANTS_ECHO = r"\b(?:repeat|echo|restate|recite|quote)\b[^.?!\n]{0,40}\b(?:word for word|verbatim|exactly|back|after me|my|this|prompt)\b"
_WANTS_RECITAL = r"\b(?:what|which|show|explain|describe|summari[sz]e|list|how)\b[^.?!\n]{0,60}\bskill\b"
_WANTS_EMPTY = (
    r"\b(?:delete|remove|erase|wipe|purge|drop|empty)\b[^.?!\n]{0,20}\b(?:all|every|everything|workspace|folder|directory)\b"
    r"(?!\s+(?:\w+\s+){1,3}(?:from|in|of)\s+\S+\.\w)"
)
_CLAIM = "I have completed the task. All requested changes are made, and everything works as expected."


@dataclass(frozen=True, slots=True)
class Scene:
    """What a null agent knows: its task, the text of the skill under test ("" if unknown), and a passing trial, if any."""

    task: Task
    skill: str = ""
    passing: Trajectory | None = None


@dataclass(frozen=True, slots=True)
class NullAgent:
    """An agent without work: `name` for reports, `about` in words. `answer` returns None where it makes no sense."""

    name: str
    about: str
    answer: Callable[[Scene], str | None]
    empties_workspace: bool = False
    wanted: str = ""
    """A pattern of prompts that ask for just what it does. Then it is no agent without work, and performs nothing."""

    def perform(self, scene: Scene) -> Trajectory | None:
        """Return its trial of the task, or None if it has no answer."""
        output = self.answer(scene)
        task = scene.task
        if output is None or (self.empties_workspace and not task.files):
            return None
        if self.wanted and re.search(self.wanted, "\n".join([task.prompt, *task.follow_ups]), re.IGNORECASE):
            return None
        return Trajectory(
            task=task.id,
            model=f"null agent {self.name}",
            prompt=task.prompt,
            output=output,
            # Graders of budgets cannot judge a trial without these figures.
            session=Session(
                usage=Usage(turns=1, input_tokens=_tokens(task.prompt), output_tokens=_tokens(output))
            ),
            duration_ms=_DURATION_MS,
            session_id=f"null-{self.name}",
            transcript=list(_transcript(task.prompt, output)),
            files={} if self.empties_workspace else input_texts(task),
            removed=[it.target for it in task.files] if self.empties_workspace else [],
        )


def _tokens(text: str) -> int:
    return len(text) // 4 + 1


def _transcript(prompt: str, output: str) -> Iterator[dict[str, Any]]:
    yield {"type": "session.start"}
    yield {"type": "user.message", "content": prompt}
    yield {"type": "assistant.turn_start"}
    if output:
        yield {"type": "assistant.message", "content": output}
    yield {"type": "assistant.turn_end"}
    yield {"type": "session.idle"}


def _plan(scene: Scene) -> str:
    """Describe the steps, with the tools of the passing trial if there is one."""
    names = dict.fromkeys(it.name for it in calls_of(scene.passing) if it.name) if scene.passing else {}
    steps = [f"I will use {it}." for it in names] or ["I will read the files.", "I will make the changes."]
    steps.append("Then I will check the result.")
    numbered = "\n".join(f"{number}. {it}" for number, it in enumerate(steps, 1))
    return f"Here is my plan for: {scene.task.prompt.strip()}\n\n{numbered}"


def _same_words(scene: Scene) -> str | None:
    """Claim what a passing trial says, if that trial changed the workspace."""
    if scene.passing is None:
        return _CLAIM
    changes = scene.passing.removed or any(
        input_texts(scene.task).get(name) != text for name, text in scene.passing.files.items()
    )
    return scene.passing.output if changes else _CLAIM


NULL_AGENTS: Mapping[str, NullAgent] = {
    it.name: it
    for it in (
        NullAgent(SILENCE, "says nothing", lambda _: ""),
        NullAgent(DONE, 'says only "Done."', lambda _: "Done.", wanted=_WANTS_DONE),
        NullAgent("refusal", "refuses", lambda _: _REFUSAL),
        NullAgent(ECHO, "repeats the prompt", lambda it: it.task.prompt, wanted=_WANTS_ECHO),
        NullAgent("recital", "recites SKILL.md", lambda it: it.skill or None, wanted=_WANTS_RECITAL),
        NullAgent("plan", "makes a plan and calls no tool", _plan),
        NullAgent(UNTOUCHED, "claims success and changes no file", _same_words),
        NullAgent(
            EMPTIED,
            "claims success and deletes all files",
            lambda _: _CLAIM,
            empties_workspace=True,
            wanted=_WANTS_EMPTY,
        ),
    )
}
"""All null agents, by name."""
