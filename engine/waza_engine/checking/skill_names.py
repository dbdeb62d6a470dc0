"""Which skills there are around an eval, by the names in their SKILL.md (waza-formats.md, sections 2, 8 and 13.2)."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from waza_engine.checking.document import Document
from waza_engine.checking.files import Files
from waza_engine.checking.suite_files import text_of
from waza_engine.formats.waza.paths import cleaned
from waza_engine.yaml_reader import YamlError, read_yaml

_LEVELS = 10
_FENCE = "---"


def listed_folders(document: Document) -> list[Path]:
    """The folders of `config.skill_directories`; none when skills are switched off."""
    folder = document.folder
    return [folder / it for _, it in document.texts("config", "skill_directories")] if folder is not None else []


def are_off(document: Document) -> bool:
    """Whether the eval switches all skills off."""
    listed = document.value("config", "skill_directories")
    disabled = document.value("config", "disabled_skills")
    return "none" in (listed if isinstance(listed, list) else ()) or "*" in (
        disabled if isinstance(disabled, list) else ()
    )


def skill_in(folder: Path, files: Files) -> str:
    """The name of the skill whose folder this is: that of its SKILL.md, else the folder's; empty without a SKILL.md."""
    if not files.is_file(folder / "SKILL.md"):
        return ""
    return files.made(folder / "SKILL.md", _name) or folder.name


def skills_around(document: Document) -> set[str]:
    """The names of all skills and custom agents that can be seen from the eval."""
    folder = document.folder
    if folder is None:
        return set()
    found: set[str] = set()
    for it in {*listed_folders(document), *_usual_folders(document, folder)}:
        found |= _named_in(it, document.files)
    return found


def project_of(document: Document) -> tuple[Path, dict[str, Any]] | None:
    """The project file that counts for a document, and its data: the nearest `.waza.yaml` above it."""
    folder = document.folder
    for it in [folder, *folder.parents][:_LEVELS] if folder is not None else ():
        path = it / ".waza.yaml"
        if document.files.is_file(path):
            return path, dict(document.files.mapping(path))
    return None


def project_skills(document: Document) -> list[Path]:
    """The folders of the project's skills: what evals without `skill_directories` use."""
    project = project_of(document)
    if project is None:
        return []
    path, data = project
    paths = data.get("paths")
    named = text_of(paths.get("skills")) if isinstance(paths, dict) else ""
    root = path.parent / (named or "skills")
    return [root / it for it in document.files.names(root) if document.files.is_file(root / it / "SKILL.md")]


def _usual_folders(document: Document, folder: Path) -> Iterator[Path]:
    """Where waza looks for skills, and where people keep them: beside and above the eval, in the project."""
    yield from project_skills(document)
    tops = [folder, *folder.parents][:4]
    if document.process_dir is not None and folder.is_relative_to(document.process_dir):
        tops.append(document.process_dir)
    for top in tops:
        yield top
        for name in ("skills", ".github/skills", ".github/agents", ".claude/skills"):
            root = top / name
            yield root
            yield from (root / it for it in document.files.names(root))


def _named_in(folder: Path, files: Files) -> set[str]:
    agents = [it.removesuffix(".agent.md") for it in files.names(folder) if it.endswith(".agent.md")]
    name = skill_in(folder, files)
    return {*agents, *([name, Path(cleaned(str(folder))).name] if name else [])}


def _name(text: str) -> str:
    """The name in the front matter; empty when there is none that can be read."""
    if not text.startswith(_FENCE):
        return ""
    front, closing, _ = text.removeprefix(_FENCE).partition(f"\n{_FENCE}")
    try:
        data = read_yaml(front) if closing else None
    except YamlError:
        return ""
    name = data.get("name") if isinstance(data, dict) else None
    return text_of(getattr(name, "source", name))
