"""One typical slip in a valid suite: it is reported, and the other findings stay the same.

`slips/*.txt` hold the slips: the file and the codes that come up, the text as it should be, and as it is written.
"""

import shutil
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.behaviour.rules_harness import findings_at

FOLDER = Path(__file__).parent / "slips"


class Slip(NamedTuple):
    """Replacing `good` by `bad` in the file `name` of a suite causes findings with `codes`."""

    title: str
    suite: str
    name: str
    codes: list[str]
    good: str
    bad: str


def _slips(suite: str) -> list[Slip]:
    blocks = f"\n{(FOLDER / f'{suite}.txt').read_text('utf-8')}".split("\n=== ")[1:]
    return [_slip(suite, it) for it in blocks]


def _slip(suite: str, block: str) -> Slip:
    title, header, body = block.split("\n", 2)
    name, _, codes = header.partition(": ")
    good, _, bad = body.partition("\n--->\n")
    return Slip(title, suite, name, codes.split(), good, bad.rstrip("\n"))


SLIPS = [it for suite in ("waza", "vally") for it in _slips(suite)]


@pytest.fixture(scope="module")
def suites(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("slips")
    for suite in ("waza", "vally"):
        shutil.copytree(FOLDER / suite, folder / suite)
    return folder


@pytest.fixture(scope="module")
def usual(suites: Path) -> dict[Path, set[tuple[str, str]]]:
    """The findings of the valid files: no errors or warnings."""
    found = {
        path: findings_at(path, suites / path.relative_to(suites).parts[0]) for path in suites.rglob("*.yaml")
    }
    assert not [it for said in found.values() for it in said if it.severity == "error"]
    return {path: {(it.code, it.underlined) for it in said} for path, said in found.items()}


@pytest.mark.parametrize("slip", SLIPS, ids=lambda it: f"{it.suite}-{it.title}".replace(" ", "-"))
def test_a_slip_is_reported(slip: Slip, suites: Path, usual: dict[Path, set[tuple[str, str]]]) -> None:
    path = suites / slip.suite / slip.name
    text = path.read_text("utf-8")
    assert text.count(slip.good) > 0
    path.write_text(text.replace(slip.good, slip.bad, 1), "utf-8")
    try:
        found = findings_at(path, suites / slip.suite)
    finally:
        path.write_text(text, "utf-8")
    assert sorted({it.code for it in found if (it.code, it.underlined) not in usual[path]}) == slip.codes, (
        found
    )
