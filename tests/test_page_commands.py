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
_FILE = re.compile(r"^File `([^`]+)`:\n\n```\w+\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_CHANGE = re.compile(r"\b[Cc]hange `([^`]+)` to `([^`]+)` in `([^`]+)`")
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


def test_the_evals_of_the_guide(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = GUIDE.read_text(encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    ran = 0
    for step in sorted(
        (it for of in (_FILE, _CONSOLE, _CHANGE) for it in of.finditer(text)), key=lambda it: it.start()
    ):
        if step.re is _CONSOLE:
            for command, output in _sessions(step[1]):
                done = CliRunner().invoke(main, shlex.split(command))
                assert _without_times(done.stdout) == _without_times(output)
                ran += 1
        elif step.re is _CHANGE:
            old, new, name = step.groups()
            file = tmp_path / name
            content = file.read_text(encoding="utf-8")
            assert content.count(old) == 1
            file.write_text(content.replace(old, new), encoding="utf-8")
        else:
            file = tmp_path / step[1]
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(step[2], encoding="utf-8")
    assert ran == 6


def _sessions(text: str) -> Iterator[tuple[str, str]]:
    """Yield the commands of a session with their outputs."""
    for it in text.split("$ waza-lsp ")[1:]:
        command, _, output = it.partition("\n")
        yield command, output


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
    """The text without times, ids of runs, and the folder of a test's run store."""
    return re.sub(r"\d+\.\d s$|\d{8}T\d{6}-[0-9a-f]{8}| --store \S+", "", text, flags=re.MULTILINE)
