"""Values that shells complete: runs, tasks, executors, codes, grader types, schemas.

The modules of options import this one, so all else is imported when a shell asks. Shells show errors of a completion
between the words that the user types, so whatever fails completes nothing.
"""

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

Complete = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]
_Values = Callable[[click.Context], Iterable[tuple[str, str]]]
_MOST_RUNS = 50
_MOST_FILES = 500
_BUSY_SECONDS = 0.2


def _completing(values: _Values) -> Complete:
    """Return the completion of click for a function of pairs: each value, and what a shell may show beside it."""

    @functools.wraps(values)
    def complete(ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        try:
            found = dict(values(ctx))
        except Exception:  # noqa: BLE001  # a shell would show it in the user's line
            return []
        return [
            CompletionItem(it, help=about)
            for it, about in found.items()
            if it.startswith(incomplete) and " " not in it
        ]

    return complete


@_completing
def runs(ctx: click.Context) -> Iterator[tuple[str, str]]:
    """Yield the newest stored runs."""
    yield "last", "the newest run"
    query = "SELECT run_id, suite_name, status FROM runs ORDER BY started_at DESC LIMIT ?"
    for run_id, name, status in _rows(ctx, query, _MOST_RUNS):
        yield str(run_id), f"{name} {status or ''}".strip()


def runs_or_files(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete stored runs; if none fits, results files."""
    return runs(ctx, parameter, incomplete) or [CompletionItem(incomplete, type="file")]


@_completing
def tasks(ctx: click.Context) -> Iterator[tuple[str, str]]:
    """Yield the tasks of the eval in the line, else those of the stored run."""
    # While the value of the last option is missing, click leaves the arguments where they are.
    words = [ctx.params.get("eval_file") or "", *ctx.args]
    eval_file = next((it for it in words if it and Path(it).is_file()), None)
    if eval_file is not None:
        yield from _tasks_of_eval(Path(eval_file))
        return
    query = (
        "SELECT DISTINCT task_id FROM trials WHERE run_id = (SELECT run_id FROM runs WHERE run_id LIKE ? || '%' "
        "ORDER BY started_at DESC LIMIT 1) ORDER BY task_index"
    )
    run = ctx.params.get("run_name") or ctx.params.get("run") or "last"
    yield from ((str(task), "") for [task] in _rows(ctx, query, "" if run == "last" else run))


@_completing
def executors(_ctx: click.Context) -> Iterator[tuple[str, str]]:
    """Yield the executors, with what they lack here."""
    import os

    from waza_engine.executors.needs import NEEDS, readiness
    from waza_engine.plugins import EXECUTOR_GROUP, has_plugins, plugin_entry_points

    for name in NEEDS:
        yield name, readiness(name, os.environ).missing
    yield from ((it.name, "plug-in") for it in plugin_entry_points(EXECUTOR_GROUP)) if has_plugins() else ()


@_completing
def codes(_ctx: click.Context) -> Iterator[tuple[str, str]]:
    """Yield the codes of findings."""
    from waza_lsp.cli.pages.manual import RULES, entries

    yield from ((it.name, it.cells[-1]) for it in entries(RULES))


@_completing
def grader_types(ctx: click.Context) -> Iterator[tuple[str, str]]:
    """Yield the grader types, of one dialect if the line chooses one."""
    from waza_engine.recognition.recognise import dialects_by_preference
    from waza_lsp.cli.pages.manual import entries

    chosen = ctx.params.get("dialect_name") or ctx.params.get("dialect")
    for dialect in dialects_by_preference():
        if chosen in {None, dialect.name}:
            yield from ((it.name, it.cells[-1]) for it in entries(f"graders/{dialect.schema_folder}"))


@_completing
def schemas(_ctx: click.Context) -> Iterator[tuple[str, str]]:
    """Yield the names of the schemas."""
    from waza_engine.analysis.schema.files import schema_names

    yield from ((it, "") for it in schema_names())


def _rows(ctx: click.Context, query: str, *values: Any) -> list[Any]:
    """Return rows of the run store that the line chooses."""
    from waza_engine.project.store_location import FILE_NAME, FOLDER, default_store_dir
    from waza_engine.runs.store.connection import connect_read_only

    given = ctx.params.get("store_dir")
    path = Path(given or default_store_dir(Path.cwd() / "eval.yaml")) / FILE_NAME
    if not path.exists():
        # Outside of a repository, an eval keeps its runs next to itself.
        below = (
            []
            if given
            else [it for level in ("*", "*/*") for it in Path().glob(f"{level}/{FOLDER}/{FILE_NAME}")]
        )
        if len(below) != 1:
            return []
        [path] = below
    with connect_read_only(path, _BUSY_SECONDS, briefly=True) as sql:
        return sql.execute(query, values).fetchall()


def _tasks_of_eval(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the tasks in an eval and in the files that its globs match, without the models of the formats."""
    from waza_engine.recognition.recognise import recognise

    data = _mapping(path)
    found = recognise(data, path)
    for key in found[1].tasks if found is not None else ():
        for it in data.get(key) or ():
            if isinstance(it, str):
                for file in sorted(path.parent.glob(it))[:_MOST_FILES]:
                    yield from _named(_mapping(file))
            elif isinstance(it, Mapping):
                yield from _named(it)


def _mapping(path: Path) -> Mapping[str, Any]:
    from waza_engine.lib.files.safe_read import regular_bytes
    from waza_engine.lib.yaml.reader import YamlError, read_yaml
    from waza_engine.lib.yaml.scalars import plain

    try:
        data = plain(read_yaml(regular_bytes(path, 2_000_000).decode("utf-8-sig")))
    except (OSError, UnicodeDecodeError, YamlError):
        return {}
    return data if isinstance(data, Mapping) else {}


def _named(task: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    name = task.get("id") or task.get("name")
    if isinstance(name, str):
        yield name, str(task.get("name") or "")
