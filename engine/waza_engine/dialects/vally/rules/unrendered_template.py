"""Check `unrendered-template` in vally files: `{{name}}`, where only `${name}` is replaced.

See docs/reference/vally.md, section 2.
"""

from collections.abc import Iterator

from waza_engine.lib.pointer import Pointer
from waza_engine.model.findings import Finding, Fix, SetValue
from waza_engine.model.placeholders import PLACEHOLDER, template_in, texts_with_templates
from waza_engine.project.document import Document
from waza_engine.rules.unrendered_template import UNRENDERED_TEMPLATE

APPLIES = frozenset(["eval"])
_SECTIONS = ("inputs", "vars", "variables", "parameters")
"""Top-level keys of other tools under which authors define names."""


def check(document: Document) -> Iterator[Finding]:
    names = {str(it) for section in _SECTIONS for it in document.mapping(section)}
    texts = [
        *texts_with_templates({key: it for key, it in document.mapping().items() if key not in _SECTIONS}, ())
    ]
    names.update(found[1] for _, text in texts for found in PLACEHOLDER.finditer(text))
    for pointer, text in texts:
        yield from _finding(pointer, text, names)


def _finding(pointer: Pointer, text: str, names: set[str]) -> Iterator[Finding]:
    template = template_in(text, names, variables=False)
    if template is not None:
        variable = f"${{{template.name}}}"
        fix = Fix(
            f"Change to {variable}",
            (SetValue(pointer, text.replace(template.source, variable)),),
            preferred=True,
        )
        message = f"vally never replaces '{template.source}'. Write {variable}, which it replaces before it reads the file"
        yield UNRENDERED_TEMPLATE.at(pointer, message, fixes=[fix])
