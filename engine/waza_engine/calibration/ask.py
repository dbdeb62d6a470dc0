"""Ask a judge about a recorded trial, or take what it said before."""

import hashlib
import time
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from waza_engine.calibration.judgement import Judgement, KeptTurn
from waza_engine.calibration.remembering import RememberingJudge
from waza_engine.calibration.subjects import Subject, judge_model
from waza_engine.model.judge import Judge, JudgeError, JudgeRequest, JudgeTurn
from waza_engine.model.trajectory import Trajectory
from waza_engine.runs.planning.plan import Plan
from waza_engine.runs.recordings.regrade import bench_for, grade_single_entry, replayed_trial


@dataclass(frozen=True, slots=True)
class Answer:
    """A judgement, or why there is none. `asked` counts the requests that a judge answered just now."""

    judgement: Judgement | None
    error: str = ""
    asked: int = 0


def judge_subject(
    plan: Plan,
    subject: Subject,
    process_dir: Path,
    *,
    judge: Judge | None = None,
    kept: Mapping[str, KeptTurn] | None = None,
    model: str = "",
) -> Answer:
    """Return the judgement of the subject's grader as it is now.

    Requests in `kept` are answered from there, others by `judge`. `model` replaces the model that the eval names.

    Raises:
        WorkspaceError: the workspace cannot be created.

    """
    remembering = RememberingJudge(_identity(subject.recording.trajectory), judge, kept or {}, model)
    bench = replace(bench_for(plan, subject.recording, process_dir), judge=remembering)
    with replayed_trial(subject.task, subject.recording) as trial:
        outcome = grade_single_entry(bench, trial, subject.grader.entry, subject.grader.level)
    if outcome.status == "error" or outcome.infrastructure or not remembering.turns:
        return Answer(None, outcome.feedback or "The judge gave no verdict", remembering.asked)
    judgement = Judgement(
        recording=subject.name,
        grader=subject.grader.entry.name,
        passed=outcome.passed,
        score=outcome.score,
        by=model or judge_model(plan, subject.grader.entry),
        at=time.time() if remembering.asked else 0.0,
        turns=tuple(remembering.turns),
    )
    return Answer(judgement, asked=remembering.asked)


def question_of(plan: Plan, subject: Subject, process_dir: Path) -> str:
    """Return what the judge is asked about the trial, with the output, which some judges look up themselves.

    Raises:
        WorkspaceError: the workspace cannot be created.

    """
    listener = _Listener()
    bench = replace(bench_for(plan, subject.recording, process_dir), judge=listener)
    with replayed_trial(subject.task, subject.recording) as trial:
        grade_single_entry(bench, trial, subject.grader.entry, subject.grader.level)
    question, output = next(iter(listener.heard), ""), subject.recording.trajectory.output
    return question if output in question else f"{question}\n\n## Output\n\n{output}"


class _Listener:
    """A judge that notes what it is asked, and never answers."""

    at_once = 1

    def __init__(self) -> None:
        self.heard: list[str] = []

    def turn(self, request: JudgeRequest) -> JudgeTurn:
        self.heard.append("\n\n".join(filter(None, (request.system_message, request.message))))
        raise JudgeError("nothing is asked")

    def reply(self, message: str, model: str = "") -> Any:  # the interface of judges
        self.heard.append(message)
        raise JudgeError("nothing is asked")


def _identity(trajectory: Trajectory) -> str:
    return hashlib.sha256(trajectory.model_dump_json().encode("utf-8", "replace")).hexdigest()
