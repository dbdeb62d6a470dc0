"""Completion and hover speak of versions: what the target does not have or refuses is not offered."""

import pytest

from tests.behaviour.harness import marked, snapshot_of
from tests.behaviour.reading_harness import hover_at
from waza_lsp.features.completion import completion

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
