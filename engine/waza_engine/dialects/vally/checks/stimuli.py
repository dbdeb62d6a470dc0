"""Facts about stimuli that several rules use."""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from waza_engine.dialects.vally.formats.settings import EXECUTORS
from waza_engine.graders.registry import current_grader
from waza_engine.lib.pointer import Pointer
from waza_engine.lib.yaml.reader import YamlError, read_yaml
from waza_engine.lib.yaml.scalars import plain
from waza_engine.project.document import Document
from waza_engine.project.skills import FOR_THE_AGENT


def grader_types(document: Document) -> list[str]:
    """Return the distinct grader types of the file, in text order."""
    return list(
        dict.fromkeys(it for _, data in document.graders() if isinstance(it := data.get("type"), str))
    )


def asks_judge(document: Document, grader: Mapping[str, Any]) -> bool:
    """Whether a grader entry uses a judge model; true for unknown types, which may use one."""
    kind = current_grader(document.dialect, str(grader.get("type")))
    return kind is None or kind.asks_judge


_KEYS_OF_PARTS = frozenset(["name", "description", "version", "tags", "stimuli"])
_SUFFIXES = (".yaml", ".yml")
_LEVELS, _MAX_SPECS = 6, 20
_ENVIRONMENTS = (*FOR_THE_AGENT, "grading_environment")


def environments(document: Document) -> Iterator[Pointer]:
    """Yield the locations of environments: of the spec and its stimuli, or of an experiment's variants."""
    if document.kind == "experiment":
        yield from (("variants", name, "environment") for name in document.mapping("variants"))
        return
    for pointer in ((), *(it for it, _ in document.tasks())):
        yield from ((*pointer, key) for key in _ENVIRONMENTS)


def spec_folder(document: Document) -> Path | None:
    """Return the folder that paths in the environments of a spec are relative to; None if it is unknown.

    A file with stimuli only may be a part of a spec in a folder above, which has stimuli of the same names: then its
    paths are meant from there.
    """
    whole = whole_spec(document)
    return whole.parent if whole is not None else document.folder


def whole_spec(document: Document) -> Path | None:
    """Return the spec above that contains the stimuli of this part of a spec; None if the document is a whole spec."""
    return document.once("whole spec", lambda: _whole_spec(document))


def _whole_spec(document: Document) -> Path | None:
    names = {name for _, it in document.tasks() if isinstance(name := it.get("name"), str)}
    if document.path is None or not names or not document.mapping().keys() <= _KEYS_OF_PARTS:
        return None
    files = document.files
    for folder in list(document.path.parents)[1:_LEVELS]:
        specs = [it for it in files.names(folder) if it.endswith(_SUFFIXES)][:_MAX_SPECS]
        for path in (folder / it for it in specs):
            if names <= (files.read_as(path, _names_of_stimuli) or frozenset()):
                return path
        if files.exists(folder / ".git"):
            break
    return None


def _names_of_stimuli(text: str) -> frozenset[str]:
    """Return the names of the stimuli in the text of a spec."""
    # Folders above can hold any YAML file, of megabytes too. Parsing one takes seconds.
    if "stimuli" not in text:
        return frozenset()
    try:
        data = plain(read_yaml(text))
    except YamlError:
        return frozenset()
    stimuli = data.get("stimuli") if isinstance(data, dict) else None
    found = [it.get("name") for it in stimuli if isinstance(it, dict)] if isinstance(stimuli, list) else []
    return frozenset(it for it in found if isinstance(it, str))


def named_environment(document: Document, place: Pointer) -> Mapping[str, Any]:
    """Return the environment of the project that the string at `place` names; empty without one."""
    name, suite = document.text(*place), document.suite
    path = suite.project_path if name and suite is not None else None
    known = document.files.mapping(path).get("environments") if path is not None else None
    found = known.get(name) if isinstance(known, Mapping) else None
    return found if isinstance(found, Mapping) else {}


def has_own_executor(document: Document) -> bool:
    """Whether a plug-in runs the stimuli; it creates the workspace in its own way."""
    executor = document.value("defaults", "executor") or document.value("config", "executor")
    name = executor.get("name") if isinstance(executor, dict) else executor
    return isinstance(name, str) and name not in EXECUTORS


def numbers(data: Mapping[str, Any]) -> dict[str, float]:
    """Return the entries whose values are numbers."""
    values = {key: plain(it) for key, it in data.items()}
    return {key: it for key, it in values.items() if isinstance(it, int | float) and not isinstance(it, bool)}
