"""Find the evals that may test a skill, without loading all evals of a workspace."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from waza_engine.lib.files.vfs import Files
from waza_engine.lib.paths import real_path
from waza_engine.model.file_names import SKILL_FILE
from waza_engine.model.suite import Suite
from waza_engine.project.skills import Skill
from waza_engine.project.suite_files import owner_of
from waza_engine.recognition.recognise import recognise


def evals_that_may_test(skill: Skill, paths: Iterable[Path], files: Files) -> list[Path]:
    """Return the evals among YAML files that may test a skill, in order.

    Only files that name it, its folder, or the folder that it is the only skill of are parsed.
    """
    pattern, home = _pattern(skill, files), skill.path.parent
    found: dict[Path, None] = {}
    for path in paths:
        is_near = path.is_relative_to(home) or path.parent.name in {skill.name, home.name}
        text = None if is_near else files.text(path)
        if is_near or (text is not None and pattern.search(text)):
            eval_path = _eval_of(path, files)
            if eval_path is not None:
                found[eval_path] = None
    return [*found]


def _pattern(skill: Skill, files: Files) -> re.Pattern[str]:
    home = skill.path.parent
    names = "|".join(re.escape(it) for it in sorted({skill.name, home.name}))
    # Names have letters, digits and dashes: `notes` is not in `release-notes`.
    pattern = rf"(?<![\w-])(?:{names})(?![\w-])"
    siblings = (home.parent / it / SKILL_FILE for it in files.names(home.parent) if it != home.name)
    if not any(files.is_file(it) for it in siblings):
        pattern += rf"|(?<![\w-]){re.escape(home.parent.name)}/?[\"']?[ \t]*(?:[],}}#\r\n]|$)"
    return re.compile(pattern)


def _eval_of(path: Path, files: Files) -> Path | None:
    found = recognise(files.mapping(path), path)
    if found is None:
        return owner_of("task", path, files)
    kind = found[1].runnable or found[1].name
    return owner_of(kind, path, files) if kind != "experiment" else None


class SuiteIndex:
    """Loaded suites by what leads from a skill to them."""

    def __init__(self, suites: Iterable[Suite]) -> None:
        self._by_key: dict[object, list[Suite]] = {}
        for suite in suites:
            for key in dict.fromkeys(_keys(suite)):
                self._by_key.setdefault(key, []).append(suite)

    def of(self, skill: Skill) -> list[Suite]:
        """Return the suites that may test a skill, in order of their paths."""
        home = real_path(skill.path.parent)
        keys = [skill.name, skill.path.parent.name, real_path(skill.path), home, home.parent, ("below", home)]
        found = {it.path: it for key in keys for it in self._by_key.get(key, ())}
        return [found[it] for it in sorted(found)]


def _keys(suite: Suite) -> Iterator[object]:
    yield suite.skill.strip() or suite.directory.name
    if suite.triggers is not None:
        yield suite.triggers.skill.strip()
    for listed in [suite.settings.skill_directories, *(it.skill_directories or () for it in suite.tasks)]:
        yield from (real_path(suite.directory / it) for it in listed)
    home = real_path(suite.directory)
    for folder in (home, *home.parents):
        yield "below", folder
