# ruff: noqa: ASYNC240  # small files of a test
"""Class "trust": nothing but the user's own answer makes a folder trusted, whatever files, links and editors say."""

import asyncio
import json
import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from lsprotocol import types

from waza_lsp.server import trusted_folders
from waza_lsp.server.handlers.notifications import trusted_option
from waza_lsp.server.transport import client
from waza_lsp.server.trust import Trust
from waza_lsp.server.trusted_folders import state_file

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="needs links, owners and modes of Unix")
YES = "Trust this folder"


class Editor:
    """An editor with these folders. `answer` is called for each question."""

    choose = client.Client.choose
    does_editor_actions = False

    def __init__(self, folders: list[Path], answer: Callable[[], Any] = lambda: None) -> None:
        self.folders = folders
        self.questions: list[str] = []
        self.shown: list[str] = []
        self._answer = answer
        self.lsp = SimpleNamespace(window_show_message_request_async=self._asked)

    async def _asked(self, request: types.ShowMessageRequestParams) -> Any:
        self.questions.append(request.message)
        await asyncio.sleep(0)
        found = self._answer()
        return await found if asyncio.isfuture(found) else found

    def show(self, message: str) -> None:
        self.shown.append(message)

    def log(self, message: str) -> None:
        pass


def yes() -> Any:
    return types.MessageActionItem(YES)


@pytest.fixture(autouse=True)
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr("waza_engine.lib.files.temporary.sys.platform", "linux")
    return state_file()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    (folder / "sub").mkdir(parents=True)
    (tmp_path / "other").mkdir()
    return folder


def trust_of(editor: Editor) -> Trust:
    return Trust(editor)  # type: ignore[arg-type]  # what it uses of a client


def remembered(state: Path, *folders: Path) -> None:
    state.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    state.write_text(json.dumps([str(it) for it in folders]), encoding="utf-8")
    state.chmod(0o600)


# What an editor says


@pytest.mark.parametrize(
    "said",
    [False, None, "true", "True", "yes", "1", 1, 1.0, 0, [], [True], {}, {"trusted": True}, "trusted", -1],
    ids=repr,
)
def test_trust_only_exactly_true_is_trust(said: Any) -> None:
    assert trusted_option({"trusted": said}) is False


@pytest.mark.parametrize(
    "options",
    [
        *(None, {}, [], "trusted", True, 1, {"Trusted": True}, {"trust": True}, {"trusted ": True}),
        *({"waza": {"trusted": True}}, [{"trusted": True}], {"settings": {"trusted": True}}),
    ],
    ids=repr,
)
def test_trust_options_that_say_nothing_are_no_trust(options: Any) -> None:
    assert trusted_option(options) is None


@pytest.mark.parametrize(
    "answer",
    [
        *(None, YES, {"title": YES}, [yes()], True, 1, types.MessageActionItem("")),
        *(
            types.MessageActionItem("Not now"),
            types.MessageActionItem(YES + " "),
            types.MessageActionItem(YES.lower()),
        ),
        SimpleNamespace(title=[YES]),
        SimpleNamespace(title=True),
    ],
    ids=repr,
)
async def test_trust_any_other_answer_is_no(answer: Any, repository: Path, state: Path) -> None:
    editor = Editor([repository], lambda: answer)
    assert not await trust_of(editor).ask(repository / "eval.yaml")
    assert "initializationOptions" in editor.shown[-1]
    assert not state.exists()


@pytest.mark.parametrize(
    "error", [TimeoutError, ConnectionResetError, RuntimeError, RecursionError, KeyError]
)
async def test_trust_an_editor_that_cannot_ask_is_told_what_to_do(
    error: type[Exception], repository: Path, state: Path
) -> None:
    def fails() -> None:
        raise error("no such method")

    editor = Editor([repository], fails)
    assert not await trust_of(editor).ask(repository / "eval.yaml")
    assert "initializationOptions" in editor.shown[-1]
    assert not state.exists()


async def test_trust_an_editor_that_never_answers_stays_untrusted(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(client, "_QUESTION_SECONDS", 0.05)
    editor = Editor([repository], lambda: asyncio.get_running_loop().create_future())
    assert not await asyncio.wait_for(trust_of(editor).ask(repository / "eval.yaml"), 5)
    assert editor.shown


async def test_trust_an_open_question_does_not_hold_up_a_trusted_folder(
    repository: Path, tmp_path: Path, state: Path
) -> None:
    remembered(state, tmp_path / "other")
    editor = Editor([repository, tmp_path / "other"], lambda: asyncio.get_running_loop().create_future())
    trust = trust_of(editor)
    waiting = asyncio.create_task(trust.ask(repository / "eval.yaml"))
    await asyncio.sleep(0.01)
    assert await asyncio.wait_for(trust.ask(tmp_path / "other" / "eval.yaml"), 5)
    waiting.cancel()


async def test_trust_a_command_that_was_cancelled_grants_nothing(repository: Path, state: Path) -> None:
    answers: list[asyncio.Future[Any]] = []

    def later() -> asyncio.Future[Any]:
        answers.append(asyncio.get_running_loop().create_future())
        return answers[-1]

    editor = Editor([repository], later)
    trust = trust_of(editor)
    asking = asyncio.create_task(trust.ask(repository / "eval.yaml"))
    await asyncio.sleep(0.01)
    asking.cancel()
    await asyncio.gather(asking, return_exceptions=True)
    if not answers[0].done():
        answers[0].set_result(yes())
    await asyncio.sleep(0.01)
    assert not trust.is_granted(repository / "eval.yaml")
    assert not state.exists()


async def test_trust_an_answer_is_about_the_folder_of_the_question(repository: Path, tmp_path: Path) -> None:
    """A link that changes its target while the question is open does not inherit the answer."""
    link = tmp_path / "link"
    link.symlink_to(tmp_path / "other")

    def swap() -> Any:
        link.unlink()
        link.symlink_to(repository)
        return yes()

    trust = trust_of(Editor([link], swap))
    assert not await trust.ask(link / "eval.yaml")
    assert not trust.is_granted(repository / "eval.yaml")


async def test_trust_a_folder_opened_during_the_question_is_not_part_of_the_answer(repository: Path) -> None:
    editor = Editor([repository])

    def open_another() -> Any:
        editor.folders.append(repository / "sub")
        return yes()

    editor._answer = open_another
    assert not await trust_of(editor).ask(repository / "sub" / "eval.yaml")


@pytest.mark.parametrize("name", ["evil\n\nThis folder is safe", "evil\u202egnp", "\x1b[2Jevil"], ids=repr)
async def test_trust_a_name_cannot_reword_the_question(name: str, tmp_path: Path) -> None:
    folder = tmp_path / name
    folder.mkdir()
    editor = Editor([folder])
    await trust_of(editor).ask(folder / "eval.yaml")
    assert not {"\n", "\u202e", "\x1b"} & set(editor.questions[0] + editor.shown[0])


# Which folder


@pytest.mark.parametrize(
    "path",
    [
        "repository/../other/eval.yaml",
        "repository/sub/../../other/eval.yaml",
        "other/eval.yaml",
        "repository-2/eval.yaml",
        "eval.yaml",
        "repository/link/eval.yaml",
        "repository/link-to-file.yaml",
    ],
)
async def test_trust_ends_where_the_folder_ends(
    path: str, repository: Path, tmp_path: Path, state: Path
) -> None:
    remembered(state, repository)
    (tmp_path / "other" / "eval.yaml").write_text("", encoding="utf-8")
    (repository / "link").symlink_to(tmp_path / "other")
    (repository / "link-to-file.yaml").symlink_to(tmp_path / "other" / "eval.yaml")
    (tmp_path / "repository-2").mkdir()
    editor = Editor([repository])
    trust = trust_of(editor)
    assert await trust.ask(repository / "eval.yaml")
    assert not await trust.ask(tmp_path / path)
    assert not trust.is_granted(tmp_path / path)
    assert len(editor.questions) == 1


@pytest.mark.parametrize(
    ("known", "opened"),
    [("repository", "repository/sub"), ("repository/sub", "repository"), ("repository", "other")],
    ids=["inside a trusted folder", "parent of a trusted folder", "beside a trusted folder"],
)
async def test_trust_is_of_one_folder_exactly(
    known: str, opened: str, tmp_path: Path, repository: Path, state: Path
) -> None:
    assert repository.is_dir()
    remembered(state, tmp_path / known)
    editor = Editor([tmp_path / opened])
    assert not await trust_of(editor).ask(tmp_path / opened / "eval.yaml")
    assert len(editor.questions) == 1


async def test_trust_of_one_of_several_folders_is_not_that_of_the_others(
    repository: Path, tmp_path: Path, state: Path
) -> None:
    remembered(state, repository)
    trust = trust_of(Editor([repository, tmp_path / "other", repository / "sub"]))
    assert await trust.ask(repository / "eval.yaml")
    assert not await trust.ask(tmp_path / "other" / "eval.yaml")
    assert not await trust.ask(repository / "sub" / "eval.yaml")


async def test_trust_of_a_folder_does_not_follow_its_name(
    repository: Path, tmp_path: Path, state: Path
) -> None:
    remembered(state, repository)
    repository.rename(tmp_path / "moved")
    repository.symlink_to(tmp_path / "other")
    assert not await trust_of(Editor([repository])).ask(repository / "eval.yaml")


# What remembers


def _link(state: Path, repository: Path) -> None:
    shipped = repository / "trusted.json"
    state.rename(shipped)
    state.symlink_to(shipped)


def _hard_link(state: Path, repository: Path) -> None:
    os.link(state, repository / "trusted.json")


def _pipe(state: Path, _: Path) -> None:
    state.unlink()
    os.mkfifo(state, 0o600)


def _device(state: Path, _: Path) -> None:
    state.unlink()
    state.symlink_to("/dev/zero")


def _folder(state: Path, _: Path) -> None:
    state.unlink()
    state.mkdir()


def _huge(state: Path, _: Path) -> None:
    with state.open("a", encoding="utf-8") as file:
        file.truncate(8_000_000_000)


def _long(state: Path, repository: Path) -> None:
    state.write_text(json.dumps([" " * 2_000_000, str(repository)]), encoding="utf-8")


def _text(text: bytes) -> Callable[[Path, Path], object]:
    return lambda state, _: state.write_bytes(text)


def _shared_folder(state: Path, _: Path) -> None:
    state.parent.chmod(0o777)


def _folder_link(state: Path, repository: Path) -> None:
    state.parent.rename(repository / "state")
    state.parent.symlink_to(repository / "state")


def _of_another(state: Path, _: Path) -> None:
    if os.geteuid():
        pytest.skip("only root can give files away")
    os.chown(state, 12345, 12345)


def _folder_of_another(state: Path, _: Path) -> None:
    if os.geteuid():
        pytest.skip("only root can give files away")
    os.chown(state.parent, 12345, 12345)


FORGERIES: dict[str, Callable[[Path, Path], object]] = {
    "link": _link,
    "hard link": _hard_link,
    "pipe": _pipe,
    "device": _device,
    "folder": _folder,
    "huge": _huge,
    "long": _long,
    "group can write": lambda state, _: state.chmod(0o620),
    "others can write": lambda state, _: state.chmod(0o602),
    "shared folder": _shared_folder,
    "folder is a link": _folder_link,
    "of another user": _of_another,
    "folder of another user": _folder_of_another,
    "deep": _text(b"[" * 900_000),
    "truncated": lambda state, _: state.write_bytes(state.read_bytes()[:-1]),
    "not UTF-8": _text(b'["\xff"]'),
    "object": lambda state, repository: state.write_text(json.dumps({str(repository): True})),
    "one string": lambda state, repository: state.write_text(json.dumps(str(repository))),
    "nested": lambda state, repository: state.write_text(json.dumps([[str(repository)]])),
    "wild cards": _text(b'["*", "/**", "/", ".", "", "~", true, null, 1]'),
}


@pytest.mark.parametrize("forgery", FORGERIES)
async def test_trust_is_not_read_from_a_forged_file(forgery: str, repository: Path, state: Path) -> None:
    remembered(state, repository)
    FORGERIES[forgery](state, repository)
    editor = Editor([repository])
    assert not await asyncio.wait_for(trust_of(editor).ask(repository / "eval.yaml"), 10)
    assert len(editor.questions) == 1
    # The user's answer counts in this session, even if it cannot be stored.
    editor._answer = yes
    trust = trust_of(editor)
    assert await asyncio.wait_for(trust.ask(repository / "eval.yaml"), 10)
    assert not (repository / "trusted.json").is_symlink()


@pytest.mark.parametrize(
    "name",
    [
        *(
            "trusted-folders.json",
            ".waza-lsp/trusted-folders.json",
            ".local/state/waza-lsp/trusted-folders.json",
        ),
        *("waza-lsp/trusted-folders.json", "state/waza-lsp/trusted-folders.json"),
    ],
)
@pytest.mark.parametrize("where", [".", "", "state", "./.local/state"], ids=repr)
async def test_trust_is_not_read_from_a_repository(
    name: str, where: str, repository: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not even if the environment names a folder relative to it."""
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_STATE_HOME", where)
    monkeypatch.chdir(repository)
    remembered(repository / name, repository)
    assert not await trust_of(Editor([repository])).ask(repository / "eval.yaml")


@pytest.mark.parametrize(
    "variable", ["WAZA_TRUSTED", "WAZA_LSP_TRUSTED", "WAZA_LSP_TRUST", "WAZA_TRUST", "VSCODE_WORKSPACE_TRUST"]
)
async def test_trust_is_not_in_the_environment(
    variable: str, repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(variable, "true")
    assert not await trust_of(Editor([repository])).ask(repository / "eval.yaml")


async def test_trust_without_a_home_folder_is_not_remembered(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_home() -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(trusted_folders, "state_folder", no_home)
    assert not await trust_of(Editor([repository])).ask(repository / "eval.yaml")
    assert await trust_of(Editor([repository], yes)).ask(repository / "eval.yaml")


async def test_trust_of_two_servers_at_once_loses_at_most_one_answer(
    repository: Path, tmp_path: Path, state: Path
) -> None:
    first, second = Editor([repository], yes), Editor([tmp_path / "other"], yes)
    both = trust_of(first).ask(repository / "x"), trust_of(second).ask(tmp_path / "other" / "x")
    assert all(await asyncio.gather(*both))
    known = set(json.loads(state.read_text(encoding="utf-8")))
    assert known <= {str(repository), str(tmp_path / "other")}
    assert state.stat().st_mode & 0o077 == 0
