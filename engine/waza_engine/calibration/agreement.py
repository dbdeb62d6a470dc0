"""Agreement of a judge with people, with other models, and with itself. Pure counting over judgements."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from waza_engine.calibration.judgement import Judgement, latest_of_people
from waza_engine.model.results.consumption import Consumption, judge_consumption
from waza_engine.statistics.agreement import Agreement, agreement, confusion
from waza_engine.statistics.flips import FlipRate, flip_rate

Table = list[list[int]]
"""How often the first said pass (row 0) or fail (row 1), and the second pass (column 0) or fail (column 1)."""
_LABELS = (True, False)


@dataclass(frozen=True, slots=True)
class JudgeRecord:
    """What is known of one judge model at one grader.

    `table` counts its verdicts (first) against those of people (second). `flips` is about the recordings that it judged
    more than once in the same words. `verdicts` and `used` count every answer.
    """

    grader: str
    model: str
    table: Table
    flips: FlipRate
    verdicts: int
    used: Consumption

    @property
    def with_people(self) -> Agreement:
        """The agreement with people."""
        return agreement(self.table)


@dataclass(frozen=True, slots=True)
class ModelPair:
    """The verdicts of two models at one grader on the same recordings."""

    grader: str
    first: str
    second: str
    table: Table

    @property
    def agreement(self) -> Agreement:
        """The agreement of the two models."""
        return agreement(self.table)


def judge_records(judgements: Sequence[Judgement]) -> list[JudgeRecord]:
    """Return the record of each judge model at each grader, by name.

    Of several verdicts on a recording the last one counts against the person's.
    """
    people = latest_of_people(judgements)
    of_judge: dict[tuple[str, str], list[Judgement]] = {}
    for it in judgements:
        if not it.person:
            of_judge.setdefault((it.grader, it.by), []).append(it)
    return [_record(grader, model, its, people) for (grader, model), its in sorted(of_judge.items())]


def _record(
    grader: str, model: str, its: Sequence[Judgement], people: dict[tuple[str, str], Judgement]
) -> JudgeRecord:
    last = {it.recording: it for it in its}
    pairs = [
        (it.passed, people[name, grader].passed) for name, it in last.items() if (name, grader) in people
    ]
    return JudgeRecord(
        grader,
        model,
        table_of(pairs),
        flip_rate(flip_groups(its)),
        len(its),
        judge_consumption({"usage": usage} for it in its for usage in it.usages),
    )


def flip_groups(its: Iterable[Judgement]) -> list[list[bool]]:
    """Return the verdicts on each recording that was judged more than once in the same words by the same model."""
    groups: dict[tuple[object, ...], list[bool]] = {}
    for it in its:
        if it.requests:
            groups.setdefault((it.recording, it.grader, it.by, it.requests), []).append(it.passed)
    return [it for it in groups.values() if len(it) > 1]


def model_pairs(judgements: Sequence[Judgement]) -> list[ModelPair]:
    """Return how each two models at the same grader agree on the recordings that both judged."""
    last: dict[tuple[str, str], dict[str, bool]] = {}
    for it in judgements:
        if not it.person:
            last.setdefault((it.grader, it.by), {})[it.recording] = it.passed
    keys = sorted(last)
    found = []
    for number, (grader, first) in enumerate(keys):
        for other, second in keys[number + 1 :]:
            common = last[grader, first].keys() & last[other, second].keys() if other == grader else ()
            if common:
                pairs = [(last[grader, first][it], last[grader, second][it]) for it in common]
                found.append(ModelPair(grader, first, second, table_of(pairs)))
    return found


def table_of(pairs: Iterable[tuple[bool, bool]]) -> Table:
    """Return the table of pairs of verdicts."""
    return confusion(pairs, _LABELS)
