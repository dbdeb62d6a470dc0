"""An author who edits, runs and grades an eval at the same time, through raw LSP messages."""

import queue
import random
import subprocess
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from tests.faults.leftovers import PATIENCE_SECONDS
from tests.faults.suites import TASKS
from tests.faults.wire import Wire

_MISTAKEN = "name: demo\nskill: demo-skill\nconfig: {trials_per_task: 1}\ngradrs: []\ntasks: [tasks/*.yaml]\n"
_RIGHT, _WRONG = "contains: [mock response]", "contains: [no such words]"
_MOST_AT_ONCE = 3
_UNSTORED = "a grading"
_PLACE = {"line": 4, "character": 12}


class Author:
    """An editor with the suite of `folder` open. `told` are the trials that the server has said are finished, by run.

    `answers` are those to its requests, `said` what the server has to say to people; a part of every error that it `bears`.
    """

    def __init__(
        self, folder: Path, chance: random.Random, variables: Mapping[str, str] | None = None
    ) -> None:
        self.wire = Wire(folder, variables=variables)
        self.told: dict[str, set[tuple[str, int]]] = {}
        self.events = 0
        self._chance = chance
        self._editor = subprocess.Popen(["sleep", "3600"])
        self._number = 0
        self._version = 1
        self._waiting: set[int] = set()
        self._begun: set[int] = set()
        self.answers: dict[int, Any] = {}
        self.said: list[str] = []
        self.bears = ["The process was killed (SIG", "is no longer in the run store"]
        self._findings: dict[str, list[dict[str, Any]]] = {}
        self._uri = (folder / "eval.yaml").as_uri()
        self._text = (folder / "eval.yaml").read_text()
        self._folder = folder

    @property
    def editor(self) -> int:
        """The process that the server takes for the editor."""
        return self._editor.pid

    def greet(self) -> None:
        """Say hello and open files, without waiting for anything."""
        capabilities: dict[str, Any] = {"textDocument": {"publishDiagnostics": {}}}
        self.ask(
            "initialize",
            processId=self.editor,
            capabilities=capabilities,
            workspaceFolders=[{"uri": self._folder.as_uri(), "name": "here"}],
            initializationOptions={"runEvents": True, "trusted": True},
        )
        self.wire.send("initialized", {})
        self._open(self._folder / "mistaken.yaml", _MISTAKEN)
        self._open(self._folder / "eval.yaml", self._text)
        for it in TASKS[:2]:
            path = self._folder / "tasks" / f"{it}.yaml"
            self._open(path, path.read_text())

    def _open(self, path: Path, text: str) -> None:
        item = {"uri": path.as_uri(), "languageId": "yaml", "version": 1, "text": text}
        self.wire.send("textDocument/didOpen", {"textDocument": item})

    def ask(self, method: str, **params: Any) -> int:
        """Send a request; its number."""
        self._number += 1
        self._waiting.add(self._number)
        self.wire.send(method, params, self._number)
        return self._number

    def command(self, name: str, **argument: Any) -> int:
        """Have the server do something with the eval; the number of the request."""
        given = {"uri": self._uri, **argument}
        return self.ask("workspace/executeCommand", command=name, arguments=[given])

    def _begin(self, name: str, **argument: Any) -> None:
        """Have it start a process, unless many of those are at work."""
        self._begun &= self._waiting
        if len(self._begun) < _MOST_AT_ONCE:
            self._begun.add(self.command(name, **argument))

    def act(self) -> None:
        """Do one thing or another."""
        document = {"textDocument": {"uri": self._uri}}
        whole = {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}
        things: tuple[tuple[int, Callable[[], object]], ...] = (
            (6, lambda: self.edit(wrong=self._chance.random() < 0.5)),
            (1, lambda: self._begin("waza.runEval", token=f"all {self._number}")),
            (2, lambda: self._begin("waza.runTask", task=self._chance.choice(TASKS))),
            (1, lambda: self._begin("waza.grade", token=_UNSTORED)),
            (1, lambda: self._begin("waza.explainGrader", pointer=["graders", self._chance.randint(0, 2)])),
            (1, lambda: self.command("waza.cancelRun", token=f"all {self._chance.randint(0, self._number)}")),
            (1, lambda: self.command("waza.cancelRun", runId=self._chance.choice([*self.told, "none"]))),
            (1, lambda: [self.command("waza.showReport", runId=it) for it in [*self.told][-1:]]),
            (2, lambda: self.ask("textDocument/codeLens", **document)),
            (2, lambda: self.ask("textDocument/hover", **document, position=_PLACE)),
            (1, lambda: self.ask("textDocument/completion", **document, position=_PLACE)),
            (
                1,
                lambda: self.ask(
                    "textDocument/codeAction", **document, range=whole, context={"diagnostics": []}
                ),
            ),
            (1, lambda: self.ask("waza/tests")),
        )
        self._chance.choices([it for _, it in things], [weight for weight, _ in things])[0]()

    def edit(self, *, wrong: bool) -> None:
        """Have the grader look for what was said, or for something else."""
        self._version += 1
        text = self._text.replace(_RIGHT, _WRONG) if wrong else self._text
        document = {"uri": self._uri, "version": self._version}
        self.wire.send(
            "textDocument/didChange", {"textDocument": document, "contentChanges": [{"text": text}]}
        )

    def listen(self, seconds: float = 0.0) -> None:
        """Take what the server has said, and what it says within so many seconds."""
        until = time.monotonic() + seconds
        while True:
            try:
                self._take(self.wire.got.get(timeout=max(0.0, until - time.monotonic())))
            except queue.Empty:
                return

    def _take(self, message: dict[str, Any]) -> None:
        params = message.get("params") or {}
        match message.get("method"):
            case None:
                assert "error" not in message, message
                self._waiting.discard(message["id"])
                self.answers[message["id"]] = message["result"]
            case "textDocument/publishDiagnostics":
                self._findings[params["uri"]] = params["diagnostics"]
            case "waza/runEvent":
                self.events += 1
                is_stored = params["token"] != _UNSTORED and params.get("attempts")
                if is_stored and params["event"] == "trial_finished":
                    self.told.setdefault(params["run_id"], set()).add((params["task"], params["trial"]))
            case "window/logMessage" | "window/showMessage":
                self.said.append(params["message"])
                assert params["type"] > 1 or any(it in params["message"] for it in self.bears), params
            case _ if "id" in message:
                self.wire.write({"jsonrpc": "2.0", "id": message["id"], "result": None})
            case _:
                pass

    def wait(self, condition: Callable[[], object], what: str) -> None:
        """Listen until something holds."""
        deadline = time.monotonic() + PATIENCE_SECONDS
        self.listen()
        while not condition():
            assert time.monotonic() < deadline, f"{what}; waiting for {self._waiting}"
            assert self.wire.process.poll() is None, (what, self.wire.process.returncode)
            self.listen(0.02)

    def all_answered(self) -> None:
        """Every request has its answer."""
        self.wait(lambda: not self._waiting, "not all is answered")

    def everything_works(self) -> None:
        """Findings are shown, what is edited is graded live, and a run passes."""
        self.wait(lambda: self._shows("mistaken.yaml", "unknown-key", "gradrs"), "no findings")
        self.edit(wrong=False)
        number = self.command("waza.runTask", task=TASKS[0])
        self.wait(lambda: number in self.answers, "no end of the run")
        assert self.answers[number]["status"] == "passed", self.answers[number]
        self.edit(wrong=True)
        self.wait(lambda: self._shows("eval.yaml", "failed-check", "no such words"), "no live verdict")

    def _shows(self, name: str, code: str, part: str) -> bool:
        found = self._findings.get((self._folder / name).as_uri(), [])
        return any(it.get("code") == code and part in it["message"] for it in found)

    def leave(self) -> None:
        """Say goodbye."""
        self.all_answered()
        number = self.ask("shutdown")
        self.wait(lambda: number in self.answers, "no goodbye")
        self.wire.send("exit", None)

    def close(self) -> None:
        """Whatever became of it, nothing of ours goes on."""
        self._editor.kill()
        self._editor.wait()
        self.wire.close()
