"""What is known of a judge, in a few words for a lens."""

from waza_engine.calibration.standing import JudgeStanding
from waza_engine.lib.plurals import counted


def standing_words(it: JudgeStanding) -> str:
    """Return what is known: `judge: kappa 0.41 with 24 human verdicts · flips 3 of 20`; "" if the judge decided nothing."""
    record = it.record
    if record is None:
        return ""
    people = record.with_people
    if people.kappa is not None:
        parts = [f"kappa {people.kappa:.2f} with {counted(people.items, 'human verdict')}"]
    elif people.items:
        parts = [f"agrees on {people.agreed:.0%} of {counted(people.items, 'human verdict')}"]
    else:
        parts = [f"{counted(record.verdicts, 'verdict')}, none judged by people"]
    if record.flips.rate is not None:
        parts.append(f"flips {record.flips.mixed} of {record.flips.things}")
    return f"judge: {' · '.join(parts)}"
