"""What the hover adds to the findings of an audit."""

from waza_lsp.syntax.text import Place, Span
from waza_lsp.workspace.audit_notes import AuditNote, Survivor, audit_paragraphs

HERE = Span(Place(0, 0), Place(0, 4))
AGENTS = tuple(Survivor("null agent", name, f"an agent {name}", "", "") for name in ("a", "b", "c", "d", "e"))
MUTANT = Survivor("mutant", "cut-paragraph", "without the last paragraph", "one\n\ntwo", "one")


def note(code: str, *survivors: Survivor, task: str = "t") -> AuditNote:
    return AuditNote(HERE, task, survivors, code)


def test_nothing_is_told_twice() -> None:
    both = (*AGENTS, MUTANT)
    agents, *mutants = audit_paragraphs([note("passes-without-work", *both)])
    # The message names three agents.
    assert agents == "The other agents that pass: d, e"
    assert mutants == ["Broken work that passes:", "- without the last paragraph\n```diff\n- two\n```"]
    two = [note("passes-without-work", *both), note("surviving-mutant", *both)]
    assert list(audit_paragraphs(two)) == [agents, *mutants]
    assert list(audit_paragraphs([note("passes-without-work", *AGENTS[:3])])) == []
    assert list(audit_paragraphs([note("surviving-mutant", *both)] * 2)) == mutants
    assert list(audit_paragraphs([note("blind-grader", *both)])) == []


def test_a_grader_of_many_tasks_names_the_first() -> None:
    notes = [note("surviving-mutant", MUTANT, task=f"t{it}") for it in range(9)]
    found = list(audit_paragraphs(notes))
    assert found[0] == "Broken work that passes in `t0`:"
    assert len(found) == 2 * 4 + 1
    assert found[-1] == "The page of the audit shows the other tasks."


def test_long_lists_and_differences_are_cut() -> None:
    many = [MUTANT._replace(change=f"change {it}", before="x\n" * 99, after="") for it in range(9)]
    found = list(audit_paragraphs([note("surviving-mutant", *many)]))
    assert found[-1] == "- and 4 more"
    assert found[1].count("- x") == 8
