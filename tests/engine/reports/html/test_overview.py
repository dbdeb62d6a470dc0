"""The charts of the overview."""

import re

from tests.engine.reports.html.pages import NASTY, macro
from waza_engine.model.results.scores import Interval
from waza_engine.reports.html.overview import histogram


def test_scores_outside_of_their_range_stay_in_the_picture() -> None:
    shown = macro("charts", "strip", [(1.5, "passed"), (-1, NASTY)], 2.0, Interval(-1, 3, 1))
    assert re.findall(r"left:(.+?)[;\"]", shown) == ["0%", "100%", "0%", "100%"]
    counts = histogram([1.0, 0.0, 7.0, -2.0])
    assert counts == [2, 0, 0, 0, 0, 0, 0, 0, 0, 2]
    macro("charts", "histogram", counts)
    for score in (None, 1.5, -1):
        macro("charts", "cell", score, NASTY)
