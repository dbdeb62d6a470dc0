"""The ceilings of the benchmarks only ever go down."""

import json
import subprocess
from pathlib import Path

import pytest

from bench.ceilings import FILE, above, lower, raised
from bench.judging import Conditions, judgement
from bench.machine import Watch

ROOT = Path(__file__).parents[1]
KNOWN = {
    "lsp": {"50 lines": {"hover": 0.5, "edit, CPU": 0.3, "processes": 1.0, "key, CPU": 20.0}},
    "lsp alone": {"50 lines": {"hover": 6.0}},
    "workspace": {"3 evals": {"symbols": 50.0}},
}


QUIET, BUSY, ASLEEP = Watch(0.05, 1.1), Watch(0.9, 1.1), Watch(0.05, 15.0)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a file of ceilings that the test may change."""
    path = tmp_path / "ceilings.json"
    path.write_text(json.dumps(KNOWN), encoding="utf-8")
    monkeypatch.setattr("bench.ceilings.FILE", path)
    return path


def test_no_ceiling_is_higher_than_in_any_earlier_version() -> None:
    now = json.loads(FILE.read_text(encoding="utf-8"))
    name = FILE.relative_to(ROOT).as_posix()
    log = subprocess.run(
        ["git", "log", "--format=%H", "--diff-filter=AM", "--", name],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    if log.returncode:
        pytest.skip("this is no checkout")
    for commit in log.stdout.split():
        shown = subprocess.run(
            ["git", "show", f"{commit}:{name}"], cwd=ROOT, capture_output=True, text=True, check=True
        )
        assert raised(json.loads(shown.stdout), now) == [], f"higher than in {commit[:10]}"


def test_a_higher_ceiling_and_a_missing_one_are_found() -> None:
    before = {"lsp": {"50 lines": {"edit, CPU": 0.8, "hover": 0.6}}}
    assert raised(before, {"lsp": {"50 lines": {"edit, CPU": 0.9}}}) == [
        "lsp, 50 lines, edit, CPU: 0.8, now 0.9",
        "lsp, 50 lines, hover: 0.6, now gone",
    ]
    assert raised(before, before) == []


@pytest.mark.usefixtures("file")
@pytest.mark.parametrize(
    ("ratio", "ms", "passes"),
    [(0.5, 6.0, True), (0.5, 60.0, True), (5.0, 6.0, True), (0.51, 6.01, False), (0.51, None, False)],
)
def test_a_time_passes_if_its_ratio_or_our_own_time_keeps_its_ceiling(
    ratio: float, ms: float | None, passes: bool
) -> None:
    times = {"50 lines": {"hover": ms} if ms is not None else {}}
    assert (above("lsp", {"50 lines": {"hover": ratio}}, times) == {}) is passes


@pytest.mark.usefixtures("file")
def test_a_time_above_both_ceilings_is_told_with_both() -> None:
    assert above("lsp", {"50 lines": {"hover": 0.8}}, {"50 lines": {"hover": 9.5}}) == {
        "50 lines": ["hover: 0.8, at most 0.5; 9.5 ms, at most 6 ms"]
    }


@pytest.mark.usefixtures("file")
def test_a_figure_without_a_ceiling_of_our_own_time_must_keep_its_ratio() -> None:
    figures, times = {"50 lines": {"edit, CPU": 0.4}}, {"50 lines": {"edit, CPU": 0.1}}
    assert (
        above("lsp", figures, times) == above("lsp", figures) == {"50 lines": ["edit, CPU: 0.4, at most 0.3"]}
    )


@pytest.mark.usefixtures("file")
def test_figures_without_any_ceiling_pass() -> None:
    assert above("lsp", {"50 lines": {"new": 9.0}, "9 lines": {"hover": 9.0}}) == {}


def test_both_ceilings_go_down_and_neither_goes_up(file: Path) -> None:
    assert lower("lsp", {"50 lines": {"hover": 0.25}}, {"50 lines": {"hover": 40.0}}) == [
        "50 lines, hover: 0.38, was 0.5"
    ]
    assert lower("lsp", {"50 lines": {"hover": 4.0}}, {"50 lines": {"hover": 2.0}}) == [
        "50 lines, hover: 3 ms, was 6 ms"
    ]
    after = json.loads(file.read_text(encoding="utf-8"))
    assert after["lsp"]["50 lines"] == {**KNOWN["lsp"]["50 lines"], "hover": 0.38}
    assert after["lsp alone"] == {"50 lines": {"hover": 3.0}}
    assert raised(KNOWN, after) == []


def test_new_rows_get_ceilings_below_twice_their_figures(file: Path) -> None:
    lower("lsp", {"9 lines": {"hover": 0.11, "processes": 2.0}}, {"9 lines": {"hover": 8.1}})
    after = json.loads(file.read_text(encoding="utf-8"))
    assert after["lsp"]["9 lines"] == {"hover": 0.17, "processes": 2.0}
    assert after["lsp alone"]["9 lines"] == {"hover": 13.0}
    assert above("lsp", {"9 lines": {"hover": 0.22}}, {"9 lines": {"hover": 16.2}}).keys() == {"9 lines"}


def test_memory_gets_less_room_than_times(file: Path) -> None:
    lower("lsp", {"9 lines": {"memory, peak MB": 0.4}}, {"9 lines": {"memory, peak MB": 80.0}})
    after = json.loads(file.read_text(encoding="utf-8"))
    assert after["lsp"]["9 lines"] == {"memory, peak MB": 0.45}
    assert above("lsp", {"9 lines": {"memory, peak MB": 0.6}}, {"9 lines": {"memory, peak MB": 89.0}}) == {
        "9 lines": ["memory, peak MB: 0.6, at most 0.45; 89 MB, at most 88 MB"]
    }


def test_a_benchmark_of_ours_alone_gets_no_section_of_times(file: Path) -> None:
    assert lower("workspace", {"3 evals": {"symbols": 20.0}}) == ["3 evals, symbols: 30, was 50"]
    after = json.loads(file.read_text(encoding="utf-8"))
    assert after == {**KNOWN, "workspace": {"3 evals": {"symbols": 30.0}}}


@pytest.mark.usefixtures("file")
@pytest.mark.parametrize(
    ("figures", "ms", "watch", "status", "told"),
    [
        ({"hover": 0.8}, 9.5, QUIET, 1, "Above their ceilings:\n50 lines: hover: 0.8"),
        ({"hover": 0.8}, 9.5, BUSY, 0, "not judged:\n  50 lines: hover: 0.8"),
        ({"hover": 0.8}, 5.0, QUIET, 0, "No figure that was judged is above its ceiling."),
        ({"hover": 0.8, "edit, CPU": 0.4}, 9.5, BUSY, 1, "Above their ceilings:\n50 lines: edit, CPU: 0.4"),
        ({"edit, CPU": 0.4}, 9.5, ASLEEP, 0, "not judged:\n  50 lines: edit, CPU: 0.4"),
        ({"key, CPU": 21.0}, 9.5, BUSY, 0, "not judged:\n  50 lines: key, CPU: 21"),
        ({"key, CPU": 21.0}, 9.5, QUIET, 1, "Above their ceilings:\n50 lines: key, CPU: 21"),
        ({"hover": 0.8, "processes": 2.0}, 9.5, ASLEEP, 1, "Above their ceilings:\n50 lines: processes: 2"),
    ],
)
def test_what_fails_depends_on_the_machine(
    figures: dict[str, float],
    ms: float,
    watch: Watch,
    status: int,
    told: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    conditions, times = Conditions(), {"50 lines": {"hover": ms, "edit, CPU": 9.0}}
    conditions.add("50 lines", watch)
    assert judgement("lsp", {"50 lines": figures}, times, conditions) == status
    assert told in capsys.readouterr().out
