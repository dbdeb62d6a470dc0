"""Grading recorded work in bulk: one JSON object in, one out (docs/reference/grade-batch.md is the contract)."""

import logging
from collections.abc import Mapping
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from waza_engine.batch_files import lay_out
from waza_engine.formats import dialects, meanings
from waza_engine.graders.base import GraderResult, GradingContext
from waza_engine.graders.result import GraderFailure, GraderVerdict, RunVerdict
from waza_engine.grading import grade_entry, grade_run, shown
from waza_engine.grading_input import InputError, grading_context
from waza_engine.json_text import JsonError, read_json
from waza_engine.scoring import mean, weighted_mean
from waza_engine.suite import EXPECTED_TEXTS
from waza_engine.temporary import temporary_folder
from waza_engine.values import as_text, is_null
from waza_engine.yaml_reader import RefusedEntry, YamlError, read_grader_list

_log = logging.getLogger(__name__)

Answer = dict[str, Any]


def answer_line(line: str | bytes) -> Answer:
    """The answer to one input line, whatever the line holds; files live in a directory that is gone afterwards."""
    identifier: Any = None
    try:
        request = _request(line)
        identifier = request.get("id")
        with temporary_folder() as directory:
            return {"id": identifier, **_answer(request, directory)}
    except (JsonError, InputError) as error:
        return {"id": identifier, "error": {"kind": "input", "message": str(error)}}
    except Exception as error:  # noqa: BLE001  # the one place per line: a defect must not take the others down
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
    meaning = request.get("gen") or meaning_in(str(request.get("dialect")))
    if request.get("gen") and meaning not in meanings():
        raise InputError(f"unknown 'gen' {meaning!r}; one of {', '.join(meanings())}")
    given = [it for it in ("graders", "graders_yaml", "run") if it in request]
    if len(given) != 1:
        raise InputError("a line needs exactly one of 'graders', 'graders_yaml' and 'run'")
    folders = lay_out(request, directory)
    context = grading_context(
        {} if request.get("context") is None else request["context"],
        workspace_dir=folders.workspace,
        process_dir=folders.process,
        meaning=meaning,
    )
    match given[0]:
        case "graders":
            return grade_list(_named(request["graders"]), context, meaning)
        case "graders_yaml":
            return grade_list(graders_from_yaml(request["graders_yaml"]), context, meaning)
        case _:
            return _graded_run(request["run"], context, meaning)


def meaning_in(dialect_name: str) -> str:
    """What the types of raw entries mean in a dialect, or "" for the default one and for names that no dialect has."""
    return next((it.name for it in dialects() if it.name == dialect_name and not it.is_default), "")


def graders_from_yaml(text: Any) -> list[Any]:
    """The entries of a YAML list; what waza would refuse to read stands as an error in its place.

    Raises:
        InputError: it is no text.

    """
    if not isinstance(text, str):
        raise InputError("'graders_yaml' must be a text")
    try:
        return read_grader_list(text)
    except YamlError as error:
        return [error]


def grade_list(entries: list[Any], context: GradingContext, meaning: str = "") -> Answer:
    """Grade every entry on its own: an error does not stop the others."""
    graded = [_graded(it, context, meaning) for it in entries]
    verdicts = [it for it in graded if isinstance(it, GraderVerdict)]
    if len(verdicts) < len(graded):
        status, verdicts_that_count = "error", []
    else:
        passed = all(it.result.passed for it in verdicts)
        errored = any(it.result.status == "error" for it in verdicts)
        status = "error" if errored else "passed" if passed else "failed"
        verdicts_that_count = verdicts
    return {
        "results": [result_object(it) for it in graded],
        "status": status,
        "score": mean([it.result.score for it in verdicts_that_count]),
        "weighted_score": weighted_mean([(it.result.score, it.weight) for it in verdicts_that_count]),
    }


def _graded(entry: Any, context: GradingContext, meaning: str) -> GraderVerdict | GraderFailure:
    if isinstance(entry, YamlError):
        return GraderFailure("", "", "config", str(entry))
    if isinstance(entry, RefusedEntry):
        return GraderFailure(*shown(entry.data), "config", str(entry.error))
    return grade_entry(entry, context, meaning)


def result_object(graded: GraderVerdict | GraderFailure) -> Answer:
    """A result as the contract has it."""
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
        **_beside(result),
    }


def _beside(result: GraderResult) -> Answer:
    """What only results of other dialects than waza have."""
    told = {"kind": result.kind, "label": result.label, "status": result.status}
    criteria = [asdict(it) for it in result.criteria]
    found = {key: it for key, it in told.items() if it and it != "code"}
    return found | ({"criteria": criteria} if criteria else {})


def _named(graders: Any) -> list[Any]:
    """Decoded entries. One without a name is named after its type: the door asks for no names, a `prompt` does."""
    if not isinstance(graders, list):
        raise InputError("'graders' must be a list")
    return [{"name": it.get("type", ""), **it} if isinstance(it, Mapping) else it for it in graders]


def _graded_run(run: Any, context: GradingContext, meaning: str) -> Answer:
    if not isinstance(run, Mapping):
        raise InputError("'run' must be an object")
    try:
        return _run_answer(_verdict_of_run(run, context, meaning))
    except InputError as error:
        # waza would not load such a task: besides being no good line, it is a run that ends before it begins.
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
        raise InputError(f"'{member}' must be a list of texts")
    return texts


def _object(owner: Mapping[str, Any], member: str) -> Mapping[str, Any]:
    value = owner.get(member)
    if is_null(value):
        return {}
    if not isinstance(value, Mapping):
        raise InputError(f"'{member}' must be an object")
    return value


def _list(owner: Mapping[str, Any], member: str) -> list[Any]:
    """A list without its null items, as the loader leaves it."""
    value = owner.get(member)
    if is_null(value):
        return []
    if not isinstance(value, list):
        raise InputError(f"'{member}' must be a list")
    return [it for it in value if it is not None]
