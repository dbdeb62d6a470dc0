"""One trial in the HTML report: verdicts, then what was said, what the agent did, and what became of the files."""

from collections.abc import Iterator, Sequence
from html import escape

from waza_engine.reports.html_diff import files_in, patch_html
from waza_engine.reports.html_parts import bar, kind_of, seconds, status, text_block
from waza_engine.reports.html_timeline import timeline
from waza_engine.runs.records import GraderOutcome, TrialRecord
from waza_engine.trajectory import Trajectory


def trial_html(trial: TrialRecord, *, alone: bool, is_open: bool = False) -> Iterator[str]:
    """The trial: folded under a heading unless it is the task's only one."""
    if alone:
        yield '<div class="trial">'
        yield from _trial(trial)
        yield "</div>"
        return
    facts = seconds(trial.trajectory.duration_ms)
    facts += f", {trial.attempts} attempts" if trial.attempts > 1 else ""
    yield (
        f'<details class="trial"{" open" if is_open else ""}><summary>{status(trial.status)} <b>Trial {trial.trial}</b> '
        f'{bar(trial.score)} <small>{facts}</small></summary><div class="trial">'
    )
    yield from _trial(trial)
    yield "</div></details>"


def _trial(trial: TrialRecord) -> Iterator[str]:
    it = trial.trajectory
    if trial.error:
        yield f'<p class="error">{escape(trial.error)}</p>'
    if trial.graders:
        yield _table(trial.graders)
    for point in trial.checkpoints:
        yield f"<p>After turn {point.after_turn}: {status(point.status)}</p>{_table(point.graders)}"
    yield from _said(it)
    yield from timeline(it)
    yield from _files(it)
    yield from _commands(it)


def _table(graders: Sequence[GraderOutcome]) -> str:
    # What needs a look comes first.
    rows = "".join(_row(it) for it in sorted(graders, key=lambda it: it.passed))
    return f'<table><tr><th>grader<th>verdict<th class="n">score<th class="n">weight<th>feedback</tr>{rows}</table>'


def _row(it: GraderOutcome) -> str:
    name = f"{escape(it.name)} <small>{escape(it.type)}</small>"
    feedback = f'<span class="feedback">{escape(it.feedback)}</span>'
    return f'<tr><td>{name}<td>{status(it.status)}<td class="n">{it.score:.2f}<td class="n">{it.weight:g}<td>{feedback}</tr>'


def _said(it: Trajectory) -> Iterator[str]:
    is_open = " open" if len(it.prompt) + len(it.output) < 1500 else ""
    yield f'<details{is_open}><summary>Prompt and output</summary><div class="two">'
    yield f"<div><small>prompt</small>{text_block(it.prompt)}</div>"
    yield f"<div><small>output</small>{text_block(it.output)}</div></div></details>"
    if it.responder:
        told = f"{it.responder.outcome} after {it.responder.followups} answers. {it.responder.reason}"
        yield f'<p class="quiet">The simulated user: {escape(told)}</p>'


def _files(it: Trajectory) -> Iterator[str]:
    """What changed in the workspace; for old recordings, which do not know that, what stood there at the end."""
    if it.patch:
        names = files_in(it.patch)
        is_open = " open" if it.patch.count("\n") < 60 else ""
        yield f"<details{is_open}><summary>Changed files: {len(names)}</summary>"
        yield from patch_html(it.patch)
        yield "</details>"
    elif it.patch is None and (it.files or it.removed):
        yield f"<details><summary>Files after the run: {len(it.files)}</summary>"
        for name, text in it.files.items():
            yield f"<details><summary>{escape(name)}</summary>{text_block(text)}</details>"
        for name in it.removed:
            yield f'<p class="failed">deleted: {escape(name)}</p>'
        yield "</details>"
    if it.uncaptured:
        names_of_them = ", ".join(escape(name) for name in it.uncaptured[:20])
        yield f'<p class="quiet">not kept (large, or no text): {names_of_them}</p>'


def _commands(it: Trajectory) -> Iterator[str]:
    if it.command_invocations:
        rows = "".join(
            f'<tr class="{kind_of("passed" if call.response_index >= 0 else "failed")}">'
            f'<td>{escape(" ".join([call.command, *call.args]))}<td class="n">{call.exit_code}</tr>'
            for call in it.command_invocations
        )
        yield f"<details><summary>Calls of mocked programs: {len(it.command_invocations)}</summary>"
        yield f'<table><tr><th>call<th class="n">exit code</tr>{rows}</table></details>'
