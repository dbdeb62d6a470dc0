"""A template in the prompt of a YAML task.

## Why
waza renders templates only in the `prompt` column of a CSV file (`tasks_from`). In a task file, the agent gets the
braces as written. Names that the suite does not define may be meant as they are, so they are not reported.

## Example
```yaml
id: first
name: First
inputs:
  prompt: Summarize {{fixture:notes.txt}} in one sentence.
```

## Instead
```yaml
id: first
name: First
inputs:
  prompt: Summarize notes.txt in one sentence.
  files:
    - path: notes.txt
      content: "budget: 4200"
```
"""

from collections.abc import Collection, Iterator, Mapping
from typing import Any

from waza_engine.dialects.waza.rules.unrendered_template import known_values
from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Finding, Fix, Rule, SetValue, Severity
from waza_engine.project.document import Document

TEMPLATE_IN_PROMPT = Rule("template-in-prompt", "template in the prompt of a YAML task", Severity.WARNING)
APPLIES = frozenset(["task", "eval"])


def check(document: Document) -> Iterator[Finding]:
    for task, _, _ in document.task_results(_has_braces):
        inputs = (*task, "inputs")
        prompts: list[tuple[Pointer, str]] = [((*inputs, "prompt"), document.text(*inputs, "prompt"))]
        for place, text in [*prompts, *document.texts(*inputs, "follow_up_prompts")]:
            if template := _template(text, _names(document, task)):
                message = (
                    f"The agent gets '{template}' as written, because waza renders no templates in YAML tasks"
                )
                yield TEMPLATE_IN_PROMPT.at(place, message, fixes=_file_name_fix(place, text, template))


def _has_braces(document: Document, task: Mapping[str, Any]) -> bool:
    entry = document.entry(task)
    texts = (entry.text("inputs", "prompt"), *(it for _, it in entry.texts("inputs", "follow_up_prompts")))
    return any("{{" in it for it in texts)


def _file_name_fix(place: Pointer, text: str, template: str) -> Iterator[Fix]:
    """Replace waza's old `{{fixture:NAME}}` by the name of the file."""
    name = template[2:-2].strip()
    if name.startswith("fixture:") and "\n" not in text.rstrip("\n"):
        name = name.removeprefix("fixture:").strip()
        yield Fix(f"Change to '{name}'", (SetValue(place, text.replace(template, name)),), preferred=True)


def _names(document: Document, task: Pointer) -> set[str]:
    """Return the names that an author may want to be replaced: of the suite's values, and of this task's context."""
    own = (document.mapping(*task, "inputs", it) for it in ("context", "environment"))
    return {*known_values(document), *(str(key) for it in own for key in it)}


def _template(text: str, names: Collection[str]) -> str:
    """Return the first `{{...}}` meant for waza; other template languages have other names, or are quoted."""
    start = text.find("{{")
    while start >= 0:
        end = text.find("}}", start)
        if end < 0:
            return ""
        inner = text[start + 2 : end].strip()
        before = text[start - 1 : start]
        if before not in {"$", "`", "{", "'", '"'} and _is_waza_template(inner, names):
            return text[start : end + 2]
        start = text.find("{{", end)
    return ""


def _is_waza_template(inner: str, names: Collection[str]) -> bool:
    """Whether it is waza's own form, or the name of a known value."""
    return inner.startswith(("fixture:", "index .Vars", ".Vars.")) or inner.removeprefix(".") in names
