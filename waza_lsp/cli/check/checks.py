"""Check one eval file of a command, and keep the findings that the user wants."""

import traceback
from typing import NamedTuple

from waza_engine.rules.unreadable_file import UNREADABLE_FILE
from waza_lsp.cli.check.report import CheckedFile, Tries
from waza_lsp.cli.check.sources import Source
from waza_lsp.diagnostics.ranges import RangedFinding
from waza_lsp.features.diagnostics import findings
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.text import Place, Span


class CodeFilter(NamedTuple):
    """The codes to report; an empty `select` means all."""

    select: frozenset[str]
    ignore: frozenset[str]

    def findings(self, source: Source, snapshot: Snapshot) -> list[RangedFinding]:
        return [mark for mark in findings(snapshot, source.world) if self.has(mark)]

    def has(self, mark: RangedFinding) -> bool:
        """Whether a finding is reported."""
        code = mark.finding.code
        return (not self.select or code in self.select) and code not in self.ignore


class Checks(NamedTuple):
    """What is reported of each file: findings with these codes, and fixes that were tried."""

    codes: CodeFilter
    tries: Tries

    def of(self, source: Source, failures: list[str]) -> CheckedFile:
        """Check one file. A bug of ours in one file must not hide the findings in the others."""
        if source.unreadable:
            mark = RangedFinding(Span(Place(0, 0), Place(0, 0)), UNREADABLE_FILE.at((), source.unreadable))
            return CheckedFile.of(source.name, source.snapshot, [mark])
        found: list[RangedFinding] = []
        try:
            found = self.codes.findings(source, source.snapshot)
        except Exception:  # noqa: BLE001  # the one place per file; an exception is a bug of ours
            failures.append(
                f"{source.name} could not be checked; please report this:\n{traceback.format_exc()}"
            )
        return CheckedFile.of(source.name, source.snapshot, found, self.tries)
