"""What pages tell people to type is what the program knows: commands, options, and the first eval of the guide."""

import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from tests.live_picture import PICTURE, drawing, frames
from waza_lsp.cli import main

ROOT = Path(__file__).parents[1]
GUIDE = ROOT / "docs" / "guide.md"
PAGES = [ROOT / "README.md", ROOT / "examples/README.md", *(ROOT / "docs").rglob("*.md")]
PAGES += (ROOT / "editor-client").glob("*/README.md")
_OF_OTHERS = {"--help", "--install-extension", "--print", "--session-log"}
"""Options of other programs, and the one that every command has."""
_TYPED = re.compile(r"waza-lsp ((?:\.\.\.|[^\s`#|;&>()'\"]+|'[^'\n]*'| (?=[^ \n#|;&>]))+)")
_FILE = re.compile(r"^File `([^`]+)`:\n\n```yaml\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CONSOLE = re.compile(r"^```console\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def _code(page: Path) -> Iterator[str]:
    """What stands in code: blocks, and words between backticks."""
    text = page.read_text(encoding="utf-8")
    yield from re.findall(r"^ *```.*?^ *```", text, re.MULTILINE | re.DOTALL)
    yield from re.findall(r"`[^`\n]+`", text)


def _unknown(words: list[str]) -> Iterator[str]:
    """Of the words after the program's name those that it does not know."""
    command: click.Command = main
    while isinstance(command, click.Group) and words and re.fullmatch(r"[a-z]+", words[0]):
        known = command.get_command(click.Context(command), words[0])
        if known is None:
            yield words[0]
            return
        command, words = known, words[1:]
    options = {it for parameter in command.params for it in (*parameter.opts, *parameter.secondary_opts)}
    options |= {"--help", "--version"}
    yield from (it for it in words if it.startswith("--") and it.partition("=")[0] not in options)


def test_commands_and_options_on_pages_exist() -> None:
    typed = [(page, it) for page in PAGES for code in _code(page) for it in _TYPED.findall(code)]
    assert len(typed) > 60
    wrong = [
        f"{page.relative_to(ROOT)}: waza-lsp {it}: {' '.join(unknown)}"
        for page, it in typed
        if (unknown := list(_unknown(shlex.split(it))))
    ]
    assert not wrong


@pytest.mark.parametrize("name", ["check", "convert", "grading", "guide", "running", "runs", "vally"])
def test_options_that_stand_alone_are_some_command_s(name: str) -> None:
    page = ROOT / "docs" / f"{name}.md"
    named = {it for code in _code(page) for it in re.findall(r"(?<![\w-])--[a-z][a-z-]*", code)}
    assert named - set(_options(main)) <= _OF_OTHERS


def _options(command: click.Command) -> Iterator[str]:
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from _options(below)
    for parameter in command.params:
        yield from (*parameter.opts, *parameter.secondary_opts)


def test_the_first_page_names_every_command() -> None:
    named = (ROOT / "README.md").read_text(encoding="utf-8")
    assert [
        it for it in main.list_commands(click.Context(main)) if not re.search(rf"`(waza-lsp )?{it}\b", named)
    ] == []


def test_the_first_eval_of_the_guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = GUIDE.read_text(encoding="utf-8")
    files = dict(_FILE.findall(text))
    [session] = _CONSOLE.findall(text)
    (tmp_path / "tasks").mkdir()
    for name, content in files.items():
        (tmp_path / name).write_text(content, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    expected = session.split("$ waza-lsp ")[1:]
    assert len(expected) == 3
    for it in expected:
        command, _, output = it.partition("\n")
        if command.startswith("grade"):
            task = tmp_path / "tasks" / "one-sentence.yaml"
            task.write_text(task.read_text(encoding="utf-8").replace("<= 25", "<= 5"), encoding="utf-8")
        done = CliRunner().invoke(main, command.split())
        assert _without_times(done.stdout) == _without_times(output)


def test_the_session_of_the_first_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [session] = _CONSOLE.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    command, _, output = session.removeprefix("$ waza-lsp ").partition("\n")
    monkeypatch.chdir(ROOT)
    done = CliRunner().invoke(main, [*command.split(), "--store", str(tmp_path)])
    assert _without_times(done.stdout) == _without_times(output)


@pytest.mark.slow
async def test_the_moving_picture_shows_what_the_server_sends() -> None:
    assert PICTURE.read_text(encoding="utf-8") == drawing(await frames()), "run: python -m tests.live_picture"


def test_the_first_files_of_the_page_about_new(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    [session] = _CONSOLE.findall((ROOT / "docs/new.md").read_text(encoding="utf-8"))
    monkeypatch.chdir(tmp_path)
    for it in session.split("$ waza-lsp ")[1:]:
        command, _, output = it.partition("\n")
        done = CliRunner().invoke(main, shlex.split(command))
        assert done.output == output.replace("/", os.sep)


def _without_times(text: str) -> str:
    return re.sub(r"\d+\.\d s$", "", text, flags=re.MULTILINE)
