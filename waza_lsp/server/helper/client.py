"""The helper process as the server sees it: it answers one question at a time, the most urgent one first.

It may be killed at any moment. It starts with the first question, again after it died, and ends when nobody has asked for a
while.
"""

import asyncio
import heapq
import os
import sys
from collections.abc import AsyncGenerator, Callable, Iterator, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import Any

from waza_engine.lib.files.temporary import INSIDE, make_folder, remove_folder
from waza_engine.lib.process.child import Child, Streams, start_child
from waza_engine.lib.process.framing import frame, receive_frame
from waza_engine.lib.queries.disk import disk
from waza_engine.lib.queries.tracking import clock
from waza_lsp.server.documents import Documents
from waza_lsp.server.helper.questions import HELPER, About, Answer, Priority, Question
from waza_lsp.server.results.ledger import ResultLedger
from waza_lsp.server.settings import Configuration, Settings
from waza_lsp.server.transport.client import Client
from waza_lsp.server.workspace import Workspace
from waza_lsp.snapshot import Snapshot
from waza_lsp.syntax.span_mapping import change_between

_START_SECONDS = 30.0
_IDLE_SECONDS = 300.0
_LOST = "The process that grades and audits recordings ended twice. Verdicts come back after your next edit."


class HelperError(Exception):
    """There is no answer: the helper hung and was killed, or it ended."""


class HelperLostError(HelperError):
    """The helper ended before it answered, but not because of us: it crashed, or another program killed it."""


class Helper:
    """Asks the helper process, and keeps its documents up to date.

    `environment` gives the variables that it gets besides ours. When they change, a new process starts.
    """

    def __init__(
        self,
        documents: Documents,
        environment: Callable[[], Mapping[str, str]] = dict,
        module: str = HELPER,
        on_lost: Callable[[str], None] = lambda _: None,
    ) -> None:
        self._documents = documents
        self._environment = environment
        self._module = module
        self._on_lost = on_lost
        self._child: Child | None = None
        self._folder: Path | None = None
        """Where the child makes its temporary files."""
        self._started_with: Mapping[str, str] = {}
        self._sent: dict[Path, Snapshot] = {}
        """The documents as the child knows them."""
        self._numbers = count(1)
        self._dropped: list[int] = []
        """Questions that were begun, and to which nobody waits for the rest of the answer."""
        self._ends = 0
        """How often the child was ended. A question from before is not sent to the next child."""
        self._turns = _Turns()
        self._ending: set[asyncio.Task[None]] = set()
        self._idle: asyncio.TimerHandle | None = None

    async def warm_up(self, question: Question) -> None:
        """Start the child and let it answer once, so that the next answer is fast. It must not execute anything."""
        with suppress(HelperError):
            await self.ask(question)

    async def ask(self, question: Question) -> Answer:
        """Return the only part of an answer, or the first one.

        Raises:
            HelperError: There is no answer.

        """
        async with aclosing(self.parts(question)) as parts:
            async for part in parts:
                return part
        raise HelperError("it gave no answer")

    async def parts(self, question: Question) -> AsyncGenerator[Answer, None]:
        """Yield the parts of an answer. More urgent questions are answered between them.

        Raises:
            HelperError: There is no answer, or no further part of it.

        """
        number, ends = next(self._numbers), self._ends
        has_more = False
        try:
            answer, has_more = await self._first_part(number, question, ends)
            yield answer
            while has_more:
                async with self._turns.take(max(question.priority, Priority.OTHER_VERDICTS)):
                    answer, has_more = await self._exchange({"id": number}, question.seconds, ends)
                yield answer
        finally:
            if has_more:
                self._dropped.append(number)

    async def _first_part(self, number: int, question: Question, ends: int) -> tuple[Answer, bool]:
        try:
            async with self._turns.take(question.priority):
                return await self._begin(number, question, ends)
        except HelperLostError:
            # The system may have run out of memory. A second child may survive.
            try:
                async with self._turns.take(question.priority):
                    return await self._begin(number, question, ends)
            except HelperLostError:
                self._on_lost(_LOST)
                raise

    async def _begin(self, number: int, question: Question, ends: int) -> tuple[Answer, bool]:
        seconds = question.seconds
        if self._started_with != self._environment():
            self._kill()
        if ends == self._ends and not self.is_running:
            await self._start()
            seconds += _START_SECONDS
            if ends != self._ends:
                # `end` was called before there was a child to kill.
                self._kill()
        changes = [*self._changes()]
        disk.look_if_due()
        message = {"id": number, "question": question.data(), "documents": changes, "looked": clock.looked_at}
        return await self._exchange(message, seconds, ends)

    @property
    def is_running(self) -> bool:
        """Whether there is a child process."""
        return self._child is not None and self._child.is_running

    def end(self) -> None:
        """Kill the child. Its current question gets no answer; the next question starts a new one."""
        self._ends += 1
        self._kill()

    def _kill(self) -> None:
        child, self._child = self._child, None
        folder, self._folder = self._folder, None
        self._sent.clear()
        self._dropped.clear()
        if child is not None and folder is not None:
            child.kill()
            ending = asyncio.get_running_loop().create_task(_end(child, folder))
            self._ending.add(ending)
            ending.add_done_callback(self._ending.discard)

    async def _start(self) -> None:
        self._kill()
        self._started_with = dict(self._environment())
        command = (sys.executable, "-P", "-m", self._module)
        try:
            folder = make_folder()
        except OSError as error:
            raise HelperError(str(error)) from error
        environment = {**os.environ, **self._started_with, INSIDE: str(folder)}
        try:
            # Editors show a server's stderr as errors, so the child has none.
            self._child = await start_child(command, env=environment, streams=Streams())
        except BaseException as error:
            remove_folder(folder)
            if isinstance(error, (OSError, ValueError)):
                raise HelperError(str(error)) from error
            raise
        self._folder = folder

    async def _exchange(self, message: dict[str, Any], seconds: float, ends: int) -> tuple[Answer, bool]:
        child = self._child
        if ends != self._ends or child is None:
            raise HelperError("it was ended")
        self._stay()
        message["dropped"], self._dropped = self._dropped, []
        try:
            async with asyncio.timeout(seconds):
                with suppress(BrokenPipeError, ConnectionResetError):
                    child.stdin.write(frame(message))
                    await child.stdin.drain()
                answer = await receive_frame(child.stdout)
        except EOFError as error:
            if self._child is not child:
                raise HelperError("it was ended") from error
            self._kill()
            raise HelperLostError("it ended") from error
        except (TimeoutError, OSError, ValueError) as error:
            self._kill()
            raise HelperError(str(error) or f"no answer within {seconds:g} s") from error
        except asyncio.CancelledError:
            # Otherwise its answer would be read as the answer to the next question.
            self._kill()
            raise
        return answer["answer"], bool(answer["more"])

    def _stay(self) -> None:
        """End the child when nobody has asked for a while."""
        if self._idle is not None:
            self._idle.cancel()
        self._idle = asyncio.get_running_loop().call_later(_IDLE_SECONDS, self._kill_if_idle)

    def _kill_if_idle(self) -> None:
        if not self._turns.is_taken:
            self._kill()

    def _changes(self) -> Iterator[dict[str, Any]]:
        """Yield what has changed in the open documents since the last question."""
        now = {it.path: it for it in self._documents if it.path is not None and it.form is not None}
        for path in [it for it in self._sent if it not in now]:
            del self._sent[path]
            yield {"path": str(path)}
        for path, snapshot in now.items():
            before = self._sent.get(path)
            if before is not snapshot:
                self._sent[path] = snapshot
                yield {"path": str(path), "version": snapshot.version, **_change(before, snapshot)}


async def _end(child: Child, folder: Path) -> None:
    await child.end()
    await asyncio.to_thread(remove_folder, folder)


def _change(before: Snapshot | None, after: Snapshot) -> dict[str, Any]:
    if before is None or before.text.is_marked or after.text.is_marked:
        return {"text": str(after.text)}
    change = change_between(before.text.lines, after.text.lines)
    if change is None:
        return {"edit": {"span": ((0, 0), (0, 0)), "text": ""}}
    return {"edit": {"span": (change.start, change.old_end), "text": change.new}}


class _Turns:
    """A lock that the waiter with the most urgent question gets first."""

    def __init__(self) -> None:
        self.is_taken = False
        self._waiting: list[tuple[int, int, asyncio.Future[None]]] = []
        self._numbers = count()

    @asynccontextmanager
    async def take(self, priority: int) -> AsyncGenerator[None, None]:
        """Wait for the turn, and hold it inside the `async with` block."""
        if self.is_taken:
            turn = asyncio.get_running_loop().create_future()
            heapq.heappush(self._waiting, (priority, next(self._numbers), turn))
            try:
                await turn
            except asyncio.CancelledError:
                if turn.done() and not turn.cancelled():
                    self._pass_on()
                raise
        self.is_taken = True
        try:
            yield
        finally:
            self._pass_on()

    def _pass_on(self) -> None:
        while self._waiting:
            _, _, turn = heapq.heappop(self._waiting)
            if not turn.done():
                turn.set_result(None)
                return
        self.is_taken = False


@dataclass(frozen=True, slots=True)
class Questions:
    """What those have in common who ask the helper about documents."""

    helper: Helper
    documents: Documents
    ledger: ResultLedger
    workspace: Workspace
    configuration: Configuration
    client: Client

    @property
    def settings(self) -> Settings:
        """The settings of the editor."""
        return self.configuration.settings

    def about(self, snapshot: Snapshot) -> About:
        """Return the file of a document, its eval, and where its runs start."""
        path = snapshot.path
        return About(
            str(path),
            str(self.ledger.eval_of(snapshot) or ""),
            str(self.workspace.process_dir(path)),
            snapshot.form.dialect if snapshot.form is not None else "",
        )


def telling_once(client: Client) -> Callable[[str], None]:
    """Return a function that shows the user a message, once in a session."""
    shown: list[str] = []

    def tell(message: str) -> None:
        client.log(message)
        if not shown:
            shown.append(message)
            client.warn(message)

    return tell
