"""What the runs of one command print when they are over."""

from dataclasses import dataclass, field
from typing import Self

from waza_engine.reports.github import github_markdown
from waza_engine.reports.results_json import results_json
from waza_engine.reports.text import text_report
from waza_engine.runs.records import RunRecord
from waza_lsp.cli.outputs import stop_printing
from waza_lsp.cli.printing import show
from waza_lsp.cli.run_asked import Shown

PRINTED = {"text": text_report, "json": results_json, "github": github_markdown}
"""The reports that can be printed, by the words of `--format`."""


@dataclass(slots=True)
class Printed:
    """Each run's report as it ends; `together` in the end, where programs read several as one object."""

    form: str
    together: bool = False
    _waiting: list[str] = field(default_factory=list)

    @classmethod
    def of_one(cls, shown: Shown) -> Self:
        """What a single run prints."""
        return cls("" if shown.events else shown.printed)

    @classmethod
    def of_several(cls, shown: Shown) -> Self:
        """What runs print that are started together."""
        one = cls.of_one(shown)
        return cls(one.form, together=one.form == "json")

    def add(self, record: RunRecord) -> None:
        """Print a run's report, or keep it for the end.

        Raises:
            StoreError: a trial of the run cannot be read.
            OSError: nobody listens, or the output has no room left.

        """
        if not self.form:
            return
        text = PRINTED[self.form](record).rstrip("\n")
        if self.together:
            self._waiting.append(text)
        else:
            show(text)

    def end(self, *, may_be_none: bool = False) -> None:
        """Print what was kept, if anybody listens; nothing when no run came to its end."""
        if self.together and (self._waiting or may_be_none):
            try:
                show('{"runs": [\n' + ",\n".join(self._waiting) + "\n]}")
            except BrokenPipeError:
                stop_printing()
