"""Audits to make pages of: every kind of verdict, with hostile names."""

from pathlib import Path

from tests.engine.reports.html.pages import NASTY
from waza_engine.audit.intent import Intent
from waza_engine.audit.null_agents import NULL_AGENTS
from waza_engine.audit.score import Attempt, EvalAudit, GraderPlace, TaskAudit

PATH = Path("e/eval.yaml")
WORDS = GraderPlace("words", "text", PATH, ("graders", 0))
FILES = GraderPlace(f"files {NASTY}", "file", PATH, ("graders", 1))
FIT = GraderPlace("fit", "trigger", PATH, ("graders", 2))
JUDGE = GraderPlace("judge", "prompt", PATH, ("graders", 3))


def mutant(name: str, change: str, *failed: str, seen: tuple[str, ...] = (), **more: str) -> Attempt:
    status = more.pop("status", "failed" if failed else "passed")
    return Attempt("mutant", name, change, status, failed, seen or failed, 1, **more)  # type: ignore[arg-type]


def task_audit(number: int, intent: Intent = Intent.WORK, *, is_weak: bool = True) -> TaskAudit:
    """Return the audit of a task with all kinds of attempts. In every fourth, a judge is not asked."""
    noticed = () if is_weak else ("words",)
    agents = (
        Attempt(
            "null agent", it.name, f"an agent that {it.about}", "failed" if noticed else "passed", noticed
        )
        for it in NULL_AGENTS.values()
    )
    mutants = (
        mutant("drop-call", "without view(a.txt)", FILES.name),
        mutant("drop-call", "without create(b.txt)", "words", FILES.name),
        mutant("delete-file", "without the file b.txt"),
        mutant("fail-call", "with an error", status="error", error="cannot be read"),
    )
    passing = (
        mutant(
            "negate-sentence",
            "with a negated sentence",
            seen=("words",),
            before=f"It is {NASTY}",
            after="It is not",
        ),
        Attempt("counter example", f"t{number}.json", f"the counter example t{number}.json", "passed"),
    )
    return TaskAudit(
        f"t{number}",
        f"{NASTY} {number}",
        PATH,
        ("tasks", number),
        intent,
        (*agents, *mutants, *(passing if is_weak else ())),
        (WORDS, FILES, FIT),
        (JUDGE,) if number % 4 == 2 else (),
        ("fit",),
        trials=2,
    )


def audited_eval(count: int, path: Path = PATH) -> EvalAudit:
    """Return an eval with so many tasks, of which every second is weak. The first is a negative test."""
    audits = [
        task_audit(it, Intent.WORK if it else Intent.NOTHING, is_weak=it % 2 == 0) for it in range(count)
    ]
    return EvalAudit(path, f"e {NASTY}", audits, count)
