"""Find out whether the file of a task marks it as a negative test, with a comment or with a key."""

import re
from functools import lru_cache

from waza_engine.audit.codes import NEGATIVE_TEST
from waza_engine.lib.yaml.lines import YamlLines
from waza_engine.model.suite import LoadError, Suite, Task
from waza_engine.project.reading import read_text

_COMMENT = rf"(?:^|(?<=\s))#\s*waza-lsp:\s*{NEGATIVE_TEST}\b(?!-)"
_KEY = r"""\b(?:should|expects?)_(?:trigger|activat\w+|invo\w+)["']?\s*:\s*["']?(?:false|no|off)\b"""
"""A key by which projects say that the skill must stay out, whether the runner reads it or not."""
_MARK = re.compile(rf"{_COMMENT}|{_KEY}", re.IGNORECASE | re.MULTILINE)
_IN_MARKS = (NEGATIVE_TEST, "should_", "expect_", "expects_")
"""Each mark has one of these words."""
_IS_COMMENT = re.compile(r"\s*#")
_IS_BEFORE_CONTENT = re.compile(r"\s*(?:#.*|---.*|%.*)?$")


def is_marked_negative(suite: Suite, task: Task) -> bool:
    """Whether a mark stands in the task's entry, in the comment above it, or at the top of its file or of the eval's."""
    if task.path is None:
        return _is_marked_at_top(_text(suite))
    text = _text(suite, task)
    if not task.pointer and task.path != suite.path:
        return _is_marked(text) or _is_marked_at_top(_text(suite))
    return _is_marked(text) and (_is_marked_at_top(text) or bool(_MARK.search(_entry(text, task))))


def _text(suite: Suite, task: Task | None = None) -> str:
    try:
        return read_text(task.path if task is not None and task.path is not None else suite.path)
    except LoadError:
        return ""


@lru_cache(maxsize=16)
def _is_marked(text: str) -> bool:
    words = text.lower()
    # Nearly all files have none of these, and the search takes ten times as long.
    return any(it in words for it in _IN_MARKS) and bool(_MARK.search(text))


@lru_cache(maxsize=16)
def _is_marked_at_top(text: str) -> bool:
    """Whether a comment before the first key marks the whole file."""
    top = []
    for line in text.removeprefix("\ufeff").splitlines():
        if not _IS_BEFORE_CONTENT.match(line):
            break
        top.append(line)
    return bool(_MARK.search("\n".join(top)))


_lines = lru_cache(maxsize=4)(YamlLines.of)


def _entry(text: str, task: Task) -> str:
    """Return the lines of a task's entry in a list, with the comment lines directly above it."""
    block = _lines(text).block(task.pointer)
    if not block:
        return ""
    lines = text.removeprefix("\ufeff").splitlines()
    first = block[0][0] - 1
    while first and _IS_COMMENT.match(lines[first - 1]):
        first -= 1
    return "\n".join([*lines[first : block[0][0] - 1], *(it for _, it in block)])
