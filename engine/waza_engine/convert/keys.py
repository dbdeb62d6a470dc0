"""The keys of both dialects that mean the same. Their comments move along, and the page on converting lists them."""

from typing import NamedTuple

from waza_engine.dialects.vally.formats.settings import EXECUTORS as VALLY_EXECUTORS
from waza_engine.dialects.waza.formats.settings import EXECUTORS as WAZA_EXECUTORS
from waza_engine.lib.pointer import Pointer

DEFAULT_EXECUTOR = "copilot-sdk"
EXECUTORS = frozenset(VALLY_EXECUTORS) & frozenset(WAZA_EXECUTORS)
"""The executors of both; others are plug-ins of one of them."""
ORDER = "order"
"""The key of the kept comment for the order of the stimuli: waza sorts task files by name."""
DISABLED = "disabled"
"""The key of the kept comment for tasks that are disabled in waza."""


class SameKey(NamedTuple):
    """A key of vally and the one of waza with the same meaning."""

    vally: Pointer
    waza: Pointer
    note: str = ""


SUITE_KEYS = (
    SameKey(("name",), ("name",)),
    SameKey(("description",), ("description",)),
    SameKey(("tags", "skill"), ("skill",), "without the tag, the first skill of the environment"),
    SameKey(("defaults",), ("config",)),
    SameKey(("defaults", "runs"), ("config", "trials_per_task")),
    SameKey(
        ("defaults", "timeout"),
        ("config", "timeout_seconds"),
        "rounded up to seconds; per trial in vally, per turn in waza",
    ),
    SameKey(
        ("defaults", "executor"),
        ("config", "executor"),
        "a plug-in's executor becomes `copilot-sdk`, with a note",
    ),
    SameKey(("defaults", "model"), ("config", "model")),
    SameKey(("defaults", "judge_model"), ("config", "judge_model")),
    SameKey(("defaults", "reasoning_effort"), ("config", "reasoning_effort")),
    SameKey(("defaults", "judge_reasoning_effort"), ("config", "judge_reasoning_effort")),
    SameKey(("environment", "skills"), ("config", "skill_directories")),
    SameKey(("environment", "mcpServers"), ("config", "mcp_servers")),
    SameKey(("graders",), ("graders",), "waza's are copied into each stimulus"),
    SameKey(("stimuli",), ("tasks",), "a task file for each stimulus"),
    SameKey(("scoring", "weights"), ("graders", "*", "weight"), "vally has one weight per type"),
)
TASK_KEYS = (
    SameKey(("name",), ("id",)),
    SameKey(("prompt",), ("inputs", "prompt")),
    SameKey(("turns",), ("inputs", "follow_up_prompts"), "the first turn is the prompt"),
    SameKey(
        ("tags",),
        ("tags",),
        "`tier: ci` is `tier=ci` in waza; tags without a value are under `tags.tags` in vally",
    ),
    SameKey(("environment", "files"), ("inputs", "files")),
    SameKey(
        ("environment", "skills"),
        ("skill_directories",),
        "waza's replace those of the suite, vally's extend them",
    ),
    SameKey(("graders",), ("graders",)),
    SameKey(("constraints",), ("graders",), "each becomes a grader, and counts in the score"),
    SameKey(("graders",), ("expected",), "texts that the output must, or must not, contain"),
)
