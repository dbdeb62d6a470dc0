"""The commands that run and grade parts of a document, with their titles.

Lenses, code actions and the test view show the same commands, in the same order. They depend only on the runnable and on
its status.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from lsprotocol import types

from waza_lsp.runnables.forecast import Forecast
from waza_lsp.runnables.runnables import PART_KINDS, DocumentGrader, Runnable


@dataclass(frozen=True, slots=True)
class Verdict:
    """The last result of a runnable, from a run or a regrade. `at` is in seconds since 1970.

    `tokens` is None if they were not counted. `scores` are those of the last runs, the newest last. `stale` means that
    the text has changed since. `passed` and `total` count the tasks of an eval. With `infrastructure`, nothing failed, but
    a judge or an endpoint was down (`status` is `error`).
    """

    run_id: str
    status: str
    score: float
    at: float
    tokens: int | None = None
    scores: tuple[float, ...] = ()
    stale: bool = False
    passed: int = 0
    total: int = 0
    infrastructure: bool = False
    since_green: str = ""
    """What has changed since the task passed, if it did not pass."""
    flaky: str = ""
    """How its verdicts vary, in a few words; `flaky_note` says it in a sentence."""
    flaky_note: str = ""
    quarantine: str = ""
    """The reason why the task does not decide the run."""

    @property
    def notes(self) -> list[str]:
        """What earlier runs tell, as sentences."""
        quarantine = self.quarantine and f"in quarantine: {self.quarantine}"
        return [sentence(it) for it in (self.since_green, self.flaky_note, quarantine) if it]


@dataclass(frozen=True, slots=True)
class LiveStatus:
    """The status after graders were graded again on the recordings of the last run.

    `failing` counts the graders of a task that fail now; `since` is when its last verdict came. For an eval, `passed`
    of `total` tasks pass.
    """

    is_passed: bool
    failing: int = 0
    passed: int = 0
    total: int = 0
    since: float = 0.0


@dataclass(frozen=True, slots=True)
class AuditStatus:
    """The audit of a task: the agents without work that pass, and its mutation score (None without mutants).

    For an eval, `accused` of `total` tasks pass for such an agent. `is_off` says that it is audited only on request.
    """

    passes_for: tuple[str, ...] = ()
    score: float | None = None
    accused: int = 0
    total: int = 0
    is_off: bool = False

    @property
    def text(self) -> str:
        """The audit in a few words: `⚠ passes for: silence, echo · mutation score 62 %`; "" if there is nothing to say."""
        if self.is_off:
            return "Audit"
        parts = []
        if self.passes_for:
            more = len(self.passes_for) - _MOST_AGENTS
            named = ", ".join(self.passes_for[:_MOST_AGENTS]) + (f" and {more} more" if more > 0 else "")
            parts.append(f"⚠ passes for: {named}")
        elif self.accused:
            parts.append(f"⚠ {self.accused} of {self.total} pass without work")
        if self.score is not None:
            parts.append(f"mutation score {int(self.score * 100)} %")
        return " · ".join(parts)


@dataclass(frozen=True, slots=True)
class RunStatus:
    """The status of a runnable: its last verdict, its current run, and what can be repeated."""

    verdict: Verdict | None = None
    running: str = ""
    """The id of the current run, or an empty string."""
    is_recorded: bool = False
    failed: int = 0
    """The number of its tasks that did not pass."""
    live: LiveStatus | None = None
    """The status of the edited text, if it differs from the text of the verdict."""
    forecast: Forecast | None = None
    audit: AuditStatus | None = None


NO_STATUS = RunStatus()


_RUNS = {
    "eval": ("▶ Run all", "waza.runEval"),
    "task": ("▶ Run task", "waza.runTask"),
    "experiment": ("▶ Run experiment", "waza.runEval"),
    "variant": ("▶ Run variant", "waza.runTask"),
}
"""The titles and names of the commands that run, by kind."""


def run_command(kind: str, uri: str, id_: str) -> types.Command | None:
    """Return the command that runs a runnable."""
    found = _RUNS.get(kind)
    if found is None:
        return None
    return types.Command(*found, arguments=[{"uri": uri, **({"task": id_} if kind in PART_KINDS else {})}])


def run_command_json(kind: str, uri: str, id_: str) -> str:
    """Return name and arguments of the same command as JSON. `uri` and `id_` are JSON already."""
    found = _RUNS.get(kind)
    if found is None:
        return "null"
    task = f',"task":{id_}' if kind in PART_KINDS else ""
    return f'{{"command":"{found[1]}","arguments":[{{"uri":{uri}{task}}}]}}'


def grade_command(uri: str, site: DocumentGrader, task: str) -> types.Command:
    """Return the command that regrades the recordings of a task, or of all tasks, with one grader only."""
    arguments: dict[str, Any] = {
        "uri": uri,
        "pointer": list(site.pointer),
        **({"grader": site.name} if site.name else {}),
        **({"task": task} if task else {}),
    }
    return types.Command(f"↻ Grade again with '{site.label}'", "waza.grade", arguments=[arguments])


def grade_command_json(uri: str, pointer: str, name: str, task: str) -> str:
    """Return name and arguments of the same command as JSON. All parts are JSON already."""
    more = "".join(f',"{key}":{it}' for key, it in (("grader", name), ("task", task)) if it != '""')
    return f'{{"command":"waza.grade","arguments":[{{"uri":{uri},"pointer":{pointer}{more}}}]}}'


def explain_command(uri: str, site: DocumentGrader) -> types.Command:
    """Return the command that lists the recorded trials that a grader fails."""
    title = f"Which recorded runs does '{site.label}' fail?"
    return types.Command(title, "waza.explainGrader", arguments=[{"uri": uri, "pointer": list(site.pointer)}])


def trace_command(runnable: Runnable, standing: "RunStatus") -> types.Command | None:
    """Return the command that shows the last run of a task or of an eval step by step; None without a stored run."""
    if standing.verdict is None or not standing.verdict.run_id or runnable.kind not in {"eval", "task"}:
        return None
    arguments = {"uri": runnable.uri, "runId": standing.verdict.run_id}
    if runnable.kind == "task":
        return types.Command(
            f"Show the steps of '{runnable.id}'",
            "waza.showTrace",
            arguments=[{**arguments, "task": runnable.id}],
        )
    return types.Command("Show the steps of the last run", "waza.showTrace", arguments=[arguments])


_MOST_AGENTS = 3
_ICONS = {"passed": "✓", "failed": "✗", "error": "⚠", "skipped": "○", "cancelled": "○"}
_BARS = "▁▂▃▄▅▆▇█"


class ActionKind(StrEnum):
    """The kinds of actions. A client can switch off the lenses of each."""

    RUN = "run"
    RUN_FAILED = "runFailed"
    GRADE = "grade"
    RESULT = "result"
    AUDIT = "audit"


class RunAction(NamedTuple):
    """A command and its kind."""

    sort: ActionKind
    command: types.Command


def shown_age(standing: RunStatus, now: float) -> str:
    """Return the age of the last verdict in words; empty without one. `now` is in seconds since 1970."""
    return age(now - standing.verdict.at) if standing.verdict is not None else ""


def runnable_actions(kind: str, uri: str, id_: str, standing: RunStatus, ago: str) -> Iterator[RunAction]:
    """Yield the commands for a runnable; none if it cannot be run. `ago` is the age of its last verdict."""
    run = run_command(kind, uri, id_)
    if run is None:
        return
    cost = f" ({standing.forecast.text})" if standing.forecast is not None and not standing.running else ""
    yield RunAction(ActionKind.RUN, types.Command(run.title + cost, run.command, arguments=run.arguments))
    here: dict[str, str] = {"uri": uri, **({"task": id_} if kind in PART_KINDS else {})}
    if standing.failed:
        title = f"▶ Run failed ({standing.failed})"
        yield RunAction(ActionKind.RUN_FAILED, types.Command(title, "waza.runFailed", arguments=[here]))
    if standing.is_recorded:
        yield RunAction(ActionKind.GRADE, types.Command("↻ Grade again", "waza.grade", arguments=[here]))
    yield from _result(here, standing, ago)
    if standing.audit is not None and standing.audit.text:
        command = types.Command(standing.audit.text, "waza.showAudit", arguments=[here])
        yield RunAction(ActionKind.AUDIT, command)


def _result(here: dict[str, str], standing: RunStatus, ago: str) -> Iterator[RunAction]:
    if standing.running:
        arguments = [{**here, "runId": standing.running}]
        yield RunAction(
            ActionKind.RESULT, types.Command("■ Running: cancel", "waza.cancelRun", arguments=arguments)
        )
    elif standing.verdict is not None:
        arguments = [{**here, "runId": standing.verdict.run_id}]
        verdict, live = standing.verdict, standing.live
        title = _verdict_text(verdict, ago) if live is None else _live_text(live, verdict, ago)
        tooltip = " ".join(verdict.notes) or None
        command = types.Command(title, "waza.showReport", tooltip=tooltip, arguments=arguments)
        yield RunAction(ActionKind.RESULT, command)


def sentence(text: str) -> str:
    """Return a text of a report as a sentence."""
    return f"{text[0].upper()}{text[1:]}."


def _verdict_text(verdict: Verdict, ago: str) -> str:
    passed = f"{verdict.passed} of {verdict.total} passed · " if verdict.total else ""
    what = "could not be judged" if verdict.infrastructure else f"{verdict.score:.2f}"
    if verdict.status == "cancelled":
        what = "cancelled"
    parts = [
        f"{_ICONS.get(verdict.status, '?')} {passed}{what}",
        ago,
        _tokens(verdict.tokens),
        _sparkline(verdict.scores),
        verdict.flaky,
        "in quarantine" if verdict.quarantine else "",
        "stale" if verdict.stale else "",
    ]
    return " · ".join(it for it in parts if it)


def _live_text(live: LiveStatus, verdict: Verdict, ago: str) -> str:
    icon = _ICONS["passed" if live.is_passed else "failed"]
    if live.total:
        what = f"{live.passed} of {live.total} pass"
    elif live.failing:
        what = f"{live.failing} grader{'s fail' if live.failing > 1 else ' fails'}"
    else:
        what = "passes" if live.is_passed else "fails"
    parts = [f"{icon} live: {what}", f"run {ago}", "stale" if verdict.stale else ""]
    return " · ".join(it for it in parts if it)


def age(seconds: float) -> str:
    """Return an age in rough words, so that a lens stays correct for a while without a refresh."""
    for size, unit in ((86_400, "d"), (3_600, "h"), (60, "min")):
        if seconds >= size:
            return f"{int(seconds // size)} {unit} ago"
    return "just now"


def _tokens(count: int | None) -> str:
    if not count:
        return ""
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if count >= size:
            return f"{count / size:.1f}{unit} tokens"
    return f"{count} tokens"


def _sparkline(scores: tuple[float, ...]) -> str:
    """Return the scores as bars of eight heights; empty if all are equally high."""
    bars = [_BARS[min(7, max(0, round(it * 7)))] for it in scores]
    return "".join(bars) if len(set(bars)) > 1 else ""
