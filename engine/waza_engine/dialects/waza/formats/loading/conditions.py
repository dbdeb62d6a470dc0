"""Conditions of waza's loader that rules use too. Importing them builds no models.

See docs/reference/waza-formats.md, sections 4.2, 4.6 and 4.7.
"""

from waza_engine.lib.go.paths import leads_out

NEEDS = {"mcp_mocks": (1, 1), "adversarial": (1, 2), "command_mocks": (1, 3)}
"""The oldest format version that has a key of an eval. Counts only if the eval states a version."""
TASK_NEEDS = {"checkpoints": (1, 1), "command_mocks": NEEDS["command_mocks"]}
"""The same for keys of a task."""

WITHOUT_COPILOT = frozenset(["mock", "codex", "claude-cli"])
"""waza's executors without command mocks and reasoning efforts. Our own executors declare what they ignore."""


def parse_version(text: str) -> tuple[int, int] | None:
    """Return major and minor number of a format version, None if it is not one."""
    parts = text.split(".")
    if len(parts) != 2 or not all(it.isascii() and it.isdigit() for it in parts):
        return None
    return int(parts[0]), int(parts[1])


def is_elsewhere(path: str) -> bool:
    """Whether a path of a mock is absolute for waza (also with a drive letter), or leads out of its folder."""
    return leads_out(path) or path[1:2] == ":"
