"""What attacks go for: a secret in the environment, a file outside, a listener. And the victim: a suite of files."""

import os
import socket
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from textwrap import indent

from tests.forked import forked

CANARY = "canary-5f1e"
"""Must never come out of anything."""
COMMAND = [sys.executable, "-P", "-m", "waza_lsp"]


@dataclass
class Victim:
    """A workspace with a suite, and a file beside the workspace that must be neither read out nor changed."""

    workspace: Path
    outside: Path

    @property
    def eval_file(self) -> Path:
        return self.workspace / "eval.yaml"

    def write_suite(self, graders: str = "", task: str = "", config: str = "", eval_keys: str = "") -> None:
        """A suite with one task; each part is YAML at its own level, without indentation."""
        self.workspace.mkdir(exist_ok=True)
        text = (
            "name: victim\nskill: demo\nconfig:\n  executor: mock\n  model: m\n  trials_per_task: 1\n  timeout_seconds: 5\n"
            + indent(config, "  ")
        )
        text += eval_keys + "tasks: ['tasks/*.yaml']\n"
        self.eval_file.write_text(text, encoding="utf-8")
        tasks = self.workspace / "tasks"
        tasks.mkdir(exist_ok=True)
        body = "id: one\nname: One\n" + (task or "inputs: {prompt: Say hello to the world}\n")
        if graders:
            body += "graders:\n" + indent(graders, "  ")
        (tasks / "one.yaml").write_text(body, encoding="utf-8")

    def call(self, *arguments: str, seconds: float = 60) -> subprocess.CompletedProcess[str]:
        """Our command line in the workspace, with the secret in its environment; nothing of it may print the secret."""
        environment = {**os.environ, "OPENAI_API_KEY": CANARY, "CANARY": CANARY}
        done = forked(*arguments, cwd=self.workspace, environment=environment, seconds=seconds)
        assert "Traceback" not in done.stderr
        return done

    def is_unharmed(self) -> bool:
        """Whether the file outside is as it was, and nothing has been put beside it."""
        folder = self.outside.parent
        return self.outside.read_text(encoding="utf-8") == CANARY and {
            it.name for it in folder.iterdir()
        } == {self.outside.name}


@contextmanager
def listener() -> Iterator[tuple[int, list[bytes]]]:
    """A port on this machine, and whoever came: an attack that reaches the network shows here."""
    came: list[bytes] = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        closing = threading.Event()

        def accept() -> None:
            while not closing.is_set():
                try:
                    connection, _ = server.accept()
                except TimeoutError:
                    continue
                came.append(b"connected")
                connection.close()

        thread = threading.Thread(target=accept)
        thread.start()
        try:
            yield server.getsockname()[1], came
        finally:
            closing.set()
            thread.join()
