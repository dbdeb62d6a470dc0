"""A skill path without a SKILL.md.

## Why
`environment.skills` lists directories with a SKILL.md, or SKILL.md files. vally loads nothing from any other path and
runs without the skill.

## Example
The skill is in `skills/deploy`:

```yaml
environment:
  skills: [skills/deploi]
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    graders:
      - type: output-contains
        config: {substring: rolls out}
```

```text file=skills/deploy/SKILL.md
---
name: deploy
description: Deploys.
---
Deploy.
```

## Instead
```yaml
environment:
  skills: [skills/deploy]
stimuli:
  - name: explains-the-script
    prompt: Explain what deploy.sh does.
    graders:
      - type: output-contains
        config: {substring: rolls out}
```
"""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from waza_engine.dialects.vally.checks.stimuli import environments, named_environment, spec_folder
from waza_engine.lib.pointer import Pointer
from waza_engine.model.file_names import SKILL_FILE
from waza_engine.model.findings import Finding, Rule, Severity
from waza_engine.model.placeholders import has_placeholder
from waza_engine.project.document import Document
from waza_engine.project.missing_paths import path_advice, path_fixes

SKILL_WITHOUT_FILE = Rule(
    "skill-without-file", "skill path without a SKILL.md", Severity.WARNING, fixable=True
)
APPLIES = frozenset(["eval", "experiment"])


def check(document: Document) -> Iterator[Finding]:
    folder = spec_folder(document)
    if folder is None:
        return
    for environment in environments(document):
        for place, text in document.texts(*environment, "skills"):
            path = folder / text
            if not text or has_placeholder(text) or _is_blank(text):
                continue
            if _is_skill(document, path) or _is_made_later(document, folder, text):
                continue
            fixes = path_fixes(document, folder, place, text.rstrip("/"), only=partial(_is_skill, document))
            message = f"No SKILL.md in '{text}'. The run will have no such skill{path_advice(text)}"
            yield SKILL_WITHOUT_FILE.at(place, message, fixes=fixes)
        yield from _named(document, folder, environment)


def _is_blank(text: str) -> bool:
    """Whether a path has a blank of a template that is copied, such as `<skill-name>`."""
    return ">" in text.partition("<")[2]


def _is_made_later(document: Document, folder: Path, text: str) -> bool:
    """Whether a path leads through a hidden folder that does not exist: worktrees and build folders are made first."""
    parts = Path(text.replace("\\", "/")).parts
    hidden = next((at for at, it in enumerate(parts) if it.startswith(".") and it not in {".", ".."}), None)
    return hidden is not None and not document.files.is_directory(folder.joinpath(*parts[: hidden + 1]))


def _named(document: Document, folder: Path, place: Pointer) -> Iterator[Finding]:
    """Report a missing skill of a named environment, where the spec names it."""
    skills = named_environment(document, place).get("skills")
    for text in skills if isinstance(skills, list) else ():
        if (
            isinstance(text, str)
            and text
            and not has_placeholder(text)
            and not _is_skill(document, folder / text)
        ):
            name = document.text(*place)
            message = f"No SKILL.md in '{text}' of the environment '{name}'. The run will have no such skill"
            yield SKILL_WITHOUT_FILE.at(place, message)
            return


def _is_skill(document: Document, path: Path) -> bool:
    files = document.files
    is_file = path.name == SKILL_FILE and files.is_file(path)
    return is_file or files.is_file(path / SKILL_FILE) or _holds_skills(document, path)


def _holds_skills(document: Document, path: Path) -> bool:
    return any(document.files.is_file(path / it / SKILL_FILE) for it in document.files.names(path))
