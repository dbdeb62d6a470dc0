"""Grades recorded work in bulk: one JSON object in, one out (docs/reference/grade-batch.md is the contract)."""

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from waza_engine.graders.base import ConfigError, GraderResult, GradingContext, Scope
from waza_engine.graders.result import GraderFailure, GraderVerdict, RunVerdict
from waza_engine.grading.batch_input import InputError, grading_context
from waza_engine.grading.grade import grade_entry, grade_run, name_and_type, refuse_errors
from waza_engine.lib.files.temporary import temporary_folder
from waza_engine.lib.go.json import JsonError, read_json
from waza_engine.lib.paths import PathError, workspace_path
from waza_engine.lib.yaml.reader import RefusedEntry, YamlError, read_grader_list
from waza_engine.model.fields import as_text, is_null
from waza_engine.model.results.scores import mean, weighted_mean
from waza_engine.model.suite import EXPECTED_TEXTS
from waza_engine.recognition.recognise import dialects, meanings

_log = logging.getLogger(__name__)

Answer = dict[str, Any]


def answer_line(line: str | bytes) -> Answer:
    """Return the answer to one input line, valid or not; its files are in a temporary directory."""
    identifier: Any = None
    try:
        request = _request(line)
        identifier = request.get("id")
        with temporary_folder() as directory:
            return {"id": identifier, **_answer(request, directory)}
    except (JsonError, InputError) as error:
        return {"id": identifier, "error": {"kind": "input", "message": str(error)}}
    except Exception as error:  # noqa: BLE001  # a defect must not stop the other lines
        _log.exception("The line %r could not be graded", identifier)
        message = f"internal error: {type(error).__name__}: {error}"
        return {"id": identifier, "error": {"kind": "internal", "message": message}}


def _request(line: str | bytes) -> dict[str, Any]:
    try:
        request = read_json(line if isinstance(line, str) else line.decode())
    except UnicodeDecodeError as error:
        raise InputError(f"the line is not UTF-8 (byte {error.start})") from error
    if not isinstance(request, dict):
        raise InputError("a line must be one JSON object")
    return request


def _answer(request: Mapping[str, Any], directory: Path) -> Answer:
    meaning = request.get("gen") or meaning_of_dialect(str(request.get("dialect")))
    if request.get("gen") and meaning not in meanings():
        raise InputError(f"unknown 'gen' {meaning!r}; one of {', '.join(meanings())}")
    given = [it for it in ("graders", "graders_yaml", "run") if it in request]
    if len(given) != 1:
        raise InputError("a line needs exactly one of 'graders', 'graders_yaml' and 'run'")
    folders = _write_folders(request, directory)
    context = grading_context(
        {} if request.get("context") is None else request["context"],
        workspace_dir=folders.workspace,
        process_dir=folders.process,
        meaning=meaning,
    )
    match given[0]:
        case "graders":
            return grade_list(_with_names(request["graders"]), context, meaning)
        case "graders_yaml":
            return grade_list(graders_from_yaml(request["graders_yaml"]), context, meaning)
        case _:
            return _grade_run(request["run"], context, meaning)


def meaning_of_dialect(dialect_name: str) -> str:
    """Return the meaning of raw entries in a dialect; "" for the default dialect and unknown names."""
    return next((it.name for it in dialects() if it.name == dialect_name and not it.is_default), "")


def graders_from_yaml(text: Any) -> list[Any]:
    """Return the entries of a YAML list; an entry that waza would not read is replaced by its error.

    Raises:
        InputError: the value is not a string.

    """
    if not isinstance(text, str):
        raise InputError("'graders_yaml' must be a string")
    try:
        return read_grader_list(text)
    except YamlError as error:
        return [error]


def grade_list(entries: list[Any], context: GradingContext, meaning: str = "") -> Answer:
    """Grade every entry on its own: an error does not stop the others."""
    return list_answer([_grade_entry(it, context, meaning) for it in entries])


def grade_checked(
    entries: list[Any], context: GradingContext, meaning: str = ""
) -> list[GraderVerdict | GraderFailure]:
    """Grade every entry on its own, and refuse those that a run would refuse."""
    return [_grade_checked(it, context, meaning) for it in entries]


def _grade_checked(entry: Any, context: GradingContext, meaning: str) -> GraderVerdict | GraderFailure:
    if isinstance(entry, Mapping):
        try:
            refuse_errors(entry, meaning, Scope(process_dir=context.process_dir))
        except ConfigError as error:
            return GraderFailure(*name_and_type(entry), "config", str(error), pointer=error.pointer)
    return _grade_entry(entry, context, meaning)


def list_answer(graded: Sequence[GraderVerdict | GraderFailure]) -> Answer:
    """Return the verdicts on a list of entries as an object of the contract."""
    verdicts = [it for it in graded if isinstance(it, GraderVerdict)]
    if len(verdicts) < len(graded):
        status, verdicts_that_count = "error", []
    else:
        passed = all(it.result.passed for it in verdicts)
        errored = any(it.result.status == "error" for it in verdicts)
        status = "error" if errored else "passed" if passed else "failed"
        verdicts_that_count = verdicts
    answer = {
        "results": [result_object(it) for it in graded],
        "status": status,
        "score": mean([it.result.score for it in verdicts_that_count]),
        "weighted_score": weighted_mean([(it.result.score, it.weight) for it in verdicts_that_count]),
    }
    return answer | ({"infrastructure": True} if _is_open(graded) else {})


def _is_open(graded: Sequence[GraderVerdict | GraderFailure]) -> bool:
    """Return whether nothing failed, but a grader could not decide for reasons of infrastructure."""
    outcomes = [it.result if isinstance(it, GraderVerdict) else it for it in graded]
    open_ = [it.infrastructure for it in outcomes if isinstance(it, GraderFailure) or not it.passed]
    return any(open_) and all(open_)


def _grade_entry(entry: Any, context: GradingContext, meaning: str) -> GraderVerdict | GraderFailure:
    if isinstance(entry, YamlError):
        return GraderFailure("", "", "config", str(entry))
    if isinstance(entry, RefusedEntry):
        return GraderFailure(*name_and_type(entry.data), "config", str(entry.error))
    return grade_entry(entry, context, meaning)


def result_object(graded: GraderVerdict | GraderFailure) -> Answer:
    """Return a result as a JSON object of the contract."""
    if isinstance(graded, GraderFailure):
        return {
            "name": graded.name,
            "type": graded.type,
            "error": {"kind": graded.kind, "message": graded.message},
        }
    result = graded.result
    return {
        "name": graded.name,
        "type": graded.type,
        "score": result.score,
        "passed": result.passed,
        "feedback": result.feedback,
        "details": result.details or {},
        "weight": graded.weight,
        **_dialect_members(result),
    }


def _dialect_members(result: GraderResult) -> Answer:
    """Return the members that only dialects other than waza use."""
    members = {"kind": result.kind, "label": result.label, "status": result.status}
    criteria = [asdict(it) for it in result.criteria]
    found: Answer = {key: it for key, it in members.items() if it and it != "code"}
    found |= {"infrastructure": True} if result.infrastructure else {}
    return found | ({"criteria": criteria} if criteria else {})


def _with_names(graders: Any) -> list[Any]:
    """Return the entries; one without a name gets its type as name, because some types need a name."""
    if not isinstance(graders, list):
        raise InputError("'graders' must be a list")
    return [{"name": it.get("type", ""), **it} if isinstance(it, Mapping) else it for it in graders]


def _grade_run(run: Any, context: GradingContext, meaning: str) -> Answer:
    if not isinstance(run, Mapping):
        raise InputError("'run' must be an object")
    try:
        return _run_answer(_verdict_of_run(run, context, meaning))
    except InputError as error:
        # waza would not load such a task, so the answer also has the members of a failed run.
        ended = {"results": [], "status": "error", "score": 0.0, "weighted_score": 0.0}
        return {"error": {"kind": "input", "message": str(error)}, **ended}


def _verdict_of_run(run: Mapping[str, Any], context: GradingContext, meaning: str) -> RunVerdict:
    task = _object(run, "task")
    prompt = _object(task, "inputs").get("prompt")
    if context.prompt is None:
        context = replace(context, prompt="" if prompt is None else str(prompt))
    expected = _object(task, "expected")
    return grade_run(
        _list(run, "eval_graders"),
        _list(task, "graders"),
        {it: _texts(expected, it) for it in EXPECTED_TEXTS},
        context,
        meaning,
    )


def _run_answer(verdict: RunVerdict) -> Answer:
    answer: Answer = {
        "results": [result_object(it) for it in verdict.results.values()],
        "status": verdict.status,
        "score": verdict.score,
        "weighted_score": verdict.weighted_score,
    }
    return answer | ({"message": str(verdict.error)} if verdict.error else {})


def _texts(owner: Mapping[str, Any], member: str) -> list[str]:
    texts = [as_text(it) for it in _list(owner, member)]
    if not all(isinstance(it, str) for it in texts):
        raise InputError(f"'{member}' must be a list of strings")
    return texts


def _object(owner: Mapping[str, Any], member: str) -> Mapping[str, Any]:
    value = owner.get(member)
    if is_null(value):
        return {}
    if not isinstance(value, Mapping):
        raise InputError(f"'{member}' must be an object")
    return value


def _list(owner: Mapping[str, Any], member: str) -> list[Any]:
    """Return a list without its null items, like the loader."""
    value = owner.get(member)
    if is_null(value):
        return []
    if not isinstance(value, list):
        raise InputError(f"'{member}' must be a list")
    return [it for it in value if it is not None]


@dataclass(frozen=True, slots=True)
class _Folders:
    """The workspace and the process directory of one line."""

    workspace: Path
    process: Path


def _write_folders(request: Mapping[str, Any], directory: Path) -> _Folders:
    """Create `ws` and `ctx` in `directory` and write the files of the line into them.

    Raises:
        InputError: a member has the wrong shape, or a path cannot be created.

    """
    folders = _Folders(directory / "ws", directory / "ctx")
    try:
        folders.workspace.mkdir()
        folders.process.mkdir()
        for name in _members(request, "workspace_dirs", list):
            _place(folders.workspace, name).mkdir(parents=True, exist_ok=True)
        _write(folders.workspace, _members(request, "workspace_files", dict))
        for name, target in _members(request, "workspace_symlinks", dict).items():
            link = _place(folders.workspace, name)
            link.parent.mkdir(parents=True, exist_ok=True)
            link.symlink_to(str(target))
        _write(folders.process, _members(request, "cwd_files", dict))
        _write(directory, _members(request, "outside_files", dict))
    except (OSError, ValueError) as error:
        raise InputError(f"cannot create the files of the line: {error}") from error
    return folders


def _members(request: Mapping[str, Any], name: str, kind: type) -> Any:
    value = request.get(name)
    if value is None:
        return kind()
    if not isinstance(value, kind):
        raise InputError(f"'{name}' must be {'a list' if kind is list else 'an object'}")
    return value


def _write(root: Path, files: Mapping[str, Any]) -> None:
    for name, text in files.items():
        if not isinstance(text, str):
            raise InputError(f"the content of '{name}' must be a string")
        place = _place(root, name)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_bytes(text.encode())


def _place(root: Path, name: Any) -> Path:
    if not isinstance(name, str):
        raise InputError(f"{name!r} is not a path")
    try:
        return Path(os.fspath(workspace_path(root, name)))
    except PathError as error:
        raise InputError(str(error)) from error
