"""A template in the prompt of a YAML task.

## Why
waza renders templates only in the `prompt` column of a CSV file (`tasks_from`). In a task file, the agent gets the
braces as written.

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
                message = (
                    f"The agent gets '{template}' as written, because waza renders no templates in YAML tasks"
                )
                yield TEMPLATE_IN_PROMPT.at(place, message, fixes=_file_name_fix(place, text, template))


def _file_name_fix(place: Pointer, text: str, template: str) -> Iterator[Fix]:
    """Replace waza's old `{{fixture:NAME}}` by the name of the file."""
    name = template[2:-2].strip()
    if name.startswith("fixture:") and "\n" not in text.rstrip("\n"):
        name = name.removeprefix("fixture:").strip()
        yield Fix(f"Change to '{name}'", (SetValue(place, text.replace(template, name)),), preferred=True)


def _template(text: str) -> str:
    """Return the first `{{...}}` meant for waza; other template languages look different or are quoted."""
    start = text.find("{{")
    while start >= 0:
        end = text.find("}}", start)
        if end < 0:
            return ""
        inner = text[start + 2 : end].strip()
        before = text[start - 1 : start]
        if before not in {"$", "`", "{", "'", '"'} and _is_waza_template(inner):
            return text[start : end + 2]
        start = text.find("{{", end)
    return ""


def _is_waza_template(inner: str) -> bool:
    """Whether it is a single name, possibly after a `.`, or waza's old `fixture:`."""
    if inner.startswith(("fixture:", "index .Vars")):
        return True
    return inner.replace("_", "a").replace("-", "a").replace(".", "a").isalnum() and not inner[:1].isdigit()
