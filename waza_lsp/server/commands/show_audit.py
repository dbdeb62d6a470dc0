"""The command `waza.showAudit`: audit all tasks of an eval, with the texts of the editor, and show a page about them.

The worker of the live audit does it, also if that is switched off. It takes again what it has graded already, and edits
are audited in between.
"""

import asyncio
import hashlib
import re
import uuid
from pathlib import Path
from typing import Any

from waza_engine.lib.paths import real_path
from waza_lsp.server.commands.recorded_runs import Answer, show_page, write_page
from waza_lsp.server.live.client import WorkerError
from waza_lsp.server.params import params_of, text_in
from waza_lsp.server.results.reader import on_disk
from waza_lsp.server.runs.progress import Progress
from waza_lsp.server.session import Session
from waza_lsp.snapshot import Snapshot, path_of

_QUICK_SECONDS = 0.3
"""An audit that takes less shows no progress."""
_LONGEST_NAME = 60
_NOT_IN_NAMES = re.compile(r"[^\w.-]+")


async def show_audit(session: Session, *arguments: Any) -> Answer | None:
    """`waza.showAudit {uri, task?}`: audit an eval, and answer with the path of a page that begins with the task.

    `null`, after a message, if it cannot be audited, or if the user cancels.
    """
    params = params_of(arguments)
    path = path_of(text_in(params, "uri"))
    snapshot = session.documents.get(text_in(params, "uri"))
    if snapshot is None and path is not None:
        snapshot = on_disk(path, session.client.encoding)
    if path is None or snapshot is None:
        session.client.warn("There is no eval to audit. Open an eval or a task.")
        return None
    # The audit executes nothing, but its page is written beside the store.
    if not await session.trust.ask_to_run(path, session.ledger.eval_of(snapshot)):
        return None
    try:
        found = await _audited(session, snapshot, text_in(params, "task"))
        if found is None:
            return None
        page = await asyncio.to_thread(_write, Path(found["eval"]), found["html"])
    except (WorkerError, OSError) as error:
        session.client.show(f"{path.name} cannot be audited: {error}")
        return None
    return show_page(session.client, page)


async def _audited(session: Session, snapshot: Snapshot, task: str) -> Answer | None:
    """Return the answer with the page; None if the user cancelled, or after a message."""
    name = uuid.uuid4().hex
    progress = Progress(session.client)
    timer = asyncio.get_running_loop().call_later(_QUICK_SECONDS, progress.begin, "Auditing")
    try:
        while not progress.cancel.is_set():
            answer = await session.audit.page(snapshot, name, task)
            if "html" in answer:
                return dict(answer)
            if "none" in answer:
                session.client.warn(f"There is nothing to audit: {answer['none']}.")
                return None
            done, total = answer["done"], answer["total"]
            progress.report(f"{done} of {total} tasks", done * 100 // total)
        return None
    finally:
        timer.cancel()
        progress.end("")


def _write(eval_path: Path, html: str) -> Path:
    """Write the page of an eval below `reports/` of its store. Runs in a thread."""
    # Imported late: the store brings SQLite.
    from waza_engine.project.store_location import FILE_NAME, default_store_dir
    from waza_engine.runs.store.errors import StoreError
    from waza_engine.runs.store.file import make_store_folder

    directory = default_store_dir(eval_path)
    try:
        make_store_folder(directory / FILE_NAME)
    except StoreError as error:
        raise OSError(str(error)) from error
    return write_page(directory, _name(eval_path), [html])


def _name(eval_path: Path) -> str:
    """Return the name of an eval's page. Evals of the same name in several folders have different ones."""
    readable = _NOT_IN_NAMES.sub("-", f"{eval_path.parent.name}-{eval_path.stem}")[:_LONGEST_NAME]
    return f"audit-{readable}-{hashlib.sha256(str(real_path(eval_path)).encode()).hexdigest()[:8]}"
