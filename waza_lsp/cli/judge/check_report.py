"""What `waza-lsp judge check` prints, and when it fails."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from waza_engine.calibration.check import CheckedGrader, CheckedSubject
from waza_engine.lib.plurals import counted
from waza_engine.reports.inert import harmless
from waza_engine.statistics.agreement import agreement
from waza_engine.statistics.paired import ALPHA, sign_test
from waza_lsp.cli.judge.words import agreement_data, agreement_words

_MOST_LISTED = 10


@dataclass(frozen=True, slots=True)
class CheckLimits:
    """When the check fails, apart from agreement that got worse beyond chance. `min_agreement` is in percent."""

    min_agreement: float | None = None
    strict: bool = False


def failures(graders: Sequence[CheckedGrader], limits: CheckLimits) -> list[str]:
    """Return a sentence for each reason to fail."""
    return [reason for it in graders for reason in _failures(it, limits)]


def _failures(it: CheckedGrader, limits: CheckLimits) -> Iterator[str]:
    wrong, right = _changed(it)
    p_value = sign_test(len(right), len(wrong))
    if len(wrong) > len(right) and p_value <= ALPHA:
        yield (
            f"{it.grader}: the judge agrees with people less than before: {len(wrong)} verdicts became wrong, "
            f"{len(right)} right (p = {p_value:.3f})"
        )
    elif wrong and limits.strict:
        yield f"{it.grader}: {counted(len(wrong), 'verdict')} agreed with people before, and do not now"
    found = agreement(it.table)
    if limits.min_agreement is not None and found.items and found.agreed * 100 < limits.min_agreement:
        yield f"{it.grader}: {found.agreed:.0%} of the verdicts agree with people, less than {limits.min_agreement:g} %"


def as_text(graders: Sequence[CheckedGrader], failed: Sequence[str]) -> str:
    """Return the report for people."""
    lines = [line for it in graders for line in _lines(it)]
    return "\n".join(map(harmless, [*lines, *(f"FAILED: {it}" for it in failed)]))


def _lines(it: CheckedGrader) -> Iterator[str]:
    wrong, right = _changed(it)
    undecided = f"; {counted(len(it.undecided), 'recording')} without a verdict" if it.undecided else ""
    yield f"{it.grader}: {agreement_words(it.table, 'people') or 'no verdict'}{undecided}"
    for title, its in (("now wrong", wrong), ("now right", right), ("no verdict", it.undecided)):
        for one in its[:_MOST_LISTED]:
            said = f": {one.error}" if one.now is None else ""
            comment = f" ({one.person.comment})" if one.person.comment else ""
            word = "pass" if one.person.passed else "fail"
            yield f"  {title}: {one.subject.name}: a person said {word}{comment}{said}"
        if len(its) > _MOST_LISTED:
            yield f"  {title}: {len(its) - _MOST_LISTED} more"


def _changed(it: CheckedGrader) -> tuple[list[CheckedSubject], list[CheckedSubject]]:
    return [one for one in it.checked if one.became_wrong], [one for one in it.checked if one.became_right]


def as_json(graders: Sequence[CheckedGrader], failed: Sequence[str]) -> str:
    """Return the report for programs."""
    return json.dumps({"graders": [_data(it) for it in graders], "failures": list(failed)}, indent=2)


def _data(it: CheckedGrader) -> dict[str, object]:
    wrong, right = _changed(it)
    return {
        "grader": it.grader,
        **agreement_data(agreement(it.table)),
        "table": it.table,
        "became_wrong": [one.subject.name for one in wrong],
        "became_right": [one.subject.name for one in right],
        "without_verdict": [one.subject.name for one in it.undecided],
    }
