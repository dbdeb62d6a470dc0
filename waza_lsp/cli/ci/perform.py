"""`waza-lsp ci run`: check, run what changed, grade recordings, audit, compare, and write it all into a folder."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import click

from waza_engine.lib.files.safe_write import write_text_atomic
from waza_engine.lib.process.git import git
from waza_engine.model.file_names import SUMMARY
from waza_engine.model.suite import LoadError
from waza_engine.project.eval_sets import ChosenEval, evals_in
from waza_engine.reports.pull_request.comment import comment_markdown, is_key
from waza_engine.reports.pull_request.summary import Commit, Summary, bounded, cut, tokens_of
from waza_engine.runs.changed.compare import ChangedEval, Changes, changed_since
from waza_engine.runs.changed.tree import TreeError
from waza_engine.runs.run import worse_exit
from waza_lsp.cli.ci.base_runs import BaseRuns
from waza_lsp.cli.ci.evals import EvalRuns, run_options
from waza_lsp.cli.ci.event import Event, append_summary, read_event
from waza_lsp.cli.ci.findings import Findings, find_all
from waza_lsp.cli.console import EXIT_ERROR, give_up, print_err
from waza_lsp.cli.load_errors import load_error_text, short_path
from waza_lsp.cli.run.changed_since import change_lines

_FAILED = 1


@dataclass(frozen=True, slots=True)
class Request:
    """The options of `waza-lsp ci run`."""

    paths: tuple[Path, ...]
    since: str
    base_dir: Path | None
    base_branch: str
    output: Path
    is_base: bool
    recordings_only: bool
    audits: bool
    run_options: str
    key: str


def perform(request: Request) -> int:
    """Do everything, write the folder, and return the exit status."""
    if not is_key(request.key):
        raise click.UsageError(
            f"--key: '{request.key}' is not a valid name. Use letters, digits, '.', '_' and '-'."
        )
    if missing := [str(it) for it in request.paths if not it.exists()]:
        give_up(f"No such file or folder: {', '.join(missing)}")
    if os.environ.get("GITHUB_EVENT_NAME") == "pull_request_target":
        give_up(
            "pull_request_target gives secrets to the code of strangers. Use pull_request, and a second workflow that "
            "comments (docs/ci.md)"
        )
    options, event, base = run_options(request.run_options), read_event(), BaseRuns.of(request.base_dir)
    problems: list[str] = []
    chosen = _evals(request.paths, problems)
    try:
        changes = _changes(request, chosen, base)
        changed = changes.changed if changes is not None else tuple(map(_all_of, chosen))
    except TreeError as error:
        # The comment says so, too: an older one would look as if it were about this commit.
        changes, changed = None, ()
        problems.append(str(error))
        print_err(f"error: {error}")
    audited = [it.path for it in changed] if request.audits else []
    if request.is_base:
        changed = _with_unstored(changed, chosen, base, request.output)
    runs = EvalRuns(request.output, base, options, request.recordings_only, problems=problems)
    for it in changed:
        runs.perform(it)
    found = find_all(request.paths, audited)
    runs.problems += found.problems
    summary = _summary(request, event, changes, runs, found, len(chosen))
    _write(request, summary, found.sarif)
    status = worse_exit(runs.status, _FAILED) if found.errors else runs.status
    return EXIT_ERROR if runs.problems else status


def _evals(paths: Sequence[Path], problems: list[str]) -> list[ChosenEval]:
    """Return each eval once. A folder without evals is a problem, unless there are others."""
    found: dict[Path, ChosenEval] = {}
    for path in paths:
        try:
            chosen = evals_in(path) if path.is_dir() else [ChosenEval(path)]
        except LoadError as error:
            problems.append(load_error_text(error))
            continue
        found |= {it.path.absolute(): it for it in chosen}
    return list(found.values())


def _all_of(chosen: ChosenEval, reasons: tuple[str, ...] = ()) -> ChangedEval:
    return ChangedEval(chosen.path, None, 0, reasons)


def _with_unstored(
    changed: Sequence[ChangedEval], chosen: Sequence[ChosenEval], base: BaseRuns, output: Path
) -> tuple[ChangedEval, ...]:
    """Carry over the results of unchanged evals; return the evals to run, because later comparisons need every task.

    An unchanged eval may have no results, for example after it was renamed.
    """
    known = {_shown(it.path) for it in changed}
    unchanged = {path: it.path for it in chosen if (path := _shown(it.path)) not in known}
    unstored = [it for path, it in unchanged.items() if not base.carry_over(path, output)]
    whole = (_all_of(ChosenEval(it.path), it.reasons) for it in changed)
    return (*whole, *(_all_of(ChosenEval(it), ("no stored run",)) for it in unstored))


def _changes(request: Request, chosen: Sequence[ChosenEval], base: BaseRuns) -> Changes | None:
    """Return what has changed; None if everything runs. Runs of the base branch count from those that exist.

    Raises:
        TreeError: the commit to compare with cannot be read.

    """
    since = base.commit if request.is_base else request.since
    if not since or not chosen:
        return None
    try:
        changes = changed_since(since, chosen, Path.cwd())
    except TreeError as error:
        if request.is_base:
            print_err(f"note: everything runs, because {error}")
            return None
        raise
    for line in change_lines(changes):
        print_err(line)
    return changes


def _summary(  # each value has its own source
    request: Request, event: Event, changes: Changes | None, runs: EvalRuns, found: Findings, evals: int
) -> Summary:
    return Summary(
        is_base=request.is_base,
        number=event.number,
        head=event.head,
        commit=_commit(),
        base=cut(request.base_branch or event.base),
        base_commit=runs.base.commit,
        skills=[cut(it) for it in changes.skills[:200]] if changes else [],
        skill_count=len(changes.skills) if changes else 0,
        eval_count=evals,
        run_count=len({it.path for it in runs.evals}),
        removed=[cut(it) for it in changes.removed[:100]] if changes else [],
        tokens=tokens_of(runs.consumption),
        evals=bounded(runs.evals),
        findings=found.lines,
        error_count=found.errors,
        warning_count=found.warnings,
        audits=found.audits,
        problems=[cut(it) for it in runs.problems[:100]],
    )


def _commit() -> Commit:
    try:
        ended = git(Path.cwd(), "rev-parse", "--verify", "--quiet", "HEAD")
    except OSError:
        return ""
    return ended.stdout.decode("ascii", "replace").strip() if ended.status == 0 else ""


def _shown(path: Path) -> PurePosixPath:
    return PurePosixPath(short_path(path).as_posix())


def _write(request: Request, summary: Summary, sarif: str) -> None:
    text = comment_markdown(summary, request.key)
    files = {SUMMARY: summary.model_dump_json(indent=1), "comment.md": text, "findings.sarif": sarif}
    try:
        request.output.mkdir(parents=True, exist_ok=True)
        for name, content in files.items():
            write_text_atomic(request.output / name, [content])
        append_summary(text)
    except OSError as error:
        give_up(f"cannot be written: {error.strerror or error}", request.output)
    print_err(f"Written: {request.output}")
