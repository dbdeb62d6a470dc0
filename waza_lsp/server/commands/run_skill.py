"""`waza.runSkill {uri}`: run the evals that test the skill of an open SKILL.md, one after the other."""

from typing import Any

from waza_lsp.server.commands.cost_guard import may_spend_together
from waza_lsp.server.commands.run import Answer, run_eval
from waza_lsp.server.params import params_of, text_in
from waza_lsp.server.runs.process import RunRequest
from waza_lsp.server.session import Session


async def run_skill(session: Session, *arguments: Any) -> list[Answer]:
    """Run all evals of a skill. Each asks for trust and tokens as any other run; a refused one ends the command."""
    params = params_of(arguments)
    snapshot = session.documents.get(text_in(params, "uri"))
    found = session.coverage.of(snapshot) if snapshot is not None else None
    if found is None:
        session.client.show(
            "No eval tests this skill. Open its SKILL.md, or create an eval with `waza-lsp new`."
        )
        return []
    settings, evals = session.configuration.settings, [it.path for it in found[1].evals]
    requests = [RunRequest(it, executor=settings.run_executor) for it in evals]
    if not await may_spend_together(session, requests):
        return []
    answers: list[Answer] = []
    for it in evals:
        answer = await run_eval(session, {**params, "uri": it.as_uri()})
        if answer is None:
            break
        answers.append(answer)
        if answer.get("status") == "cancelled":
            break
    return answers
