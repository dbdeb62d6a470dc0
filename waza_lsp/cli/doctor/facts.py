"""Collect the facts that `waza-lsp doctor` shows. Nothing is written."""

import os
import platform
import shutil
import sqlite3
import sys
from collections.abc import Iterable, Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Literal, NamedTuple

from waza_engine.assertions.wall import missing_parts
from waza_engine.executors.needs import NEEDS, readiness
from waza_engine.lib.extras import install_command
from waza_engine.lib.process.sandbox import problem_with
from waza_engine.lib.process.sandbox_choice import Sandbox, sandbox_in
from waza_engine.plugins import EXECUTOR_GROUP, has_plugins, plugin_entry_points
from waza_engine.project.settings import Projects, ProjectSettings
from waza_engine.project.store_location import FILE_NAME, default_store_dir
from waza_engine.recognition.recognise import dialects_by_preference, releases
from waza_engine.runs.store.connection import ForeignStoreError, connect_read_only
from waza_engine.runs.store.schema import VERSION as STORE_VERSION
from waza_engine.version import __version__
from waza_lsp.server.startup.code_cache import cache_path

_DISTRIBUTION = "waza-lsp"
_LIBRARIES = ("click", "google-re2", "jsonschema", "lsprotocol", "pydantic", "pygls", "PyYAML", "ruamel.yaml")
_BUSY_SECONDS = 1.0
_JUDGE_VARIABLES = (
    "OPENAI_API_KEY",
    "OPENAI_BASE_URL",
    "AZURE_OPENAI_ENDPOINT",
    "AZURE_OPENAI_API_KEY",
    "COPILOT_PROVIDER_BASE_URL",
    "COPILOT_PROVIDER_API_KEY",
)
_EXTENSIONS = (".vscode", ".vscode-server", ".vscode-insiders", ".vscode-oss", ".cursor", ".windsurf")
_SERVER_VARIABLE = "WAZA_LSP_SERVER"


class Fact(NamedTuple):
    """One line. `missing` is something that could be installed or set, `problem` something that is broken."""

    name: str
    value: str
    status: Literal["ok", "missing", "problem"] = "ok"


def facts() -> Iterator[tuple[str, list[Fact]]]:
    """Yield each section with its title."""
    projects = Projects()
    settings = projects.of(Path.cwd())
    yield "waza-lsp", [*_installation()]
    yield "executors", [*_executors()]
    yield "judges", [*_judges(settings)]
    yield "sandbox", [*_sandbox(settings)]
    yield "run store", [*_store()]
    yield "project", [*_project(projects, settings)]
    yield "editor", [*_editor()]


def _installation() -> Iterator[Fact]:
    yield Fact("version", __version__)
    yield Fact(
        "Python", f"{platform.python_version()} ({platform.python_implementation()}), {sys.executable}"
    )
    libc = "-".join(it for it in platform.libc_ver() if it)
    system = f"{platform.system()} {platform.release()} {platform.machine()}"
    yield Fact("platform", f"{system} {libc}".strip())
    yield Fact("installed", _how_installed())
    yield Fact("program", shutil.which(_DISTRIBUTION) or "not on the PATH")
    found = (f"{it} {version}" for it in _LIBRARIES if (version := _version(it)))
    yield Fact("libraries", ", ".join(found))
    cache = cache_path("any")
    if cache is None:
        yield Fact("cache", "none: Python writes no byte code, so each start takes longer", "missing")
    else:
        yield Fact("cache", f"{cache.parent}, {_size(cache.parent)}")


def _version(name: str) -> str:
    try:
        return distribution(name).version
    except PackageNotFoundError:
        return ""


def _how_installed() -> str:
    try:
        found = distribution(_DISTRIBUTION)
    except PackageNotFoundError:
        return f"not installed: started from {Path(__file__).parents[3]}"
    origin = (found.read_text("direct_url.json") or "").replace(" ", "")
    kind = "editable, from a checkout" if '"editable":true' in origin else _origin(found, origin)
    place = Path(sys.prefix).as_posix()
    tool = next((name for part, name in _TOOLS if part in place), "")
    return f"{kind}, in {sys.prefix}{f' ({tool})' if tool else ''}"


_TOOLS = (
    ("/pipx/venvs/", "pipx"),
    ("/uv/tools/", "uv tool"),
    ("/globalStorage/", "the extension's own environment"),
)


def _origin(found: Distribution, origin: str) -> str:
    installer = (found.read_text("INSTALLER") or "").strip() or "an unknown installer"
    return f"by {installer} from {'a folder or file' if origin else 'an index'}"


def _size(folder: Path) -> str:
    try:
        sizes = [it.stat().st_size for it in folder.iterdir() if it.is_file()]
    except OSError:
        return "not created yet"
    return f"{len(sizes)} files, {sum(sizes) / 1e6:.1f} MB"


def _executors() -> Iterator[Fact]:
    for name in NEEDS:
        found = readiness(name, os.environ)
        if found.missing:
            how = f". Install with: {install_command(found.extra)}" if found.extra else ""
            yield Fact(name, f"{found.missing}{how}", "missing")
        else:
            yield Fact(name, found.found)
    for it in plugin_entry_points(EXECUTOR_GROUP) if has_plugins() else ():
        yield Fact(it.name, f"plug-in {it.value}")


def _judges(settings: ProjectSettings) -> Iterator[Fact]:
    given = [it for it in _JUDGE_VARIABLES if os.environ.get(it)]
    if any(it.startswith(("OPENAI_", "AZURE_OPENAI_ENDPOINT")) for it in given):
        yield Fact("endpoint", f"set: {', '.join(given)}")
    else:
        yield Fact(
            "endpoint", "none: set OPENAI_API_KEY, or OPENAI_BASE_URL for an endpoint of your own", "missing"
        )
    copilot = readiness("copilot-sdk", os.environ)
    if copilot.missing:
        yield Fact("copilot", copilot.missing, "missing")
    else:
        yield Fact("copilot", copilot.found)
    patterns = [f"{name}: {it}" for name, judges in settings.judges.items() for it in judges]
    if patterns:
        yield Fact("project", ", ".join(patterns))


def _sandbox(settings: ProjectSettings) -> Iterator[Fact]:
    chosen = sandbox_in(os.environ) or settings.sandbox or Sandbox()
    problem = problem_with(chosen)
    yield Fact("in use", problem or chosen.kind, "problem" if problem else "ok")
    missing = missing_parts()
    yield Fact("wall", "; ".join(missing) or "complete: landlock and seccomp", "missing" if missing else "ok")
    reason = problem_with(Sandbox("bwrap"))
    yield Fact("bwrap", reason or "works", "missing" if reason else "ok")
    docker = shutil.which("docker")
    yield Fact("docker", docker or "'docker' is not on the PATH", "ok" if docker else "missing")


def _store() -> Iterator[Fact]:
    folder = default_store_dir(Path.cwd() / "eval.yaml")
    path = folder / FILE_NAME
    if not path.exists():
        yield Fact("store", f"none yet in {folder}")
        return
    try:
        with connect_read_only(path, _BUSY_SECONDS, briefly=True) as sql:
            [version] = sql.execute("PRAGMA user_version").fetchone()
            [runs] = sql.execute("SELECT count(*) FROM runs").fetchone()
    except (ForeignStoreError, sqlite3.Error, OSError) as error:
        yield Fact("store", f"{path} cannot be read: {error}", "problem")
        return
    size = f"{path.stat().st_size / 1e6:.1f} MB"
    if version > STORE_VERSION:
        yield Fact("store", f"{path} was written by a newer waza-lsp (version {version}, {size})", "problem")
    else:
        yield Fact("store", f"{path}, {size}, {runs} runs, format {version}")


def _project(projects: Projects, settings: ProjectSettings) -> Iterator[Fact]:
    if settings.path is None:
        yield Fact("settings", "none: no .waza-lsp.toml and no [tool.waza-lsp] here or above")
    else:
        levels = f", {len(settings.rules)} levels" if settings.rules else ""
        yield Fact("settings", f"{settings.path}{levels}")
    for it in settings.problems:
        yield Fact("settings", it.message, "problem")
    for dialect in dialects_by_preference():
        if dialect.project_file and (found := _above(dialect.project_file)):
            yield Fact(dialect.name, f"project file {found}")
        if dialect.releases:
            yield Fact(f"{dialect.name} version", _target(projects, settings, dialect.name))


def _target(projects: Projects, settings: ProjectSettings, name: str) -> str:
    """Return the version that files are checked against, and where it comes from."""
    if target := settings.target_of(name):
        return f"{target}, from {settings.path}"
    if pin := projects.pin(Path.cwd(), name):
        return f"{pin.version}, from {pin.path}"
    return f"{releases(name).newest}, the newest that this waza-lsp knows"


def _above(name: str) -> Path | None:
    folders: Iterable[Path] = (Path.cwd(), *Path.cwd().parents)
    return next((it / name for it in folders if (it / name).is_file()), None)


def _editor() -> Iterator[Fact]:
    server = os.environ.get(_SERVER_VARIABLE)
    if server:
        found = shutil.which(server)
        yield Fact(
            _SERVER_VARIABLE, server if found else f"{server} is not a program", "ok" if found else "problem"
        )
    home = Path(os.path.expanduser("~"))  # noqa: PTH111  # unlike Path.home, it never fails
    installed = [
        f"{path.name} in {path.parent}"
        for it in _EXTENSIONS
        for path in sorted((home / it / "extensions").glob(f"{_DISTRIBUTION}.{_DISTRIBUTION}-*"))
    ]
    yield Fact("extension", "; ".join(installed) or "none found in the folders of VS Code and its relatives")
    yield Fact("server", f"{sys.executable} -P -m waza_lsp serve")
