"""The command `waza.showAudit`: audit all tasks of an eval, with the texts of the editor, and show a page about them.

The worker of the live audit does it, also if that is switched off. It takes again what it has graded already, and edits
are audited in between.
"""

import asyncio
import hashlib
import re
from collections.abc import Iterator
from contextlib import aclosing, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from lsprotocol import types

from waza_engine.lib.paths import real_path
from waza_lsp.server.commands.recorded_runs import show_page, write_page
from waza_lsp.server.helper.client import HelperError
from waza_lsp.server.helper.questions import Answer
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
    """`waza.showAudit {uri, task?, quiet?}`: audit an eval, and answer with the path of a page that begins with the task.

    `null`, after a message, if it cannot be audited, or if the user cancels. A quiet request has no message and no
    progress, and asks the user nothing.
    """
    params = params_of(arguments)
    quiet = params.get("quiet") is True
    client = session.client
    say = client.log if quiet else client.show
    path = path_of(text_in(params, "uri"))
    snapshot = session.documents.get(text_in(params, "uri"))
    if snapshot is None and path is not None:
        snapshot = on_disk(path, session.client.encoding)
    if path is None or snapshot is None:
        say("There is no eval to audit. Open an eval or a task.", types.MessageType.Warning)
        return None
    # The audit executes nothing, but its page is written beside the store.
    eval_path = session.ledger.eval_of(snapshot)
    is_granted = session.trust.is_granted
    if quiet and not (is_granted(path) and is_granted(eval_path or path)):
        return None
    if not await session.trust.ask_to_run(path, eval_path):
        return None
    try:
        progress = Progress(client)
        with nullcontext() if quiet else _shown(progress):
            found = await _audited(session, snapshot, text_in(params, "task"), progress)
        if found is None:
            return None
        if "none" in found:
            say(f"There is nothing to audit: {found['none']}.", types.MessageType.Warning)
            return None
        audited = Path(found["eval"])
        page = await asyncio.to_thread(_write, audited, found["html"])
    except (HelperError, OSError) as error:
        say(f"{path.name} cannot be audited: {error}", types.MessageType.Error)
        return None
    return {**show_page(client, page), "eval": audited.as_uri()}


@contextmanager
def _shown(progress: Progress) -> Iterator[None]:
    """Show progress, unless it ends soon."""
    timer = asyncio.get_running_loop().call_later(_QUICK_SECONDS, progress.begin, "Auditing")
    try:
        yield
    finally:
        timer.cancel()
        progress.end("")


async def _audited(session: Session, snapshot: Snapshot, task: str, progress: Progress) -> Answer | None:
    """Return the answer with the page, or with why there is `none`; None if the user cancelled."""
    async with aclosing(session.audit.page(snapshot, task)) as parts:
        async for answer in parts:
            if "html" in answer or "none" in answer:
                return answer
            if progress.cancel.is_set():
                break
            done, total = answer["done"], answer["total"]
            progress.report(f"{done} of {total} tasks", done * 100 // total)
    return None


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
