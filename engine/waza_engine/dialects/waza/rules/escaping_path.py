"""Check `escaping-path` in waza files: folders, repositories, fixtures and instructions of tasks."""

from collections.abc import Iterator, Mapping
from pathlib import PurePosixPath
from typing import Any

from waza_engine.dialects.waza.formats.paths import fixture_refusal, input_refusal
from waza_engine.lib.go.paths import leads_out
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Finding
from waza_engine.project.document import Document
from waza_engine.rules.escaping_path import outside_finding

APPLIES = frozenset(["eval", "task"])


def check(document: Document) -> Iterator[Finding]:
    for task, _, found in document.task_results(_in_task):
        yield from (it.below(task) for it in found)
    if document.kind == "eval":
        yield from _instructions(document, ("config",))


def _in_task(document: Document, task: Mapping[str, Any]) -> list[Finding]:
    return [*_inputs(document.entry(task))]


def _inputs(document: Document) -> Iterator[Finding]:
    inputs = ("inputs",)
    workdir = document.text(*inputs, "workdir")
    if leads_out(workdir):
        yield outside_finding(f"'{workdir}' leads out of the workspace", workdir, (*inputs, "workdir"))
    for place, repository in document.mappings(*inputs, "repos"):
        dest = repository.get("dest")
        if isinstance(dest, str) and (leads_out(dest) or PurePosixPath(dest) == PurePosixPath()):
            yield outside_finding(f"'{dest}' is not a path inside the workspace", dest, (*place, "dest"))
    context = document.mapping(*inputs, "context")
    if "fixture" in context and (reason := fixture_refusal(context["fixture"])):
        path = document.text(*inputs, "context", "fixture")
        yield outside_finding(f"The fixture {reason}", path, (*inputs, "context", "fixture"))
    yield from _instructions(document, ())


def _instructions(document: Document, base: Pointer) -> Iterator[Finding]:
    for place, name in document.texts(*base, "instruction_files"):
        if not name or (reason := input_refusal(name)):
            yield outside_finding(f"'{name}' {reason if name else 'is not a path'}", name, place)
