"""`waza-lsp compare --pairwise`: a judge says for each trial which of two runs is better."""

import json
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from waza_engine.formats import by_preference, resolved
from waza_engine.judges.base import JudgeMissing
from waza_engine.judges.openai import OpenAIJudge
from waza_engine.model.pairwise import Pairwise
from waza_engine.project.load_suite import load_suite
from waza_engine.reports.inert import harmless
from waza_engine.runs.records import RunRecord
from waza_engine.suite import LoadError, Suite
from waza_lsp.cli.printing import show, tell
from waza_lsp.cli.run_source import give_up, record_named

_WORSE = 1


@dataclass(frozen=True, slots=True)
class Wanted:
    """What the command line asks for."""

    baseline: str
    treatment: str
    store_dir: Path | None
    eval_path: Path | None
    judge_model: str
    form: str
    fail_on_regression: bool


def compare_pairwise(wanted: Wanted) -> None:
    """Compare, print, and end with 1 if the second run is worse and that counts."""
    baseline, treatment = (record_named(it, wanted.store_dir) for it in (wanted.baseline, wanted.treatment))
    suite = _suite(wanted.eval_path, treatment)
    try:
        judge = OpenAIJudge.from_environment(os.environ)
    except JudgeMissing as error:
        give_up(str(error))
    compare = next(it.compare_runs for it in by_preference() if it.compare_runs)
    compared: Pairwise = resolved(compare)(baseline, treatment, judge, suite, wanted.judge_model)
    pairs = []
    for it in compared.pairs():
        tell(f"{it.treatment.task} trial {it.treatment.trial}: {it.error or it.winner}")
        pairs.append(it)
    if not pairs:
        give_up("The two runs have no trial of the same stimulus in common")
    found = compared.record((wanted.baseline, wanted.treatment), pairs)
    show(json.dumps(found, ensure_ascii=False) if wanted.form == "json" else _text(found))
    if wanted.fail_on_regression and found["summary"]["meanScore"] < 0:
        sys.exit(_WORSE)


def _suite(path: Path | None, record: RunRecord) -> Suite | None:
    """The suite with the rubrics: the named one, else that of the run if it is still there."""
    chosen = path or (Path(record.eval_path) if record.eval_path else None)
    try:
        return load_suite(chosen, process_dir=Path.cwd()) if chosen is not None else None
    except LoadError as error:
        if path is not None:
            give_up(str(error))
        return None


def _text(found: dict[str, Any]) -> str:
    summary = found["summary"]
    names = [harmless(it["stimulusName"]) for it in found["stimuli"]]
    width = max(len(it) for it in names)
    means = [it["meanScore"] for it in found["stimuli"]]
    lines = [f"{name:{width}}  {mean:+.2f}" for name, mean in zip(names, means, strict=True)]
    unjudged = f", {summary['erroredCount']} not judged" if summary["erroredCount"] else ""
    lines.append(
        f"{found['treatment']} against {found['baseline']}: {summary['wins']} better, {summary['ties']} equal, "
        f"{summary['losses']} worse{unjudged}; score {summary['meanScore']:+.2f} "
        f"[{summary['ciLow']:+.2f}, {summary['ciHigh']:+.2f}]"
    )
    passed = summary["mcnemar"]
    lines.append(
        f"passed only before: {passed['baselineOnly']}, only now: {passed['treatmentOnly']} (p = {passed['pValue']:.3f})"
    )
    return "\n".join(lines)
