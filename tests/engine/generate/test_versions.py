"""Test the dated tables: each fact is about something that exists, with a source, and reaches the schemas."""

import re
from itertools import pairwise
from pathlib import Path

import pytest

from tests.each import check_each
from tests.test_pages import sections_of
from waza_engine.analysis.schema.files import read_schema
from waza_engine.generate.schemas.versions import UnknownPlaceError
from waza_engine.project.levels import codes
from waza_engine.recognition.recognise import dialects, releases
from waza_engine.recognition.releases import Fact, Release, Releases, is_newer

ROOT = Path(__file__).parents[3]
FACTS = [(of.name, it) for of in dialects() for it in releases(of.name).facts]
_SOURCE = re.compile(r"(docs/reference/[\w-]+\.md), section ([\d.]+)")


def test_each_fact_has_a_source_and_known_versions() -> None:
    check_each(((f"{dialect} {fact.place}", (dialect, fact)) for dialect, fact in FACTS), check_fact)


def check_fact(case: tuple[str, Fact]) -> None:
    dialect, fact = case
    cited = _SOURCE.fullmatch(fact.source)
    assert cited is not None
    assert cited[2] in sections_of(ROOT / cited[1])
    assert fact.versions
    known = {it.version for it in releases(dialect).releases}
    assert {f"{it}.0" if it.count(".") == 1 else it for it in fact.versions} <= known
    if fact.subject == "rule":
        assert fact.path.partition(" ")[0] in codes()
    if fact.refused_since or fact.deprecated:
        assert fact.note or fact.subject == "rule"
    assert not fact.note or fact.note.endswith(".")


@pytest.mark.parametrize("dialect", [it.name for it in dialects()])
def test_releases_are_in_order_and_no_fact_occurs_twice(dialect: str) -> None:
    table = releases(dialect)
    versions = [it.version for it in table.releases]
    assert all(is_newer(later, earlier) for earlier, later in pairwise(versions))
    places = [it.place for it in table.facts]
    assert sorted(set(places)) == sorted(places)
    assert all(re.fullmatch(r"20\d\d-\d\d-\d\d|", it.date) for it in table.releases)


@pytest.mark.parametrize(
    "place",
    [
        "eval: nope",
        "eval: stimuli[].nope",
        "eval: stimuli.name",
        "grader wall-time.nope",
        "grader nope",
        "file: x",
    ],
)
def test_a_fact_about_nothing_is_an_error(place: str, monkeypatch: pytest.MonkeyPatch) -> None:
    table = Releases((Release("1.0"),), (Fact(place, since="1.0"),))
    for module in ("waza_engine.generate.schemas.versions", "waza_engine.generate.schemas.graders"):
        monkeypatch.setattr(f"{module}.releases", lambda _: table, raising=False)
    from waza_engine.generate.schemas.export import export

    with pytest.raises(UnknownPlaceError):
        export()


def test_marks_reach_the_schemas() -> None:
    spec = read_schema("vally/eval")
    old = spec["properties"]["config"]
    assert (old["x-refused-since"], old["x-inferred"], old["x-use-instead"]) == ("0.15", True, "defaults")
    assert read_schema("vally/graders/step-count")["x-since"] == "0.15"
    assert spec["$defs"]["GraderConfig"]["properties"]["type"]["x-values"]["step-count"]["x-since"] == "0.15"


def test_a_dialect_without_a_table_has_no_versions() -> None:
    assert Releases().target("") == ""
    assert Releases().newest == ""
