"""Read the options of `waza-lsp run --until-decided`."""

from collections.abc import Mapping
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import click

from waza_engine.runs.planning.plan import Overrides, PlanError
from waza_engine.runs.planning.until_decided import UntilDecided
from waza_engine.runs.store.store import RunStore
from waza_lsp.cli.options import LAST
from waza_lsp.cli.stored.find import find_run

_LIMITS = ("max_trials", "max_tokens", "max_minutes")


def until_decided_of(options: Mapping[str, Any]) -> UntilDecided | None:
    """Return what the options ask for; None without --until-decided."""
    given = UntilDecided(**{it.name: options[it.name] for it in fields(UntilDecided)})
    if options["until_decided"]:
        if given.against and given.threshold is not None:
            raise click.UsageError("--against and --threshold are two questions. Use only one of them.")
        return given
    for it in fields(UntilDecided):
        if getattr(given, it.name) != it.default:
            raise click.UsageError(f"--{it.name.replace('_', '-')} needs --until-decided.")
    return None


def with_compared_run(overrides: Overrides, store: RunStore, eval_file: Path) -> Overrides:
    """Return the options with the full id of the run to compare with. `last` is the last run of the eval before this one."""
    until = overrides.until_decided or UntilDecided()
    run = find_run(store, until.against, eval_file if until.against == LAST else None)
    return replace(overrides, until_decided=replace(until, against=run.run_id))


def resumed_overrides(before: Overrides, given: UntilDecided | None) -> Overrides:
    """Return the options of a run that is continued, with new limits if there are any.

    Raises:
        PlanError: the run has another question.

    """
    if given is None:
        return before
    if before.until_decided is None:
        raise PlanError("The run was not started with --until-decided. Remove the option")
    if given.against or given.threshold is not None:
        raise PlanError("--resume continues with the same question. Remove --threshold and --against")
    limits = {it: getattr(given, it) for it in _LIMITS if getattr(given, it) is not None}
    return replace(before, until_decided=replace(before.until_decided, **limits))
