"""Check `unrendered-template` in waza files: templates outside of a dataset's prompts.

See docs/reference/waza-formats.md, section 9.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from waza_engine.dialects.waza.checks.dataset import dataset_of
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Finding, Fix, SetValue
from waza_engine.model.placeholders import Template, template_in, texts_with_templates
from waza_engine.project.document import Document
from waza_engine.rules.unrendered_template import UNRENDERED_TEMPLATE

APPLIES = frozenset(["task", "eval"])
_BUILT_IN = ("TaskName", "JobID", "Timestamp", "Iteration", "Attempt")
_KEYS = {"eval": ("hooks", "command_mocks", "mcp_mocks"), "task": ("expected", "command_mocks")}
_INPUTS = ("files", "context", "environment", "workdir")
"""What a task has beside its prompts, which `template-in-prompt` is about."""


def check(document: Document) -> Iterator[Finding]:
    places: list[Pointer] = [(it,) for it in _KEYS.get(document.kind, ())]
    for task, _, _ in document.task_results(_has_templates):
        places += [(*task, "expected"), *((*task, "inputs", it) for it in _INPUTS)]
    for place in dict.fromkeys(places):
        for pointer, text in texts_with_templates(document.value(*place), place):
            yield from _finding(document, pointer, text)


def _has_templates(document: Document, task: Mapping[str, Any]) -> bool:
    entry = document.entry(task)
    places: list[Pointer] = [("expected",), *(("inputs", it) for it in _INPUTS)]
    return any(True for place in places for _ in texts_with_templates(entry.value(*place), place))


def check_grader(entry: Document, document: Document) -> Iterator[Finding]:
    # In JavaScript, `${x}` is a template of the language.
    is_code = "assertions" in entry.mapping("config")
    for pointer, text in texts_with_templates(entry.value("config"), ("config",)):
        yield from _finding(document, pointer, text, variables=not is_code)


def known_values(document: Document) -> Mapping[str, Any]:
    """Return the values that templates can name: the eval's `inputs`; None for a column, whose value depends on the row."""
    return document.once("values of templates", lambda: _known_values(document))


def _known_values(document: Document) -> Mapping[str, Any]:
    suite = document.suite
    inputs = document.value("inputs") if document.kind == "eval" else suite and suite.eval.get("inputs")
    dataset = dataset_of(document) if document.kind == "eval" else None
    values = {str(key): it for key, it in inputs.items()} if isinstance(inputs, Mapping) else {}
    columns = dict.fromkeys(dataset.header if dataset is not None else ())
    return {**values, **columns, **(dict.fromkeys(_BUILT_IN) if values or columns else {})}


def _finding(document: Document, pointer: Pointer, text: str, *, variables: bool = True) -> Iterator[Finding]:
    values = known_values(document)
    template = template_in(text, values, variables=variables)
    if template is not None:
        message = f"waza never replaces '{template.source}' here: only in the 'prompt' column of a dataset. {_advice(template, values)}"
        fixes = _fixes(pointer, text, template, values)
        at = text.find(template.source)
        part = (at, at + len(template.source)) if "\n" not in text else None
        yield UNRENDERED_TEMPLATE.at(pointer, message, fixes=fixes, part=part)


def _advice(template: Template, values: Mapping[str, Any]) -> str:
    if isinstance(values.get(template.name), str):
        return f"Write its value, '{values[template.name]}'"
    return "Write what holds for all tasks, or one task file with its own graders for each value"


def _fixes(pointer: Pointer, text: str, template: Template, values: Mapping[str, Any]) -> Iterator[Fix]:
    value = values.get(template.name)
    if isinstance(value, str):
        changed = text.replace(template.source, value)
        yield Fix(f"Change to '{value}'", (SetValue(pointer, changed),), preferred=True)
