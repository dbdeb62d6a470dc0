"""`waza-lsp grade`: grade recorded work without running an agent.

Graders, runs and reports are imported late: `--help` does without.
"""

import errno
import json
import os
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, NoReturn

import click

from waza_engine.recognition.recognise import dialects_by_preference, meanings
from waza_engine.reports.inert import harmless, inert
from waza_lsp.cli.completion import values
from waza_lsp.cli.console import EXIT_ERROR, give_up, print_err, show, show_chunks
from waza_lsp.cli.options import FILE, QUIET

if TYPE_CHECKING:
    from waza_engine.model.results.records import RunRecord, TrialRecord
    from waza_engine.model.suite import Suite
    from waza_engine.runs.past.regraded import Regrading
    from waza_engine.runs.recordings.judge_again import JudgedAgain
    from waza_engine.runs.recordings.regrade import Keep
    from waza_engine.runs.store.store import StoredRun

_FILE = click.Path(path_type=Path, allow_dash=True)
_STDIN = Path("-")
_DIRECTORY = click.Path(path_type=Path, exists=True, file_okay=False)
_WORKERS = min(4, os.cpu_count() or 1)
_EXIT_STATUS = {"passed": 0, "failed": 1}
_EXIT_ERRORED = 3


class _Grade(click.Command):
    """Names the option for what authors give as an argument: an eval, or a run."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        try:
            return super().parse_args(ctx, args)
        except click.UsageError as error:
            if "extra argument" not in error.message:
                raise
            advice = "Grade the last run with: waza-lsp grade --run last"
            raise click.UsageError(f"{error.message}. {advice}", ctx) from error


@click.command(cls=_Grade)
@click.option(
    "--run",
    "run_name",
    metavar="RUN",
    shell_complete=values.runs,
    help="A stored run: its id, or 'last'. Its graders are read again from the eval.",
)
@click.option(
    "--task",
    "tasks",
    multiple=True,
    metavar="GLOB",
    shell_complete=values.tasks,
    help="With --run: only tasks whose name or id matches.",
)
@click.option(
    "--store",
    "store_dir",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="With --run: folder of the run store.",
)
@click.option(
    "--eval",
    "eval_file",
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="EVAL",
    help="With --run last: the last run of this eval.",
)
@click.option(
    "--only-free", is_flag=True, help="With --run: leave out graders that run programs or ask a model."
)
@click.option("--html", type=FILE, metavar="FILE", help="With --run: write an HTML report.")
@click.option(
    "--trace", type=FILE, metavar="FILE", help="With --run: write a page of the trials, step by step."
)
@click.option("--junit", type=FILE, metavar="FILE", help="With --run: write a JUnit report.")
@click.option(
    "--output",
    type=FILE,
    metavar="FILE",
    help="With --run: write the results as JSON, or .jsonl as JSON lines.",
)
@click.option("--graders", "graders_file", type=_FILE, help="YAML list of grader entries.")
@click.option("--context", "context_file", type=_FILE, help="JSON object with the grading context.")
@click.option("--workspace", type=_DIRECTORY, help="Folder the agent worked in. Default: none.")
@click.option(
    "--artifact-dir",
    type=_DIRECTORY,
    help="Folder with files that the executor kept, such as custom metrics. Default: none.",
)
@click.option(
    "--format", "output_format", type=click.Choice(["text", "json"]), default="text", show_default=True
)
@QUIET
@click.option(
    "--gen", "generation", type=click.Choice(meanings()), default=meanings()[0], show_default=True,
    help="The waza generation that defines the grader types.",
)  # fmt: skip
@click.option(
    "--dialect", type=click.Choice([it.name for it in dialects_by_preference()]),
    help="The dialect that defines the grader types. Only waza has generations.",
)  # fmt: skip
@click.option(
    "--batch",
    "batch_file",
    type=_FILE,
    help="Grade many JSON lines; prints one JSON line for each. '-' is standard input.",
)
@click.option(
    "--events",
    type=click.Choice(["jsonl"]),
    help="Regrade the recordings of an eval and print run events as JSON lines. Reads a JSON request from standard input.",
)
def grade(  # noqa: PLR0913, PLR0917  # click passes one argument per option
    run_name: str | None,
    tasks: tuple[str, ...],
    store_dir: Path | None,
    eval_file: Path | None,
    only_free: bool,
    html: Path | None,
    trace: Path | None,
    junit: Path | None,
    output: Path | None,
    graders_file: Path | None,
    context_file: Path | None,
    workspace: Path | None,
    artifact_dir: Path | None,
    output_format: str,
    generation: str,
    dialect: str | None,
    batch_file: Path | None,
    events: str | None,
    *,
    quiet: bool,
) -> None:
    """Grade recorded work without running the agent again.

    With --run, it also says which verdicts differ from the stored ones. New verdicts on trials that could not be judged (a judge was down) are stored. All others are only shown.

    The exit status is 0 if everything passed, 1 if something failed, 3 if something could not be graded, and 2 for wrong
    usage. With --run, it is 1 if a counter example passes. With --events it is that of a run.

    \b
    Examples:
      waza-lsp grade --run last
      waza-lsp grade --run last --task 'explain-*'
      waza-lsp grade --run last --eval evals/eval.yaml --only-free
      waza-lsp grade --run last --html report.html --junit junit.xml
      waza-lsp grade --graders graders.yaml --context context.json --workspace work
      waza-lsp grade --dialect vally --graders graders.yaml --context context.json
      waza-lsp grade --batch lines.jsonl
      waza-lsp grade --events jsonl < request.json
    """
    if sum(it is not None for it in (batch_file, graders_file or context_file, run_name, events)) > 1:
        raise click.UsageError("Give only one of --run, --batch, --events and --graders.")
    for option, value in (
        ("--task", tasks),
        ("--store", store_dir),
        ("--eval", eval_file),
        ("--only-free", only_free),
        ("--html", html),
        ("--trace", trace),
        ("--junit", junit),
        ("--output", output),
    ):
        if value and run_name is None:
            raise click.UsageError(f"{option} requires --run.")
    if events is not None:
        # Imported late: grading a list needs no runs and no recordings.
        from waza_lsp.cli.grade.regrade_events import regrade_from_stdin

        regrade_from_stdin()
    if run_name is not None:
        files = {"results": output, "junit": junit, "html": html, "trace": trace}
        chosen = _ChosenRun(run_name, tasks, store_dir, eval_file, only_free)
        _grade_run(chosen, output_format, files, quiet=quiet)
    if batch_file is not None:
        _grade_batch(batch_file)
        return
    if graders_file is None or context_file is None:
        raise click.UsageError(
            "Give --run, or --graders and --context, or --batch. For example: waza-lsp grade --run last"
        )
    if graders_file == context_file == _STDIN:
        raise click.UsageError("Only one of --graders and --context can be standard input.")
    from waza_engine.grading.batch import meaning_of_dialect
    from waza_engine.grading.batch_input import InputError, grading_context
    from waza_engine.lib.go.json import JsonError, read_json
    from waza_lsp.cli.grade.entries import grade_entries

    generation = meaning_of_dialect(dialect or "") or generation
    try:
        context = grading_context(
            read_json(_read_text(context_file)),
            workspace_dir=workspace.absolute() if workspace else None,
            artifact_dir=artifact_dir.absolute() if artifact_dir else None,
            process_dir=Path.cwd(),
            meaning=generation,
            strict=True,
        )
    except (JsonError, InputError) as error:
        raise click.UsageError(f"{context_file}: {error}") from error
    path = None if graders_file == _STDIN else graders_file
    grade_entries(_read_text(graders_file), path, context, generation, output_format, quiet=quiet)


def _read_text(path: Path) -> str:
    try:
        return _read_bytes(path).decode()
    except UnicodeDecodeError as error:
        raise click.UsageError(f"{path} is not UTF-8 (byte {error.start}).") from error


def _read_bytes(path: Path) -> bytes:
    from waza_engine.lib.files.safe_read import MAX_RESULTS_BYTES, given_bytes

    try:
        return sys.stdin.buffer.read() if path == _STDIN else given_bytes(path, MAX_RESULTS_BYTES)
    except OSError as error:
        raise click.UsageError(f"Cannot read {path}: {error.strerror}") from error


def _grade_batch(path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor, as_completed

    from waza_engine.grading.batch import answer_line

    lines = _read_bytes(path).split(b"\n")
    if not lines[-1]:
        # Text after the last line break is not a line. Blank lines before it get an answer, too.
        lines.pop()
    with ThreadPoolExecutor(_WORKERS) as pool:
        for answer in as_completed([pool.submit(answer_line, it) for it in lines]):
            sys.stdout.write(inert(json.dumps(answer.result(), default=str)) + "\n")
            sys.stdout.flush()


@dataclass(frozen=True, slots=True)
class _ChosenRun:
    """The stored run to grade again, as the options name it, and what of it."""

    name: str
    tasks: tuple[str, ...]
    store_dir: Path | None
    eval_file: Path | None
    only_free: bool


def _grade_run(
    chosen: _ChosenRun, output_format: str, files: Mapping[str, Path | None], *, quiet: bool
) -> NoReturn:
    """Regrade a stored run, print the verdicts, and end the program with their exit status.

    `files` are the fields of `Reports`.
    """
    # Imported late: grading a list or a batch needs no runs.
    from waza_engine.judges.patience import waits_reported
    from waza_engine.model.suite import LoadError
    from waza_engine.reports.results.write import results_chunks
    from waza_engine.runs.past.read import regrading_of
    from waza_engine.runs.planning.plan import Overrides, PlanError, make_plan
    from waza_engine.runs.recordings.judge_again import JudgedAgain
    from waza_engine.runs.recordings.regrade import RegradeOptions, regrade
    from waza_engine.runs.run_header import frame_of
    from waza_engine.runs.store.scratch import scratch_store
    from waza_engine.runs.store.store import StoreError
    from waza_lsp.cli.grade.changes import Changes
    from waza_lsp.cli.load_errors import give_up_loading
    from waza_lsp.cli.run.counter_examples import failed_counter_examples
    from waza_lsp.cli.run.reports import Reports
    from waza_lsp.cli.stored.find import find_run, open_store
    from waza_lsp.cli.text_report import show_text_report

    changes = Changes()
    report = waits_reported(lambda message: print_err(f"note: {message}"))
    with (
        report,
        open_store(chosen.store_dir, chosen.eval_file) as store,
        JudgedAgain(store.directory) as again,
        scratch_store() as scratch,
    ):
        run = find_run(store, chosen.name, chosen.eval_file, with_recordings=True)
        try:
            suite = _load_suite(run)
            plan = make_plan(suite, Overrides(tasks=chosen.tasks))
            noted = regrading_of(frame_of(plan, Path.cwd()))
            if chosen.only_free:
                suite = _free_suite(suite)
            keep = changes.noted(run, _both(again.keep, noted))
            options = RegradeOptions(chosen.tasks, keep, scratch)
            record = regrade(store, run, suite, Path.cwd(), os.environ, options)
            again.finish(run)
            _write_noted(noted, store.directory)
            problems = Reports(**files).write(record, store=store)
            if output_format == "json":
                show_chunks(results_chunks(record))
            else:
                if changes or not quiet:
                    show(changes.text(run.run_id) + "\n")
                show_text_report(record, quiet=quiet)
            passing = list(failed_counter_examples(plan, only_free=chosen.only_free))
        except LoadError as error:
            give_up_loading(error)
        except (PlanError, StoreError) as error:
            give_up(str(error))
    _tell(again, problems)
    for it in passing:
        print_err(f"FAILED: {it}")
    sys.exit(EXIT_ERROR if problems else _exit_status(record) or int(bool(passing)))


def _both(keep: "Keep", noted: "Regrading") -> "Keep":
    def keep_and_note(run: "StoredRun", was: "TrialRecord", now: "TrialRecord") -> None:
        keep(run, was, now)
        noted.note(run.run_id, now)

    return keep_and_note


def _write_noted(noted: "Regrading", directory: Path) -> None:
    """Keep the verdicts for `runs flaky`. A store that cannot be written costs nobody the regrading.

    Who may not write there knows it, and nothing is said.
    """
    try:
        noted.write(directory)
    except OSError as error:
        if error.errno in {errno.EROFS, errno.EACCES, errno.EPERM}:
            return
        print_err(f"note: 'runs flaky' will not know these verdicts: {error.strerror or error}")


def _tell(again: "JudgedAgain", problems: Sequence[str]) -> None:
    """Print what was stored, and which reports could not be written."""
    for it in problems:
        print_err(f"error: {it}")
    if again.count:
        # Imported late: `--help` does without.
        from waza_engine.lib.plurals import counted

        print_err(
            f"note: the verdicts on {counted(again.count, 'trial')} that could not be judged are in the run store now"
        )
    if again.problem:
        print_err(f"warning: the new verdicts could not be stored: {again.problem}")


def _exit_status(record: "RunRecord") -> int:
    known = [it.stats for it in record.tasks if it.stats]
    has_errors = any(it.error_runs > it.infrastructure_runs for it in known)
    return _EXIT_ERRORED if has_errors else _EXIT_STATUS.get(record.status, _EXIT_ERRORED)


def _load_suite(run: "StoredRun") -> "Suite":
    """Load the current suite of a run. For an arm, the experiment builds it."""
    from waza_engine.project.load_suite import load_suite, suite_of_arm

    if run.frame.arm is None:
        return load_suite(run.eval_path, process_dir=Path.cwd())
    return suite_of_arm(run.frame.arm)


def _free_suite(suite: "Suite") -> "Suite":
    """Return the suite without graders that run programs or ask a model, and tell the user which."""
    from waza_engine.runs.recordings.free_graders import free_suite

    suite, entries = free_suite(suite)
    left_out = [f"{it.name} ({it.type})" for it in entries]
    if left_out:
        print_err(
            harmless(f"note: left out, because they run programs or ask a model: {', '.join(left_out)}")
        )
    return suite
