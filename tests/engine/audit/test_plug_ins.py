"""Mutations of other distributions take part in the audit; a broken one is named and left out."""

import logging
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.engine.audit.evals import audited, recording, text_grader, write_eval
from waza_engine import plugins
from waza_engine.audit.mutations import base

MODULE = """
from waza_engine.audit.mutations.base import Mutant, Mutation
from waza_engine.audit.texts import with_output

class Shout(Mutation):
    name, about = "shout", "shout the output"
    def mutants(self, subject):
        output = subject.trajectory.output.upper()
        yield Mutant("with a shouted output", with_output(subject.trajectory, output), "a", "A")

class Taken(Shout):
    name = "drop-call"

class Nameless(Mutation):
    def mutants(self, subject):
        return iter(())

class Breaks(Shout):
    name = "breaks"
    def mutants(self, subject):
        yield from super().mutants(subject)
        raise RuntimeError("no")

class Odd(Shout):
    name = "odd"
    def mutants(self, subject):
        return iter(["no mutant"])
"""
NAMES = ("Shout", "Taken", "Nameless", "Breaks", "Odd", "Gone", "Mutant")


@pytest.fixture
def plug_ins(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    folder = tmp_path / "site"
    info = folder / "acme_evals-1.0.dist-info"
    info.mkdir(parents=True)
    (folder / "acme_evals.py").write_text(MODULE)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: acme-evals\nVersion: 1.0\n")
    points = [f"{it.lower()} = acme_evals:{it}" for it in NAMES]
    (info / "entry_points.txt").write_text("\n".join(["[waza_lsp.mutations]", *points, ""]))
    monkeypatch.syspath_prepend(folder)
    caches = (plugins.has_plugins, plugins._declared_groups, base.mutations)
    for it in caches:
        it.cache_clear()
    yield
    for it in caches:
        it.cache_clear()


@pytest.mark.usefixtures("plug_ins")
def test_plug_ins(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    assert plugins.has_plugins()
    path = write_eval(
        tmp_path / "e",
        [{"id": "t", "graders": [text_grader(contains=["Version"])]}],
        recordings=[recording("t", "Version 2.0")],
    )
    with caplog.at_level(logging.WARNING):
        audit = audited(path)["t"]
    assert "with a shouted output" in {it.change for it in audit.mutants}
    told = [str(it.args[0]) for it in caplog.records if isinstance(it.args, tuple)]
    assert sorted(told) == ["breaks", "gone", "mutant", "nameless", "taken"]
    assert {it.name for it in audit.attempts}.isdisjoint({"breaks", "odd"})
    assert "halve-output" in {it.name for it in audit.attempts}
