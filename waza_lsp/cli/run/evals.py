"""`waza-lsp run FOLDER` and `waza-lsp run --suite NAME`: run several evals, one after the other.

Imported late: most runs are of one eval.
"""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from waza_engine.lib.go.glob import literal
from waza_engine.model.suite import LoadError
from waza_engine.project.eval_sets import ChosenEval, evals_in, evals_of_suite
from waza_engine.reports.inert import harmless
from waza_engine.runs.run import worse_exit
from waza_engine.runs.store.store import default_store_dir
from waza_lsp.cli.console import EXIT_ERROR, show
from waza_lsp.cli.load_errors import give_up_loading, short_path
from waza_lsp.cli.options import LAST
from waza_lsp.cli.run.dry_run import plans_json, plans_text
from waza_lsp.cli.run.perform import perform
from waza_lsp.cli.run.reports import Display, ReportPrinter, Reports
from waza_lsp.cli.run.request import RunRequest, plan_run, report_files_of
from waza_lsp.cli.text_report import show_conclusion


def run_evals(start: Path, suite: str | None, options: Mapping[str, Any]) -> int:
    """Run all evals of a folder, or those of a project's suite, and return the exit status.

    All are planned before the first one starts, so that a broken eval costs nothing.
    """
    _refuse_options(options, suite)
    folder = start if start.is_dir() else start.parent
    try:
        chosen = _chosen(start, folder, suite)
    except LoadError as error:
        give_up_loading(error)
    if options["changed_since"] is not None:
        # Imported late: most runs compare with no commit.
        from waza_lsp.cli.run.changed_since import only_changed

        chosen = only_changed(chosen, options["changed_since"])
    requests = [_request(it, options) for it in chosen]
    plans = [plan_run(it) for it in requests]
    if options["dry_run"]:
        show((plans_json if options["printed"] == "json" else plans_text)(plans, None))
        return 0
    return _perform_all(requests, options)


def _chosen(start: Path, folder: Path, suite: str | None) -> list[ChosenEval]:
    if suite is not None:
        return evals_of_suite(folder.absolute(), suite)
    return evals_in(folder) if start.is_dir() else [ChosenEval(start)]


def _request(chosen: ChosenEval, options: Mapping[str, Any]) -> RunRequest:
    if chosen.task_ids is not None:
        options = {**options, "tasks": tuple(map(literal, chosen.task_ids))}
    model = options["models"][0] if options["models"] else None
    return RunRequest.of(short_path(chosen.path), options, model)


def _perform_all(requests: list[RunRequest], options: Mapping[str, Any]) -> int:
    display = Display.of(options)
    printer = ReportPrinter.of_several(display)
    prints_text = not display.events and display.printed != "json"
    last_failure, not_passed = 0, []
    try:
        for request in requests:
            path = request.eval_file
            printer.begin(harmless(str(path)))
            directory = (options["store_dir"] or default_store_dir(path.absolute())).absolute()
            files = report_files_of(path, options, directory)
            if len(requests) > 1:
                files = _files_of(path, files)
            _, status = perform(request, files, display, printer, directory)
            if status:
                last_failure = worse_exit(last_failure, status)
                not_passed.append(path)
            if status == EXIT_ERROR:
                break
    finally:
        printer.end(may_be_empty=not requests)
    if prints_text and requests and not (display.quiet and not not_passed):
        show_conclusion("evals", len(requests), [str(it) for it in not_passed], last_failure)
    return last_failure


def _files_of(path: Path, files: Reports) -> Reports:
    """Return the report files of one of several evals, named after its path."""
    name = path.with_suffix("").as_posix().strip("/")
    own = files.of(name)
    return replace(
        own,
        directory=own.directory / name if own.directory else None,
        transcripts=own.transcripts / name if own.transcripts else None,
    )


def _refuse_options(options: Mapping[str, Any], suite: str | None) -> None:
    if options["changed_since"] is not None and (options["tasks"] or options["tags"]):
        raise click.UsageError("--changed-since selects the tasks. Remove --task and --tag.")
    if suite is not None and options["tasks"]:
        raise click.UsageError("--suite selects the tasks. Remove --task, or run one eval.")
    if len(options["models"]) > 1:
        raise click.UsageError("Several evals take one --model. Run one eval to compare models.")
    if options["variants"]:
        raise click.UsageError("--variant selects arms of an experiment. Name the experiment.")
    if options["resume"] is not None:
        raise click.UsageError("--resume continues the run of one eval. Name the eval.")
    if options["replay_from"] not in {None, LAST}:
        raise click.UsageError("For several evals, --replay-from takes only 'last'.")
    if options["results"] is not None and options["output_dir"] is not None:
        raise click.UsageError(
            "--output names a file and --output-dir a folder for the results: use only one."
        )
