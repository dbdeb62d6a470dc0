"""`waza.runSkill {uri}`: run the evals that test the skill of an open SKILL.md, one after the other."""

from typing import Any

from waza_lsp.server.commands.run import Answer, run_eval
from waza_lsp.server.params import params_of, text_in
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
    answers: list[Answer] = []
    for it in found[1].evals:
        answer = await run_eval(session, {**params, "uri": it.path.as_uri()})
        if answer is None:
            break
        answers.append(answer)
        if answer.get("status") == "cancelled":
            break
    return answers
