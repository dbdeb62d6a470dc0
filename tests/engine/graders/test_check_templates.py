"""Templates of checks for the trace viewer: each dialect's own, and graders once they are filled."""

import re

import pytest
import yaml

from waza_engine.graders.check_templates import CheckTemplate, check_templates
from waza_engine.graders.registry import current_grader
from waza_engine.recognition.recognise import dialects, load_object

TEMPLATES = [
    pytest.param(it.name, template, id=f"{it.name}-{template.about}")
    for it in dialects()
    if it.check_templates
    for template in load_object(it.check_templates)
]
VALUES = {"$NAME": "a-name", "$TEXT": '"a: \\"b\\""', "$PATTERN": '"a\\\\.b"', "$TOOL_PATTERN": "^bash$"}


@pytest.mark.parametrize(("dialect", "template"), TEMPLATES)
def test_a_filled_template_is_a_grader(dialect: str, template: CheckTemplate) -> None:
    text = re.sub(r"\$[A-Z_]+\b", lambda it: {**VALUES, "$PATH": "docs/a.md"}[it[0]], template.yaml)
    [entry] = yaml.safe_load(text)
    kind = current_grader(dialect, entry["type"])
    assert kind is not None
    kind.model_validate(entry["config"])
    assert entry["name"] == "a-name"
    with pytest.raises(ValueError, match="no-such-option"):
        kind.model_validate({**entry["config"], "no-such-option": 1})


def test_the_dialect_with_most_of_the_types_gives_the_templates() -> None:
    def first_type(*types: str) -> str:
        found: str = yaml.safe_load(check_templates(types)[0].yaml)[0]["type"]
        return found

    assert first_type("output-contains", "prompt", "nonsense/../x") == "output-contains"
    assert first_type("text", "prompt") == "text"
    assert first_type() == first_type("prompt") == "text"
