"""A suite in the newest form of its own dialect: the editor's fixes, applied to every file of it."""

import os
from functools import partial
from pathlib import Path, PurePosixPath

from waza_engine.convert import Conversion
from waza_engine.formats import load_suite
from waza_engine.rules.legacy_shape import LEGACY_SHAPE
from waza_engine.scope import Scope
from waza_engine.suite import LoadError
from waza_lsp.cli.check_fix import fixed_file
from waza_lsp.features.diagnostics import findings
from waza_lsp.schema.fixing import newest_solution
from waza_lsp.schema.world import World
from waza_lsp.snapshot import Snapshot


def in_newest_form(path: Path, process_dir: Path) -> Conversion:
    """The eval at `path` and the task files it names, outdated shapes replaced; other text stays as it is.

    Raises:
        LoadError: the eval file cannot be read.

    """
    result = Conversion()
    for it in _files_of(path, process_dir):
        try:
            text = it.read_bytes().decode("utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise LoadError(it, f"The file cannot be read: {error}") from error
        snapshot = Snapshot.of(it.absolute().as_uri(), text)
        world = World(it.absolute(), Scope(process_dir=process_dir))
        after = fixed_file(str(it), snapshot, partial(findings, world=world), newest_solution)
        new = after.after if after else text
        name = PurePosixPath(os.path.relpath(it, path.parent).replace(os.sep, "/"))
        result.files[name] = new
        for mark in findings(Snapshot.of(snapshot.uri, new), world):
            if mark.finding.rule is LEGACY_SHAPE:
                result.lose(f"line {mark.span.start.line + 1}: {mark.finding.message}", it)
    return result


def _files_of(path: Path, process_dir: Path) -> list[Path]:
    """The eval, and below its folder the task files it names, as far as they can be told."""
    try:
        tasks = load_suite(path, process_dir=process_dir).tasks
    except LoadError:
        tasks = ()
    found = dict.fromkeys(it.path for it in tasks if it.path is not None and it.path != path.absolute())
    inside = [it for it in found if it.absolute().is_relative_to(path.absolute().parent)]
    beside = path.absolute().parent / "trigger_tests.yaml"
    return [path, *(it for it in inside if it != path), *([beside] if beside.is_file() else [])]
