"""How tasks did over several runs, in the HTML reports: a field a run, the newest on the right."""

from collections.abc import Iterator
from html import escape

from waza_engine.reports.history import Runs, courses, is_flaky, pass_rate
from waza_engine.reports.html_charts import squares
from waza_engine.reports.html_parts import bar, page


def history_section(history: Runs) -> Iterator[str]:
    """The tasks of the runs, those that pass least often first; nothing for a single run."""
    if len(history) < 2:
        return
    yield f"<h2>The last {len(history)} runs</h2>"
    yield "<table><tr><th>task<th>runs<th>trials that passed<th></tr>"
    for task, course in courses(history):
        flaky = '<span class="flaky">flaky</span>' if is_flaky(course) else ""
        rate = pass_rate(course)
        share = bar(rate) if rate is not None else ""
        yield f"<tr><td>{escape(task)}<td>{squares(course)}<td>{share}<td>{flaky}</tr>"
    yield "</table>"


def history_page(title: str, history: Runs) -> Iterator[str]:
    """A document of its own about it."""
    return page(title, _body(title, history))


def _body(title: str, history: Runs) -> Iterator[str]:
    yield f"<header><h1>{escape(title)}</h1></header>"
    if len(history) < 2:
        yield '<p class="quiet">There are not two runs yet.</p>'
    yield from history_section(history)
