"""The formulas give what scipy, statsmodels and scikit-learn give, on 1,000 random inputs each."""

import random
import warnings
from importlib.util import find_spec

import pytest

from waza_engine.statistics.agreement import agreement, confusion
from waza_engine.statistics.paired import sign_flip_test, sign_test
from waza_engine.statistics.rates import clopper_pearson, wilson
from waza_engine.statistics.two_rates import fisher_exact

ROUNDS = 1000
# Not `importorskip`: their imports cost 3 s of processor time in each process that collects tests.
pytestmark = pytest.mark.skipif(
    any(find_spec(it) is None for it in ("scipy", "sklearn", "statsmodels")),
    reason="the dependency group 'statistics' is not installed; .ci/run installs it",
)


@pytest.mark.slow
def test_kappa_and_its_interval_equal_those_of_the_libraries() -> None:
    from sklearn.metrics import cohen_kappa_score, confusion_matrix
    from statsmodels.stats.inter_rater import cohens_kappa

    rng = random.Random(1)  # noqa: S311  # statistics, no secret
    for _ in range(ROUNDS):
        labels = list(range(rng.randint(2, 5)))
        pairs = [
            (one, one if rng.random() < 0.5 else rng.choice(labels))
            for one in rng.choices(labels, k=rng.randint(5, 60))
        ]
        first, second = zip(*pairs, strict=True)
        table = confusion(pairs, labels)
        assert table == confusion_matrix(first, second, labels=labels).tolist()
        found = agreement(table)
        if found.kappa is None or found.kappa_interval is None:
            assert len({*first, *second}) == 1
            continue
        assert found.kappa == pytest.approx(cohen_kappa_score(first, second), abs=1e-12)
        if first == second or len({*first}) == 1 or len({*second}) == 1:
            assert found.kappa_interval.lower < found.kappa_interval.upper  # theirs is one point
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it divides by an error of 0
            theirs = cohens_kappa(table)
        assert found.kappa_interval.lower == pytest.approx(max(-1, theirs.kappa_low), abs=1e-7)
        assert found.kappa_interval.upper == pytest.approx(min(1, theirs.kappa_upp), abs=1e-7)


@pytest.mark.slow
def test_intervals_and_exact_tests_equal_those_of_the_libraries() -> None:
    from scipy import stats
    from statsmodels.stats.proportion import proportion_confint

    rng = random.Random(2)  # noqa: S311  # statistics, no secret
    for _ in range(ROUNDS):
        total = rng.randint(1, 120)
        passed = rng.randint(0, total)
        for method, ours in (("wilson", wilson(passed, total)), ("beta", clopper_pearson(passed, total))):
            lower, upper = proportion_confint(passed, total, method=method)
            assert [ours.lower, ours.upper] == pytest.approx([lower, upper], abs=1e-9)
        assert sign_test(passed, total - passed) == pytest.approx(stats.binomtest(passed, total).pvalue)
        other = rng.randint(1, 40)
        good = rng.randint(0, other)
        theirs = stats.fisher_exact([[passed, total - passed], [good, other - good]]).pvalue
        assert fisher_exact(passed, total, good, other) == pytest.approx(theirs, abs=1e-9)
    for _ in range(50):
        differences = [rng.randint(-4, 5) / 5 for _ in range(rng.randint(2, 9))]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            theirs = stats.permutation_test(
                (differences,),
                lambda it: abs(sum(it)) + 1e-12,
                permutation_type="samples",
                alternative="greater",
            ).pvalue
        assert sign_flip_test(differences) == pytest.approx(theirs)
