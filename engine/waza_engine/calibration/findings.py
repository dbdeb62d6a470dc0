"""The findings about the judges of an eval: what all of their rules report."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from waza_engine.analysis.rules import rule_modules
from waza_engine.calibration.standing import JudgeStanding
from waza_engine.model.findings import Finding

PACKAGE = "waza_engine.calibration.rules"


def judge_findings(standings: Iterable[JudgeStanding]) -> Iterator[tuple[Path, Finding]]:
    """Yield the findings with their files. What is true of all judges alike is told once."""
    told: set[str] = set()
    for standing in standings:
        path = standing.grader.entry.path
        for module in rule_modules(PACKAGE):
            for finding in module.check(standing) if path is not None else ():
                if finding.message not in told and path is not None:
                    told.add(finding.message)
                    yield path, finding
