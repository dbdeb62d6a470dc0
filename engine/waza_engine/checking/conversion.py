"""What the graders of older versions are today (waza-formats.md, section 19; waza-graders.md, section 7)."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from waza_engine.findings import Change, MoveKey, Pointer, RemoveKey, RenameKey, SetValue


class Successor(NamedTuple):
    """The type that took a legacy type's place (empty when none did), what to say, and the new names of options."""

    type_name: str
    message: str
    options: Mapping[str, str] = {}


LEGACY_TYPES = {
    "regex": Successor(
        "text",
        "'regex' is from older versions; it is now 'text' with 'regex_match' and 'regex_not_match' "
        "(patterns of the Python version ignored case: add (?i) for that)",
        {"must_match": "regex_match", "must_not_match": "regex_not_match"},
    ),
    "keyword": Successor(
        "text",
        "'keyword' is from older versions; it is now 'text' with 'contains' and 'not_contains'",
        {"must_contain": "contains", "keywords": "contains", "must_not_contain": "not_contains"},
    ),
    "script": Successor(
        "program",
        "'script' is from older versions; 'program' comes nearest: it gets the output, its exit status decides",
    ),
    "llm": Successor(
        "prompt", "'llm' is from older versions; it is now 'prompt', whose judge says pass or fail"
    ),
    "llm_comparison": Successor(
        "prompt",
        "'llm_comparison' is from older versions; a 'prompt' grader can hold the reference in its prompt",
    ),
    "human": Successor("", "'human' is from older versions; newer ones have no grader for people"),
    "human_calibration": Successor(
        "", "'human_calibration' is from older versions, which never computed anything"
    ),
}


def converted(grader: Mapping[str, Any], pointer: Pointer) -> tuple[Change, ...]:
    """The changes that make a legacy grader a current one; none when a person has to do it."""
    kind = str(grader["type"])
    config = grader.get("config")
    if kind == "llm":
        return _as_prompt(grader, pointer)
    names = LEGACY_TYPES[kind].options
    if not names or not isinstance(config, Mapping):
        return ()
    wanted = [names.get(it) for it in config]
    if None in wanted or len(set(wanted)) < len(wanted):
        return ()
    renamed = (RenameKey((*pointer, "config", it), names[it]) for it in config)
    return (SetValue((*pointer, "type"), LEGACY_TYPES[kind].type_name), *renamed)


def _as_prompt(grader: Mapping[str, Any], pointer: Pointer) -> tuple[Change, ...]:
    """The rubric becomes the prompt; a threshold has no counterpart."""
    config = grader.get("config") or {}
    if (
        not isinstance(grader.get("rubric"), str)
        or not isinstance(config, Mapping)
        or set(config) - {"threshold"}
    ):
        return ()
    moves = {"rubric": "prompt", "model": "model"}
    moved = (
        MoveKey((*pointer, key), (*pointer, "config", name)) for key, name in moves.items() if grader.get(key)
    )
    dropped = (RemoveKey((*pointer, "config", it)) for it in config)
    return (SetValue((*pointer, "type"), "prompt"), *dropped, *moved)
