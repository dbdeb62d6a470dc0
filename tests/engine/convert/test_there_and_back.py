"""Test that a suite, converted there and back, gives the same verdicts on recorded runs."""

import json
import shutil
from pathlib import Path

import pytest

from tests.slow import first_quick
from waza_engine.convert.conversion import Conversion
from waza_engine.convert.to_vally import to_vally
from waza_engine.convert.to_waza import to_waza
from waza_engine.executors.base import ExecutorOptions
from waza_engine.executors.replay import ReplayExecutor
from waza_engine.lib.yaml.scalars import plain
from waza_engine.project.load_suite import load_suite
from waza_engine.project.reading import read_mapping
from waza_engine.runs.live import RunOutputs
from waza_engine.runs.planning.plan import Overrides, make_plan
from waza_engine.runs.run import run_suite
from waza_engine.runs.trial.grade import Bench

EXAMPLES = Path(__file__).parents[3] / "examples"
WAZA = ("code-explainer", "deploy-orchestrator", "file-editor")
VALLY = ("release-notes", "support-desk")


def written(result: Conversion, folder: Path, source: Path) -> Path:
    """The converted suite on disk, with the recordings and fixtures of the first one beside it."""
    folder.mkdir()
    shutil.copytree(source / "recordings", folder / "recordings")
    if (project := source / ".vally.yaml").is_file():
        shutil.copy(project, folder)
    for name, text in result.files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return folder / "eval.yaml"


async def verdicts(path: Path, process_dir: Path, log_dir: Path) -> dict[str, list[str]]:
    suite = load_suite(path, process_dir=process_dir)
    record = await run_suite(
        Bench(
            make_plan(suite, Overrides(executor="replay")),
            ReplayExecutor(ExecutorOptions(suite.directory)),
            process_dir,
        ),
        RunOutputs(lambda _event: None, log_dir),
        "r",
    )
    return {task.task: [it.status for it in task.trials] for task in record.tasks}


@pytest.mark.parametrize("name", first_quick(WAZA))
async def test_from_waza(name: str, tmp_path: Path) -> None:
    source, root = EXAMPLES / name, EXAMPLES.parent
    there = written(
        to_vally(source / "eval.yaml", tmp_path / "vally", process_dir=root), tmp_path / "vally", source
    )
    back = written(to_waza(there, tmp_path / "waza", process_dir=root), tmp_path / "waza", source)
    before = await verdicts(source / "eval.yaml", root, tmp_path)
    assert await verdicts(back, root, tmp_path) == before


@pytest.mark.slow
@pytest.mark.parametrize("name", VALLY)
async def test_from_vally(name: str, tmp_path: Path) -> None:
    source, root = EXAMPLES / name, EXAMPLES.parent
    there = written(
        to_waza(source / "eval.yaml", tmp_path / "waza", process_dir=root), tmp_path / "waza", source
    )
    back = written(to_vally(there, tmp_path / "vally", process_dir=root), tmp_path / "vally", source)
    before = await verdicts(source / "eval.yaml", root, tmp_path)
    assert await verdicts(back, root, tmp_path) == before


@pytest.mark.parametrize("name", [*WAZA, *VALLY])
def test_no_comment_is_lost(name: str, tmp_path: Path) -> None:
    folder = EXAMPLES / name
    convert = to_vally if name in WAZA else to_waza
    text = "\n".join(convert(folder / "eval.yaml", tmp_path, process_dir=EXAMPLES.parent).files.values())
    sources = [folder / "eval.yaml", *(folder / "tasks").glob("*.yaml")]
    lines = [it.strip() for path in sources for it in path.read_text(encoding="utf-8").splitlines()]
    gone = [it for it in lines if it.startswith("# ") and it.removeprefix("# ") not in text]
    assert not gone


@pytest.mark.slow
def test_losses_are_reported(tmp_path: Path) -> None:
    result = to_vally(EXAMPLES / "deploy-orchestrator" / "eval.yaml", tmp_path, process_dir=EXAMPLES.parent)
    [graders] = [
        it.message for it in result.lost if "allow" in it.message or "forbid all tools" in it.message
    ]
    assert "no-rollout-by-hand" in graders
    assert "allow_only" in result.files[next(iter(result.files))]


def test_graders_that_only_vally_has_come_back_with_the_names_they_had(tmp_path: Path) -> None:
    graders = [{"type": "diff-empty", "name": "same"}] * 2 + [{"type": "diff-empty"}] * 2
    spec = {"name": "s", "stimuli": [{"name": "a", "prompt": "p", "graders": graders}]}
    (tmp_path / "eval.yaml").write_text(json.dumps(spec), encoding="utf-8")
    (tmp_path / "recordings").mkdir()
    waza, vally = tmp_path / "waza", tmp_path / "vally"
    there = written(to_waza(tmp_path / "eval.yaml", waza, process_dir=tmp_path), waza, tmp_path)
    back = written(to_vally(there, vally, process_dir=tmp_path), vally, tmp_path)
    # vally refuses a name twice since 0.16.
    graders[1] = {"type": "diff-empty", "name": "same-2"}
    assert plain(read_mapping(back))["stimuli"][0]["graders"] == graders
