"""The command `waza.keepCounterExample`: keep broken work that passes as a recording that must fail."""

import asyncio
from pathlib import Path
from typing import Any

from lsprotocol import types

from waza_lsp.server.params import params_of, text_in
from waza_lsp.server.results.reader import on_disk
from waza_lsp.server.session import Session
from waza_lsp.snapshot import path_of

Answer = dict[str, Any]


async def keep_counter_example(session: Session, *arguments: Any) -> Answer | None:
    """`waza.keepCounterExample {uri, task, mutant}`: write a new file beside the recordings of the file's eval.

    `mutant` is the key of broken work in the audit, such as `halve-output`. It never replaces a file. Answers with the file,
    or `null` after a message.
    """
    client, params = session.client, params_of(arguments)
    uri, path = text_in(params, "uri"), path_of(text_in(params, "uri"))
    snapshot = session.documents.get(uri)
    if snapshot is None and path is not None:
        snapshot = await asyncio.to_thread(on_disk, path, client.encoding)
    if snapshot is None or path is None:
        client.warn("Only broken work of files on disk can be kept; save this document first.")
        return None
    await session.ledger.find_evals([snapshot])
    eval_path = session.ledger.eval_of(snapshot)
    if eval_path is None:
        client.warn(f"No eval lists {path.name}, so there is no folder for counter examples.")
        return None
    if not await session.trust.ask_to_run(path, eval_path):
        return None
    answer = await session.audit.keep(snapshot, text_in(params, "task"), text_in(params, "mutant"))
    if "path" not in answer:
        client.warn(f"No counter example was written: {answer.get('none')}.")
        return None
    kept = Path(answer["path"])
    name = kept.relative_to(eval_path.parent).as_posix()
    client.show(f"{name} must fail from now on: {answer['change']}.", types.MessageType.Info)
    return {"path": str(kept), "uri": kept.as_uri()}
