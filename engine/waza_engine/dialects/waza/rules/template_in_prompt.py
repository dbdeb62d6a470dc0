"""A template in the prompt of a YAML task.

## Why
waza fills templates in only in the `prompt` column of a CSV file (`tasks_from`). In a task file the braces reach the
agent as they are.

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

from collections.abc import Iterator

from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Finding, Fix, Rule, SetValue, Severity
from waza_engine.project.document import Document

TEMPLATE_IN_PROMPT = Rule("template-in-prompt", "template in the prompt of a YAML task", Severity.WARNING)
APPLIES = frozenset(["task", "eval"])


def check(document: Document) -> Iterator[Finding]:
    for task, _ in document.tasks():
        inputs = (*task, "inputs")
        prompts: list[tuple[Pointer, str]] = [((*inputs, "prompt"), document.text(*inputs, "prompt"))]
        for place, text in [*prompts, *document.texts(*inputs, "follow_up_prompts")]:
            if template := _template(text):
                message = f"'{template}' reaches the agent as it is: prompts of YAML tasks are no templates"
                yield TEMPLATE_IN_PROMPT.at(place, message, fixes=_named(place, text, template))


def _named(place: Pointer, text: str, template: str) -> Iterator[Fix]:
    """The name of the file that waza's `fixture:` of old stood for."""
    name = template[2:-2].strip()
    if name.startswith("fixture:") and "\n" not in text.rstrip("\n"):
        name = name.removeprefix("fixture:").strip()
        yield Fix(f"Change to '{name}'", (SetValue(place, text.replace(template, name)),), preferred=True)


def _template(text: str) -> str:
    """The first `{{...}}` that was meant for waza; code of other template languages is quoted or looks different."""
    start = text.find("{{")
    while start >= 0:
        end = text.find("}}", start)
        if end < 0:
            return ""
        inner = text[start + 2 : end].strip()
        before = text[start - 1 : start]
        if before not in {"$", "`", "{", "'", '"'} and _is_ours(inner):
            return text[start : end + 2]
        start = text.find("{{", end)
    return ""


def _is_ours(inner: str) -> bool:
    """A single name, also with `.` before it, or waza's `fixture:` of old."""
    if inner.startswith(("fixture:", "index .Vars")):
        return True
    return inner.replace("_", "a").replace("-", "a").replace(".", "a").isalnum() and not inner[:1].isdigit()
