"""`waza-lsp plan`: how many tasks and trials show a change, and what they cost."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from waza_engine.lib.plurals import counted
from waza_lsp.cli.console import give_up, show
from waza_lsp.cli.options import STORE

if TYPE_CHECKING:
    from waza_engine.model.results.records import RunRecord
    from waza_engine.runs.planning.power import PowerPlan

_SHARE = click.FloatRange(0, 1, min_open=True, max_open=True)


@click.command()
@click.argument("eval_file", metavar="EVAL", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--effect", type=_SHARE, default=0.1, show_default=True, help="Change of the pass rate to show."
)
@click.option("--power", type=_SHARE, default=0.8, show_default=True, help="Probability to show it.")
@click.option("--rate", type=_SHARE, help="Pass rate to expect. Default: that of the last run.")
@click.option("--format", "form", type=click.Choice(["text", "json"]), default="text", show_default=True)
@STORE
def plan(
    eval_file: Path, effect: float, power: float, rate: float | None, form: str, store_dir: Path | None
) -> None:
    """Show how many tasks and trials of EVAL show a change of the pass rate, and what they cost.

    Pass rate, differences between tasks, time and tokens are those of the last run. Without a run, usual values are assumed.

    \b
    Examples:
      waza-lsp plan evals/eval.yaml
      waza-lsp plan evals/eval.yaml --effect 0.2 --power 0.9
    """
    # Imported late: `--help` does without.
    from waza_engine.model.suite import LoadError
    from waza_engine.project.load_suite import load_suite
    from waza_engine.runs.planning.power import plan_power
    from waza_lsp.cli.load_errors import give_up_loading

    try:
        suite = load_suite(eval_file, process_dir=Path.cwd())
    except LoadError as error:
        give_up_loading(error)
    record = _last_record(eval_file, store_dir)
    found = plan_power(
        len(suite.tasks), max(1, suite.settings.trials), record, effect=effect, power=power, rate=rate
    )
    show(json.dumps(_data(found), indent=2) if form == "json" else "\n".join(_lines(eval_file, found)))


def _last_record(eval_file: Path, store_dir: Path | None) -> "RunRecord | None":
    """Return the newest stored run of the eval; None if there is none. The store is closed when the command ends."""
    from waza_engine.runs.store.record import stored_record
    from waza_engine.runs.store.store import FILE_NAME, RunStore, StoreError, default_store_dir

    directory = (store_dir or default_store_dir(eval_file)).absolute()
    if not (directory / FILE_NAME).is_file():
        return None
    try:
        store = click.get_current_context().with_resource(RunStore(directory, for_reading=True))
        runs = store.runs(eval_file, limit=1)
        return stored_record(store, runs[0]) if runs else None
    except StoreError as error:
        give_up(str(error))


def _lines(eval_file: Path, found: "PowerPlan") -> Iterator[str]:
    design = found.design
    source = f"from run {found.run_id}" if found.run_id else "no run is stored; usual values"
    yield f"{eval_file}: {counted(design.tasks, 'task')}, {counted(design.trials, 'trial')} of each"
    yield f"assumed: pass rate {design.rate:.0%}, {design.between:.0%} of the variance between tasks ({source})"
    yield f"now: a run knows the pass rate to ±{100 * found.known_to:.0f} points, and a comparison {_detectable(found)}"
    yield ""
    verb = "drop" if found.effect < 0 else "rise"
    yield (
        f"To show a {verb} from {design.rate:.0%} to {design.rate + found.effect:.0%} with a probability of "
        f"{found.power:.0%}, each run needs:"
    )
    cost = found.cost
    heads = ["trials of each", "tasks", "trials", *(["time"] if cost.seconds else [])]
    rows = [heads + (["tokens"] if cost.tokens else [])]
    for it in found.choices:
        if it.tasks is None:
            rows.append([str(it.trials), "too many", *["-"] * (len(rows[0]) - 2)])
            continue
        row = [str(it.trials), str(it.tasks), f"{it.total_trials:,}"]
        row += [_duration(it.total_trials * cost.seconds)] if cost.seconds else []
        row += [f"{it.total_trials * cost.tokens:,.0f}"] if cost.tokens else []
        rows.append(row)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        yield "  ".join(f"{it:>{width}}" for it, width in zip(row, widths, strict=True))
    yield ""
    yield "If the change helps some tasks and hurts others, it takes more tasks."
    if cost.seconds:
        yield "The time is that of one trial after the other."


def _detectable(found: "PowerPlan") -> str:
    if found.detectable is None:
        return "with so few tasks shows no change reliably"
    return f"shows changes of {100 * found.detectable:.0f} points or more with a probability of {found.power:.0%}"


def _duration(seconds: float) -> str:
    if seconds < 120:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 7200 else f"{seconds / 3600:.1f} h"


def _data(found: "PowerPlan") -> dict[str, Any]:
    cost = found.cost
    return {
        "tasks": found.design.tasks,
        "trials": found.design.trials,
        "run": found.run_id or None,
        "assumed": {"pass_rate": found.design.rate, "between_tasks": found.design.between},
        "effect": found.effect,
        "power": found.power,
        "known_to": found.known_to,
        "detectable_effect": found.detectable,
        "choices": [
            {
                "trials": it.trials,
                "tasks": it.tasks,
                "total_trials": it.total_trials if it.tasks is not None else None,
                "seconds": it.total_trials * cost.seconds if cost.seconds and it.tasks is not None else None,
                "tokens": it.total_trials * cost.tokens if cost.tokens and it.tasks is not None else None,
            }
            for it in found.choices
        ],
    }
