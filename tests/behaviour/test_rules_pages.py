"""The page of each rule is correct: its Example has exactly that finding, and its Instead has none."""

from pathlib import Path

import pytest

from tests.behaviour.rules_harness import OF_SMALL_SAMPLES, Example, examples
from waza_engine.audit.codes import RULES as OF_AUDITS
from waza_engine.calibration.codes import RULES as JUDGE_RULES
from waza_engine.generate.pages import rules_with_pages

PAGES = {rule.code: examples(module.__doc__ or "") for rule, module in rules_with_pages()}
ALSO = {"odd-metric-weights": {"unenforced-metric"}}
"""Findings that an example cannot avoid."""
AUDITED = {it.code for it in OF_AUDITS}
"""Codes that only an audit finds: `check` finds nothing in their examples."""
OF_JUDGES = {it.code for it in JUDGE_RULES}
"""Codes about judges: `check` finds nothing either."""
ONLY_RECORDED = {"misplaced-threshold", "replaceable-judge"}
"""Codes that need verdicts on recordings. `tests/engine/calibration` has their examples."""
WITH_EXAMPLE = {code: page for code, page in PAGES.items() if "Example" in page}


def test_nearly_every_page_shows_its_mistake_as_yaml() -> None:
    assert (
        set(PAGES) - set(WITH_EXAMPLE)
        <= {
            "unreadable-file",
            "newer-than-target",
            "invalid-settings",
            "untested-clause",
        }
        | ONLY_RECORDED
    )


@pytest.mark.parametrize("code", WITH_EXAMPLE)
def test_the_example_has_exactly_this_finding(code: str, tmp_path: Path) -> None:
    example: Example = WITH_EXAMPLE[code]["Example"]
    found = [it for it in example.check_in(tmp_path) if it.code not in _also(code)]
    codes = [it.code for it in found]
    if code in AUDITED:
        codes += example.audit_in(tmp_path / "audited")
    if code in OF_JUDGES:
        codes += example.judged_in(tmp_path / "judged")
    assert codes == [code], found


@pytest.mark.parametrize("code", WITH_EXAMPLE)
def test_what_to_write_instead_has_no_finding(code: str, tmp_path: Path) -> None:
    example = WITH_EXAMPLE[code]["Instead"]
    assert [it for it in example.check_in(tmp_path) if it.code not in _also(code)] == []
    assert code not in AUDITED or example.audit_in(tmp_path / "audited") == []
    assert code not in OF_JUDGES or example.judged_in(tmp_path / "judged") == []


def _also(code: str) -> set[str]:
    """Return the codes of findings that the examples of a page may have as well."""
    return ALSO.get(code, set()) | (OF_SMALL_SAMPLES - {code})
