"""How often the questions are answered wrongly, looked at after every trial or task."""

import random

from waza_engine.runs.deciding.questions import decide_comparison, decide_task, task_word, trials_for_above


def test_a_rate_at_the_threshold_is_rarely_decided_for_any_task() -> None:
    rng, wrong = random.Random(5), 0  # noqa: S311  # no secret
    for _ in range(200):
        looks = ([float(rng.random() < 0.8) for _ in range(50)] for _ in range(5))
        # The tests remember the strongest evidence of all looks.
        wrong += any(task_word(it, 0.8, 5) != "open" for it in looks)
    assert wrong <= 200 * 0.05


def test_equal_agents_are_rarely_told_apart() -> None:
    rng, wrong = random.Random(6), 0  # noqa: S311  # no secret
    for _ in range(200):
        rates = [rng.random() for _ in range(40)]
        differences = [
            (sum(rng.random() < it for _ in range(3)) - sum(rng.random() < it for _ in range(3))) / 3
            for it in rates
        ]
        wrong += decide_comparison(differences).word != "open"
    assert wrong <= 200 * 0.05


def test_the_number_of_trials_that_it_takes() -> None:
    needed = trials_for_above(0.8, 10)
    assert needed == 35
    assert decide_task("t", [1.0] * needed, 0.8, 10).word == "above"
    assert decide_task("t", [1.0] * (needed - 1), 0.8, 10).word == "open"
    assert trials_for_above(1.0, 1) is None
