"""Completion and hover speak of versions: what the target does not have or refuses is not offered."""

import pytest
from lsprotocol import types

from tests.behaviour.harness import marked, snapshot_of
from tests.behaviour.reading_harness import hover_at
from waza_lsp.features.completion import completion
from waza_lsp.features.completion_resolve import completion_resolve

STIMULUS = "stimuli:\n  - name: a\n    prompt: p\n"


def _details(document: str, target: str = "") -> dict[str, str]:
    at = marked(document)
    assert at.cursor is not None
    found = completion(snapshot_of(at.source), at.cursor, target=target)
    return {it.label: it.detail or "" for it in found.items}


@pytest.mark.parametrize(
    ("document", "label", "older", "newer"),
    [
        (f"defaults:\n  ¦\n{STIMULUS}", "reasoning_effort", "0.10", "0.11"),
        (f"scoring:\n  ¦\n{STIMULUS}", "timeout", "0.18", ""),
        (f"{STIMULUS}    ¦\n", "golden_command", "0.16", "0.17"),
        (f"{STIMULUS}    graders:\n      - type: ¦\n", "max-repeat", "0.10", "0.11"),
        (f"{STIMULUS}    graders:\n      - ¦\n", "type: step-count", "0.14", "0.15"),
        (
            f"{STIMULUS}    graders:\n      - type: max-repeat\n        config:\n          ¦\n",
            "max_cycle_period",
            "0.11",
            "",
        ),
        (
            f"{STIMULUS}    graders:\n      - type: prompt\n        config:\n          output_delivery: ¦\n",
            "inline",
            "0.17",
            "0.16",
        ),
        (f"¦\n{STIMULUS}", "config", "0.15", "0.6"),
    ],
)
def test_only_what_the_target_has_is_offered(document: str, label: str, older: str, newer: str) -> None:
    assert label not in _details(document, older)
    assert label in _details(document, newer)


def test_the_version_is_told_beside_the_key() -> None:
    assert _details(f"defaults:\n  ¦\n{STIMULUS}")["reasoning_effort"].endswith("since 0.11")
    delivery = (
        f"{STIMULUS}    graders:\n      - type: prompt\n        config:\n          output_delivery: ¦\n"
    )
    assert _details(delivery)["workspace"].endswith("deprecated since 0.17")


@pytest.mark.parametrize(
    ("document", "heading"),
    [
        (
            f"con¦fig: {{runs: 1}}\n{STIMULUS}",
            "**config** · mapping · deprecated since 0.7 · refused since 0.15",
        ),
        (
            f"{STIMULUS}    golden_pa¦tch: {{path: a}}\n",
            "**golden_patch** · mapping · since 0.8 · changed in 0.10: Judges get the patch only with "
            "`evidence: [golden_patch]`.",
        ),
        (f"{STIMULUS}    graders:\n      - type: step-c¦ount\n", "**type: step-count** · since 0.15"),
    ],
)
def test_a_hover_tells_the_versions(document: str, heading: str) -> None:
    found = hover_at(document)
    assert found is not None
    assert found.text.splitlines()[0] == heading


def test_the_values_of_a_key_have_their_versions() -> None:
    config = f"{STIMULUS}    graders:\n      - type: prompt\n        config:\n"
    key = hover_at(f"{config}          output_del¦ivery: workspace\n")
    assert key is not None
    assert "- `inline`: In the message. (refused since 0.17)" in key.text
    value = hover_at(f"{config}          output_delivery: work¦space\n")
    assert value is not None
    assert "Other values" not in value.text  # The only other one is refused.


def test_a_version_in_the_documentation_of_a_type_belongs_to_its_option() -> None:
    at = marked(f"{STIMULUS}    graders:\n      - type: ¦\n")
    assert at.cursor is not None
    offered = completion(snapshot_of(at.source), at.cursor).items
    item = next(it for it in offered if it.label == "diff-contains")
    documentation = completion_resolve(item).documentation
    assert isinstance(documentation, types.MarkupContent)
    assert documentation.value.count("\n\nSince 0.11.\n\n") == 1
    assert "Since 0.12" not in documentation.value  # That of `turn`, which is not an option.
    assert "instead of `pattern`. (since 0.15)" in documentation.value


def test_a_suggested_value_has_its_version() -> None:
    start = "name: n\nskill: s\nconfig:\n  "
    value = hover_at(f"{start}group_by: ta¦gs\ntasks: [a.yaml]\n")
    assert value is not None
    assert value.text.splitlines()[0] == "**group_by: tags** · since 0.40.1"
    key = hover_at(f"{start}group¦_by: tags\ntasks: [a.yaml]\n")
    assert key is not None
    assert "- `model`\n- `tags`: (since 0.40.1)" in key.text
