"""What the chosen numbers of tasks and trials can show: a short label, and tables for the hover.

They assume the pass rate of recorded trials and how it differs between tasks, or usual values without any. Effects come
from the normal distribution, because a hover cannot wait for the simulation of `waza-lsp plan`.
"""

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from typing import NamedTuple

from waza_engine.lib.links import manual_page
from waza_engine.lib.plurals import counted
from waza_engine.lib.pointer import Pointer
from waza_engine.recognition.sample import RateThreshold, Sample
from waza_engine.statistics.power import detectable_effect, fewest_tasks, half_width, passes_to_show
from waza_engine.statistics.task_model import Design, expected_between, expected_rate
from waza_lsp.snapshot import Snapshot
from waza_lsp.workspace.workspace import WorkspaceFiles

_TRIALS = (1, 3, 5, 10)
_TASKS = (6, 10, 20, 50, 100)
_MOST_TRIALS = 1_000
_MOST_TASKS = 100_000


class PowerNote(NamedTuple):
    """A label for the place where a file chooses its sample, with an explanation."""

    pointer: Pointer
    label: str
    tooltip: str


def power_note(snapshot: Snapshot, workspace: WorkspaceFiles) -> PowerNote | None:
    """Return what the tasks and trials of a document can show, at the first place that chooses them."""
    sample = _sample(snapshot, workspace)
    places = (*sample.trial_places, *sample.task_places) if sample is not None else ()
    if sample is None or not places:
        return None
    design, source = _design(snapshot, sample, workspace)
    shown = _shown(design)
    label = shown if sample.comparison else f"pass rate known to {_known(design)}"
    tooltip = f"{_numbers(sample)}\nA comparison {shown}\nAssumed: {_assumed(design, source)}"
    return PowerNote(places[0], label, tooltip)


def power_facts(snapshot: Snapshot, pointer: Pointer, workspace: WorkspaceFiles) -> Iterator[str]:
    """Return a table for the value at `pointer` if it chooses tasks or trials, or a sentence for a threshold."""
    sample = _sample(snapshot, workspace)
    if sample is None:
        return
    design, source = _design(snapshot, sample, workspace)
    if pointer in sample.trial_places:
        rows = [replace(design, trials=it) for it in sorted({*_TRIALS, sample.trials})]
        yield _table("trials of each task", [(it.trials, it) for it in rows], sample.trials)
    elif pointer in sample.task_places:
        rows = [replace(design, tasks=it) for it in sorted({*_TASKS, sample.tasks})]
        yield _table("tasks", [(it.tasks, it) for it in rows], sample.tasks)
    else:
        facts = (_threshold_fact(it) for it in sample.thresholds if it.pointer == pointer)
        yield from filter(None, facts)
        return
    yield (
        f"Here: {_numbers(sample)}. Such changes are shown in 80 of 100 comparisons. "
        f"Assumed: {_assumed(design, source)}. "
        f"[How sure is this?]({manual_page('how-sure-is-this#in-the-file')})"
    )


def _sample(snapshot: Snapshot, workspace: WorkspaceFiles) -> Sample | None:
    form = snapshot.form
    if form is None or snapshot.path is None:
        return None
    found = form.document(snapshot.data, snapshot.path, workspace.process_dir, workspace.files).sample
    is_usual = found is not None and 0 < found.trials <= _MOST_TRIALS and 0 < found.tasks <= _MOST_TASKS
    return found if is_usual else None


def _design(snapshot: Snapshot, sample: Sample, workspace: WorkspaceFiles) -> tuple[Design, str]:
    """Return what is assumed, and where it comes from."""
    seen = workspace.seen_trials(snapshot.path) if snapshot.path is not None else ()
    design = Design(sample.tasks, sample.trials, expected_rate(seen), expected_between(seen))
    return design, "from recorded trials" if seen else "usual values, no run is stored"


def _table(heading: str, rows: Iterable[tuple[int, Design]], chosen: int) -> str:
    lines = [
        f"| {heading} | pass rate known to | a comparison |",
        "| --- | --- | --- |",
    ]
    for count, design in rows:
        number = f"**{count}**" if count == chosen else str(count)
        lines.append(f"| {number} | {_known(design)} | {_shown(design)} |")
    return "\n".join(lines)


def _known(design: Design) -> str:
    return f"±{_percent(half_width(design))} %"


def _shown(design: Design) -> str:
    if design.tasks < fewest_tasks():
        return "cannot show a difference"
    effect = _detectable(design)
    if effect is None:
        return "shows no change reliably"
    return f"shows changes of about {_percent(effect)} points or more"


@lru_cache(maxsize=1024)
def _detectable(design: Design) -> float | None:
    return detectable_effect(design, roughly=True)


def _percent(share: float) -> str:
    return f"{100 * share:.{0 if share >= 0.015 else 1}f}"


def _numbers(sample: Sample) -> str:
    return f"{counted(sample.tasks, 'task')}, {counted(sample.trials, 'trial')} of each"


def _assumed(design: Design, source: str) -> str:
    return f"pass rate {design.rate:.0%}, {design.between:.0%} of the variance between tasks ({source})"


def _threshold_fact(it: RateThreshold) -> str:
    needed = passes_to_show(it.value)
    if needed is None or it.value <= 0:
        return ""
    guessing = (
        f", and more than guessing from {passes_to_show(it.guessed)} on" if it.guessed is not None else ""
    )
    return f"A perfect result shows a true value above {it.value:g} from {needed} {it.noun} on{guessing}. Now: {it.count}."
