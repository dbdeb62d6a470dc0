"""What the worker is asked: about a file, with the texts as they are in the editor."""

from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from waza_engine.findings import Pointer
from waza_lsp.snapshot import Snapshot
from waza_lsp.suite.in_document import runnables_in

if TYPE_CHECKING:
    from waza_lsp.server.app import WazaServer


def question(
    server: "WazaServer",
    snapshot: Snapshot,
    path: Path,
    ask: Literal["grade", "explain", "draft"],
    pointer: Pointer,
    *,
    may_execute: bool = False,
) -> dict[str, Any]:
    """A question about the thing at `pointer`: a grader, or a task to draft graders for."""
    around = [it for it in runnables_in(snapshot) if pointer[: len(it.pointer)] == it.pointer]
    task = next((it.id for it in reversed(around) if it.kind == "task"), "")
    open_texts = {str(it.path): str(it.text) for it in server.documents if it.path and it.form}
    return {
        "ask": ask,
        "path": str(path),
        "eval": str(server.results.eval_of(snapshot) or ""),
        "pointer": list(pointer),
        "task": task,
        "dialect": snapshot.form.dialect if snapshot.form is not None else "",
        "texts": {**open_texts, str(path): str(snapshot.text)},
        "processDir": str(server.process_dir(path)),
        "mayExecute": may_execute,
    }
