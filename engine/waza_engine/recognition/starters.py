"""Files to begin with: each dialect has some (`Dialect.starters`), for new evals and for snippets of editors.

A text has tab stops as editors write them: `${1:a default}`, or `${2|one,another|}` for a choice. Both end at the first
brace, so a default has none. `my-skill` stands for the name of what is tested.
"""

import re
import unicodedata
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import PurePosixPath
from typing import Any

from waza_engine.recognition.recognise import dialect, dialects, load_object

_TAB_STOP = re.compile(r"\$\{(\d+)(?::([^}]*)|\|([^,|]*)[^}]*)\}")
_EXAMPLE = "my-skill"
NAME_PATTERN = r"(?!(?i:true|false|null|yes|no|on|off|y|n)$)[A-Za-z][A-Za-z0-9._-]*"
"""Names that can be folders, and strings in YAML without quotes."""


@dataclass(frozen=True, slots=True)
class Starter:
    """One file. `path` is its place in a new eval, empty if a new eval begins without it.

    In a task, the tab stops 1, 2 and 3 are its id, its title and its prompt. If it `is_item`, it is no file but an item
    of the list of tasks.
    """

    name: str
    path: str
    description: str
    text: str
    is_item: bool = False


TASK = "task"
EXPERIMENT = "experiment"
"""Names of starters. In an experiment, the tab stops 1 and 3 are its name and the path of an eval."""
_SKILL = """\
---
name: my-skill
description: |
  What the skill does, in one sentence.
  USE FOR: "a request that the skill is for", "another such request".
  DO NOT USE FOR: a request that looks like it.
---

# my-skill

1. What the agent does first.
2. What it does next, and when it is done.
"""


def starters(name: str) -> tuple[Starter, ...]:
    """Return the files to begin with of the dialect called `name`.

    Raises:
        KeyError: there is no such dialect.

    """
    source = dialect(name).starters
    return load_object(source) if source else ()


def dialects_with_new_evals() -> list[str]:
    """Return the names of the dialects in which an eval can begin, the default dialect first."""
    found = [it for it in dialects() if any(one.path for one in starters(it.name))]
    return [it.name for it in sorted(found, key=lambda it: not it.is_default)]


def new_eval(dialect_name: str, name: str) -> dict[str, str]:
    """Return the files of a new eval by their relative paths, the eval first. It runs without a model.

    Raises:
        KeyError: there is no such dialect.

    """
    return {it.path: filled(it.text, name) for it in starters(dialect_name) if it.path}


def starter(dialect_name: str, name: str) -> Starter | None:
    """Return one of the files to begin with; None if the dialect has none of this name."""
    return next((it for it in starters(dialect_name) if it.name == name), None)


def filled(text: str, name: str, values: Mapping[int, str] | None = None) -> str:
    """Return a text to begin with for what is tested: each tab stop has its value, or else its default."""
    given = values or {}
    return _TAB_STOP.sub(
        lambda it: given.get(int(it[1]), (it[2] or it[3] or "").replace(_EXAMPLE, name)), text
    ).replace(_EXAMPLE, name)


def filled_file(text: str, name: str, values: Mapping[int, Any]) -> str:
    """Return a text to begin with as `filled` does. The values may be any text; that of a list item may be a list."""
    # Imported late: few files are written.
    from waza_engine.lib.yaml.writing import with_values

    names = {number: it for number, it in values.items() if re.fullmatch(NAME_PATTERN, str(it))}
    others = {f"<{number}>": it for number, it in values.items() if number not in names}
    marks = {number: f"<{number}>" for number in values} | names
    return with_values(filled(text, name, marks), others)


def filled_item(text: str, name: str, values: Mapping[int, Any]) -> dict[str, Any]:
    """Return the data of a text to begin with that is one item. Its texts of one line have no line end."""
    # Imported late, as above.
    from waza_engine.lib.yaml.reader import read_yaml
    from waza_engine.lib.yaml.scalars import plain

    [item] = plain(read_yaml(filled_file(text, name, values)))
    return {key: it.rstrip("\n") if isinstance(it, str) else it for key, it in item.items()}


def new_skill(name: str) -> str:
    """Return the text of a new SKILL.md."""
    return _SKILL.replace(_EXAMPLE, name)


@dataclass(frozen=True, slots=True)
class SkillSketch:
    """What a new eval needs of a skill: the folder relative to the eval, and prompts that it is for and not for."""

    name: str
    folder: str
    purpose: str = ""
    prompts: tuple[str, ...] = ()
    others: tuple[str, ...] = ()


def eval_of_skill(dialect_name: str, name: str, skill: SkillSketch) -> dict[str, str]:
    """Return the files of a new eval of a skill, as `new_eval` does.

    Raises:
        KeyError: the dialect cannot begin an eval with a skill.

    """
    source = dialect(dialect_name).eval_of_skill
    if not source:
        raise KeyError(dialect_name)
    make: Callable[[str, SkillSketch], dict[str, str]] = load_object(source)
    return make(name, skill)


_TASK_NAME_LENGTH = 40
_WILDCARDS = frozenset("*?[{")


def task_names(prompts: Iterable[str]) -> list[str]:
    """Return a name for the task of each prompt: its first words with dashes."""
    found: list[str] = []
    for prompt in prompts:
        # "größe" is "grosse".
        ascii_ = unicodedata.normalize("NFKD", prompt.casefold()).encode("ascii", "ignore").decode()
        slug = re.sub(r"[^a-z0-9]+", "-", ascii_).strip("-")
        if len(slug) > _TASK_NAME_LENGTH:
            slug = slug[:_TASK_NAME_LENGTH].rpartition("-")[0] or slug[:_TASK_NAME_LENGTH]
        slug = slug if re.fullmatch(NAME_PATTERN, slug) else f"task-{slug}".strip("-")
        number = sum(it == slug or it.startswith(f"{slug}-") for it in found)
        found.append(f"{slug}-{number + 1}" if slug in found else slug)
    return found


def task_place(globs: Iterable[str], name: str) -> str:
    """Return the path of a new task, relative to its eval: in the folder of the first glob."""
    folders = (PurePosixPath(it).parent for it in globs if "/" in it)
    folder = next((it for it in folders if not _WILDCARDS.intersection(str(it))), PurePosixPath("tasks"))
    return str(folder / f"{name}.yaml")


def is_listed(globs: Iterable[str], place: str) -> bool:
    """Whether a glob of the eval includes a path."""
    return any(fnmatch(place, it.removeprefix("./")) for it in globs)
