"""The engine as a library: `docs/engine.md` is followed to the letter, and is typed; its names are all that is public."""

import ast
import contextlib
import inspect
import io
import os
import re
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from types import FunctionType

import pytest
from mypy import api as mypy

import waza_engine

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "engine.md").read_text(encoding="utf-8")
_EXAMPLE = re.compile(r"^```python\n(.*?)^```\n\n```text\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_FILE = re.compile(r"^File `([^`]+)`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def _imported() -> dict[str, str]:
    """The module of each name, as the type checker sees it."""
    source = ast.parse(Path(waza_engine.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    found = {
        alias.name: str(node.module)
        for node in ast.walk(source)
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    return {name: module for name, module in found.items() if module.startswith("waza_engine")}


PUBLIC = _imported()


def _script() -> str:
    return "".join(code for code, _ in _EXAMPLE.findall(PAGE))


def _files() -> dict[str, str]:
    return dict(_FILE.findall(PAGE))


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working folder with the examples, as the page wants one."""
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.usefixtures("folder")
def test_each_example_prints_what_the_page_says() -> None:
    examples = _EXAMPLE.findall(PAGE)
    assert len(examples) == PAGE.count("```text")
    names: dict[str, object] = {"__name__": "page"}
    for code, expected in examples:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(compile(code, "docs/engine.md", "exec"), names)  # noqa: S102  # our own page
        assert printed.getvalue() == expected


@pytest.mark.slow
def test_the_distribution_of_the_page_adds_its_grader_type_and_its_executor(folder: Path) -> None:
    project = tomllib.loads(_files()["pyproject.toml"])["project"]
    site = folder / "site"
    info = site / f"{project['name'].replace('-', '_')}-{project['version']}.dist-info"
    info.mkdir(parents=True)
    (site / "acme_evals.py").write_text(_files()["acme_evals.py"], encoding="utf-8")
    (info / "METADATA").write_text(
        f"Metadata-Version: 2.1\nName: {project['name']}\nVersion: {project['version']}\n", encoding="utf-8"
    )
    (info / "entry_points.txt").write_text("\n".join(_entry_points(project)), encoding="utf-8")
    (folder / "eval.yaml").write_text(
        "name: n\nskill: s\ntasks: ['tasks/*.yaml']\n"
        "config: {trials_per_task: 1, timeout_seconds: 5, executor: acme-parrot, model: m}\n"
        "graders:\n  - {type: acme_short, name: short, config: {most: 5}}\n"
    )
    (folder / "tasks").mkdir()
    (folder / "tasks" / "a.yaml").write_text("id: a\nname: A\ninputs: {prompt: Good morning}\n")
    code = (
        "from pathlib import Path; from waza_engine import *; eval_file = Path('eval.yaml')\n"
        "print(check_file(eval_file), [it.feedback for it in run_eval(eval_file).tasks[0].trials[0].graders])"
    )
    done = subprocess.run(
        [sys.executable, "-P", "-c", code],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": str(site)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("[] ['4 words']\n", "")


def _entry_points(project: dict[str, dict[str, dict[str, str]]]) -> Iterator[str]:
    for group, entries in project["entry-points"].items():
        yield f"[{group}]"
        yield from (f"{name} = {target}" for name, target in entries.items())


@pytest.mark.slow
def test_who_uses_the_engine_is_checked_strictly(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # The engine is typed for those who have installed it, too: nothing here knows the project's own settings.
    monkeypatch.chdir(tmp_path)
    Path("script.py").write_text(_script(), encoding="utf-8")
    Path("acme_evals.py").write_text(_files()["acme_evals.py"], encoding="utf-8")
    Path("wrong.py").write_text("import waza_engine\nwaza_engine.no_such_name\nwaza_engine.check_file(1)\n")
    told, _, _ = mypy.run(["--strict", "--python-executable", sys.executable, "."])
    codes = re.findall(r"^(\S+?):\d+: error: .*\[(.+)\]$", told, re.MULTILINE)
    assert codes == [("wrong.py", "attr-defined"), ("wrong.py", "arg-type")], told


def test_the_names_are_the_same_for_programs_and_for_type_checkers() -> None:
    assert getattr(waza_engine, "__all__") == sorted(PUBLIC)  # noqa: B009  # the stub has no such name
    for name, module in PUBLIC.items():
        thing = getattr(waza_engine, name)
        assert thing is getattr(sys.modules[module], name)
        assert name in dir(waza_engine)
    with pytest.raises(AttributeError, match="no attribute 'no_such_name'"):
        _ = waza_engine.no_such_name  # type: ignore[attr-defined]  # that is what is tested


@pytest.mark.parametrize("name", sorted({*PUBLIC} - {"__version__"}))
def test_each_public_name_is_on_the_page_and_says_what_it_is(name: str) -> None:
    assert f"`{name}`" in PAGE.partition("## Public names")[2]
    thing = getattr(waza_engine, name)
    if inspect.isclass(thing) or inspect.isfunction(thing):
        undocumented = [it.__qualname__ for it in (thing, *_methods(thing)) if not it.__doc__]
        # Dataclasses without a docstring of their own get their signature for one.
        assert not undocumented
        assert not (thing.__doc__ or "").startswith(f"{name}(")
    else:
        assert _comes_with_a_docstring(name)


def _methods(thing: type | FunctionType) -> list[FunctionType]:
    public = [it for name, it in vars(thing).items() if not name.startswith("_")]
    functions = (it.fget if isinstance(it, property) else getattr(it, "__func__", it) for it in public)
    return [it for it in functions if inspect.isfunction(it)]


def _comes_with_a_docstring(name: str) -> bool:
    """Whether a text follows the assignment: other objects have no docstring that could be asked for."""
    source = Path(sys.modules[PUBLIC[name]].__file__ or "").read_text(encoding="utf-8")
    body = ast.parse(source).body
    return any(
        isinstance(it, ast.Assign)
        and ast.unparse(it.targets[0]) == name
        and isinstance(after, ast.Expr)
        and isinstance(after.value, ast.Constant)
        for it, after in pairwise(body)
    )
