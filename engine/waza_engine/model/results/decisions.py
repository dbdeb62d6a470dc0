"""What a run that goes on until it is decided has decided (`waza-lsp run --until-decided`)."""

from dataclasses import dataclass
from typing import Literal

from waza_engine.lib.plurals import counted
from waza_engine.model.results.scores import ConfidenceInterval

DecisionWord = Literal["above", "below", "better", "worse", "open"]


@dataclass(frozen=True, slots=True)
class Decision:
    """One question and its answer. `task` is "" for the comparison of two runs.

    For a task, `mean` and `interval` are of its `count` trials. For a comparison, `mean` is the mean difference of `count`
    tasks. `reason` says why the question is open.
    """

    task: str
    word: DecisionWord
    count: int
    mean: float
    interval: ConfidenceInterval | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Decisions:
    """All questions of a run. Either every task is held to `threshold`, or the run is compared with the run `against`."""

    found: tuple[Decision, ...]
    threshold: float | None = None
    against: str = ""

    @property
    def is_bad(self) -> bool:
        """Whether a task is below the threshold, or the run is worse than the other."""
        return any(it.word in {"below", "worse"} for it in self.found)

    @property
    def is_open(self) -> bool:
        return any(it.word == "open" for it in self.found)

    @property
    def error(self) -> str:
        """Why a run with an open question did not decide it, and how to go on."""
        limits = dict.fromkeys(it.reason for it in self.found if it.reason.startswith("--"))
        if not limits:
            advice = "Only more tasks can decide it" if self.threshold is None else "Continue with --resume"
        else:
            options = " ".join(f"{it} N" for it in limits)
            advice = f"Continue with a higher limit: --resume --until-decided {options}"
        return f"Not decided: {self.text}. {advice}"

    @property
    def text(self) -> str:
        """One line about all of them."""
        open_ones = [it for it in self.found if it.word == "open"]
        reasons = ", ".join(dict.fromkeys(it.reason for it in open_ones if it.reason))
        why = f" ({reasons})" if reasons else ""
        if self.threshold is None:
            comparison = self.found[0]
            what = "no difference shown yet" if open_ones else comparison.word
            return f"compared with run {self.against}: {what}, {comparison.mean:+.2f} over {counted(comparison.count, 'task')}{why}"
        counts = {it: sum(found.word == it for found in self.found) for it in ("above", "below")}
        parts = [
            f"{counted(count, 'task')} {word} {percent(self.threshold)}"
            for word, count in counts.items()
            if count
        ]
        return ", ".join([*parts, *([f"{len(open_ones)} open{why}"] if open_ones else [])])


def percent(rate: float) -> str:
    """Return a rate as a percentage, with as few digits as it has."""
    return f"{round(rate * 100, 2):g} %"


def decision_text(
    mean: float, count: int, threshold: float | None, interval: tuple[float, float] | None, reason: str = ""
) -> str:
    """Return one line about an answer, without the task's name."""
    why = f" ({reason})" if reason else ""
    if threshold is None or interval is None:
        return f"{mean:+.2f} over {counted(count, 'task')}{why}"
    known = f"{round(interval[0] * 100)} to {round(interval[1] * 100)} %"
    return f"{round(mean * 100)} % in {counted(count, 'trial')}, known as {known}; threshold {percent(threshold)}{why}"
