"""Ask before a run that will probably spend many tokens. The forecast comes from earlier runs in the store."""

import asyncio
from collections.abc import Sequence

from lsprotocol import types

from waza_engine.runs.planning.until_decided import MOST_TRIALS
from waza_lsp.runnables.forecast import Forecast
from waza_lsp.server.runs.process import RunRequest
from waza_lsp.server.session import Session
from waza_lsp.server.transport.client import CannotAskError

_RUN = "Run"
_CANCEL = "Cancel"
_SETTING = "waza.run.askAboveTokens"


async def may_spend(session: Session, request: RunRequest) -> bool:
    """Return whether the run may start: it is cheap, of unknown cost, or the user agrees."""
    most = session.configuration.settings.run_ask_above_tokens
    forecast = session.ledger.forecast(
        request.eval_path, request.tasks, request.trials if request.threshold is None else MOST_TRIALS
    )
    if not most or forecast is None or forecast.tokens <= most:
        return True
    if await asyncio.to_thread(_is_free, request):
        return True
    return await _agreed(session, f"This run will cost {forecast.text}.")


async def may_spend_together(session: Session, requests: Sequence[RunRequest]) -> bool:
    """Return whether several runs may start, none of which is expensive: their sum is cheap, or the user agrees."""
    most = session.configuration.settings.run_ask_above_tokens
    known = [(it, session.ledger.forecast(it.eval_path)) for it in requests]
    costs = [(it, cost) for it, cost in known if cost is not None]
    is_asked_anyway = any(cost.tokens > most for _, cost in costs)
    if not most or is_asked_anyway or sum(cost.tokens for _, cost in costs) <= most:
        return True
    paid = [cost for it, cost in costs if not await asyncio.to_thread(_is_free, it)]
    total = Forecast(sum(it.tokens for it in paid), sum(it.seconds for it in paid))
    if total.tokens <= most:
        return True
    return await _agreed(session, f"These {len(requests)} runs will cost {total.text}.")


async def _agreed(session: Session, message: str) -> bool:
    try:
        return await session.client.choose(message, [_RUN, _CANCEL], types.MessageType.Warning) == _RUN
    except CannotAskError:
        session.client.show(f"{message} It was not started. To allow it, raise {_SETTING}.")
        return False


def _is_free(request: RunRequest) -> bool:
    """Whether the executor of the run spends no tokens. A suite that cannot be loaded is reported by its run."""
    from waza_engine.executors.base import MOCK, REPLAY
    from waza_engine.model.suite import LoadError
    from waza_engine.project.load_suite import load_suite

    name = request.executor
    if not name and request.selects_tasks:
        try:
            name = load_suite(
                request.eval_path, process_dir=request.directory or request.eval_path.parent
            ).settings.executor
        except LoadError:
            return True
    return name in {MOCK, REPLAY}
