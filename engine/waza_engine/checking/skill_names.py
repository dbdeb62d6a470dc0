"""Which skills a run of an eval takes, by the names in their SKILL.md.

See docs/reference/waza-formats.md, sections 8 and 13.2.
"""

from pathlib import Path

from waza_engine.checking.document import Document
from waza_engine.checking.files import Files
from waza_engine.checking.skills import skill_at
from waza_engine.file_names import SKILL_FILE


def listed_folders(document: Document) -> list[Path]:
    """The folders of `config.skill_directories`."""
    folder = document.folder
    return (
        [folder / it for _, it in document.texts("config", "skill_directories")] if folder is not None else []
    )


def are_off(document: Document) -> bool:
    """Whether the eval switches all skills off."""
    listed = document.value("config", "skill_directories")
    disabled = document.value("config", "disabled_skills")
    return (isinstance(listed, list) and "none" in listed) or (isinstance(disabled, list) and "*" in disabled)


def skill_in(folder: Path, files: Files) -> str:
    """The name of the skill whose folder this is; empty without a SKILL.md."""
    return skill_at(folder / SKILL_FILE, files).name if files.is_file(folder / SKILL_FILE) else ""


def has_project_skills(document: Document) -> bool:
    """Whether the project has skills: evals without `skill_directories` use those."""
    suite = document.suite
    if suite is None or suite.project_path is None:
        return False
    named = suite.setting("project:paths.skills")
    root = suite.project_path.parent / (named if isinstance(named, str) and named else "skills")
    return any(skill_in(root / it, document.files) for it in document.files.names(root))
