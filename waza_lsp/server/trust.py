"""Whether the user trusts the folder of an eval: only then does anything execute.

The editor says so in `initialize` (`trusted`); only exactly `true` is trust. An editor that says nothing is asked once per
folder, before the first thing that executes or writes. The answer "trust" is remembered outside of the workspace, where
nothing in a repository can change it. Folders are compared by their real paths: a link is as trusted as its target.
"""

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsprotocol import types

from waza_engine.lib.paths import real_path
from waza_engine.reports.inert import harmless
from waza_lsp.server.transport.client import CannotAskError, Client
from waza_lsp.server.trusted_folders import is_remembered, remember

_TRUST = "Trust this folder"
_REFUSE = "Not now"
_UNANSWERED = (
    "{folder} is not trusted: nothing is executed. Run the command again to be asked again, or start the server with "
    "'trusted': true in its initializationOptions."
)
_UNTRUSTED = "This workspace is not trusted: nothing is executed."
_MANAGE = "Manage Trust"
_REFUSED = "This workspace is not trusted: nothing is executed. Trust it in your editor to run evals."


@dataclass
class _Question:
    """A question that the user sees, or will see, and how many commands wait for the answer."""

    task: asyncio.Task[None]
    waiting: int = 0


class Trust:
    """The trust that the editor and the user have given. One per connection."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._editor_answer: bool | None = None
        self._granted: set[Path] = set()
        self._asking = asyncio.Lock()
        self._questions: dict[Path, _Question] = {}
        """The open questions: one per folder, and the user sees one at a time."""

    def take_option(self, trusted: Any) -> None:
        """Take `trusted` of the editor's `initializationOptions`. None means no answer; only exactly `true` is a yes."""
        self._editor_answer = None if trusted is None else trusted is True

    def is_granted(self, path: Path | None) -> bool:
        """Whether something may execute for a file, without asking the user."""
        if self._editor_answer is not None:
            return self._editor_answer
        return path is not None and self._is_trusted(self._folder(path))

    async def ask(self, path: Path | None) -> bool:
        """Return whether something may execute for a file. Ask the user if nobody has; explain a refusal."""
        if self._editor_answer is not None:
            if not self._editor_answer:
                self._refuse()
            return self._editor_answer
        if path is None:
            self._client.show(_REFUSED)
            return False
        folder = self._folder(path)
        is_asked = folder in self._questions
        if not self._is_trusted(folder):
            await self._wait_for_answer(folder)
        # While the question was open, folders may have been opened or closed, and links changed.
        if self._folder(path) == folder and folder in self._granted:
            return True
        if not is_asked:
            self._client.show(_UNANSWERED.format(folder=harmless(folder.name or str(folder))))
        return False

    async def ask_to_run(self, path: Path, eval_path: Path | None) -> bool:
        """Ask about an eval, which may be above the folder of the file that it is run from, and whose hooks are executed.

        A file below the eval needs no question of its own: it also runs when the eval is run.
        """
        if eval_path is None:
            return await self.ask(path)
        is_below = real_path(path).is_relative_to(real_path(eval_path).parent)
        return await self.ask(eval_path) and (is_below or await self.ask(path))

    def _refuse(self) -> None:
        if not self._client.does_editor_actions:
            self._client.show(_REFUSED)
            return
        self._client.offer(_UNTRUSTED, {_MANAGE: lambda: self._client.act("manageTrust")})

    def _is_trusted(self, folder: Path) -> bool:
        if folder not in self._granted and is_remembered(folder):
            self._granted.add(folder)
        return folder in self._granted

    def _folder(self, path: Path) -> Path:
        """Return the innermost workspace folder of a file, else the file's own folder."""
        path = real_path(path)
        above = [it for it in map(real_path, self._client.folders) if path.is_relative_to(it)]
        return max(above, key=lambda it: len(it.parts), default=path if path.is_dir() else path.parent)

    async def _wait_for_answer(self, folder: Path) -> None:
        """Ask about a folder, unless the question is open already. It ends with the last command that waits for it."""
        question = self._questions.get(folder)
        if question is None:
            question = self._questions[folder] = _Question(asyncio.create_task(self._ask_in_turn(folder)))
        question.waiting += 1
        try:
            await asyncio.shield(question.task)
        finally:
            question.waiting -= 1
            if not question.waiting:
                # A late answer to commands that were cancelled grants nothing.
                question.task.cancel()
                del self._questions[folder]

    async def _ask_in_turn(self, folder: Path) -> None:
        async with self._asking:
            if not self._is_trusted(folder) and await self._ask_user(folder):
                self._granted.add(folder)

    async def _ask_user(self, folder: Path) -> bool:
        message = (
            f"Do you trust the authors of the evals in {harmless(str(folder))}? Running and grading start agents, "
            "programs and assertions that the files there name."
        )
        try:
            answer = await self._client.choose(message, [_TRUST, _REFUSE], types.MessageType.Warning)
        except CannotAskError as error:
            self._client.log(f"The editor cannot ask whether {folder} is trusted: {error}")
            return False
        if answer != _TRUST:
            return False
        try:
            await asyncio.to_thread(remember, folder)
        except (OSError, RuntimeError, ValueError) as error:
            self._client.log(
                f"The trust in {folder} holds until the server ends, it cannot be stored: {error}"
            )
        return True
