"""What a task wants: work, a refusal, or that something does not happen. Read from the file's own words.

A negative test passes for an agent that does nothing, and rightly so. It must not be accused of it.
"""

import re
from collections.abc import Mapping, Sequence
from enum import Enum

from waza_engine.model.suite import GraderEntry, Suite, Task

MARK = re.compile(r"#\s*waza-lsp:\s*negative-test\b")
"""The comment that marks a negative test."""
_TAG = re.compile(
    r"negative|no[-_ ]?trigger|should[-_ ]?not|anti|out[-_ ]?of[-_ ]?scope|irrelevant|unrelated|off[-_ ]?topic",
    re.IGNORECASE,
)
_REFUSAL_TAG = re.compile(
    r"refus|safety|jailbreak|injection|harmful|decline|guardrail|abstain", re.IGNORECASE
)
_VERBS = r"(?:trigger|activat|invok|load|call|use|using|fire|apply|edit|chang|touch|run)\w*"
_NAME = re.compile(
    rf"^negative\b|\bnegative (?:test|case|trigger|example|prompt)|\b(?:should|must) not\b"
    rf"|\b(?:do|does|will|not|never|without|avoids?|no)(?: not)?(?: \w+){{0,2}}? {_VERBS}|\b(?:no|non|anti) (?:trigger|activation|op)s?\b"
    r"|\b(?:leaves|left) (?:\w+ ){1,4}alone\b|\bstays? (?:silent|out|quiet)\b"
    r"|\b(?:unrelated|irrelevant|off topic|out of scope|small talk)\b",
    re.IGNORECASE,
)
_REFUSAL_NAME = re.compile(
    r"\brefus\w+|\bdeclin\w+|\brejects?\b|\babstains?\b|\bsays no\b|\bpushes back\b", re.IGNORECASE
)
_FORBIDS = re.compile(
    r"^(?:disallow|forbid|forbidden|reject|banned|prohibit|not_|no_|never|exclude)", re.IGNORECASE
)
_NEUTRAL = frozenset(["name", "description", "mode", "threshold"])
_MODES = frozenset(["negative"])


class Intent(Enum):
    """What a task wants of the agent."""

    WORK = "work"
    REFUSAL = "refusal"
    NOTHING = "nothing"
    """Something must not happen: a skill must not load, a tool must not be called, a file must not change."""


def intent_of(suite: Suite, task: Task, text: str = "") -> Intent:
    """Return what a task wants. `text` is the text of its file around it, where a comment can mark it."""
    if MARK.search(text):
        return Intent.NOTHING
    words = [it.replace("_", " ").replace("-", " ") for it in (task.id, task.name)]
    if any(map(_REFUSAL_TAG.search, task.tags)) or any(map(_REFUSAL_NAME.search, words)):
        return Intent.REFUSAL
    is_named = any(map(_TAG.search, task.tags)) or any(map(_NAME.search, words))
    if is_named or _only_forbids([*suite.graders, *task.graders], task):
        return Intent.NOTHING
    return Intent.WORK


def _only_forbids(entries: Sequence[GraderEntry], task: Task) -> bool:
    """Whether every check forbids a tool or a skill. Forbidden words alone do not make a negative test."""
    if any(task.expected.values()) or not entries:
        return False
    return all(_forbids(it) for it in entries)


def _forbids(entry: GraderEntry) -> bool:
    if not isinstance(entry.config, Mapping):
        return False
    options = [(str(key), it) for key, it in entry.config.items() if it not in (None, [], {}, "")]
    if any(key == "mode" and str(it) in _MODES for key, it in options):
        return True
    told = [key for key, _ in options if key not in _NEUTRAL]
    is_about_calls = (
        "tool" in entry.type or "skill" in entry.type or any("tool" in it or "skill" in it for it in told)
    )
    return bool(told) and is_about_calls and all(_FORBIDS.search(it) for it in told)
