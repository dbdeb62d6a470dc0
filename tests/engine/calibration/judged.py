"""An eval with a judge that answers without a model, and a stored run of it."""

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from tests.engine.audit.evals import recording, write_eval
from waza_engine.judges.openai import OpenAIJudge
from waza_engine.model.judge import JudgeCall, JudgeRequest, JudgeTurn
from waza_engine.runs.planning.plan import Plan
from waza_engine.runs.recordings.regrade import plan_for_grading
from waza_lsp.cli import main

GRADER = {"type": "prompt", "name": "kind", "config": {"rubric": "helpfulness", "model": "gpt-5.2"}}
Opinion = Callable[[JudgeRequest], bool]


class Judge:
    """Votes by a function of the request, and keeps the requests."""

    def __init__(self, opinion: Opinion) -> None:
        self.opinion = opinion
        self.requests: list[JudgeRequest] = []

    def turn(self, request: JudgeRequest) -> JudgeTurn:
        self.requests.append(request)
        tool = "set_waza_grade_pass" if self.opinion(request) else "set_waza_grade_fail"
        return JudgeTurn((JudgeCall(tool, {"reason": "r"}),), usage={"input_tokens": 90, "output_tokens": 10})

    def reply(self, message: str, model: str = "") -> Any:
        raise NotImplementedError


def judged_eval(folder: Path, outputs: Sequence[str]) -> Path:
    """Write an eval with one task and recording for each output, all judged by the same grader."""
    names = [f"t{number}" for number in range(len(outputs))]
    recordings = [recording(name, output) for name, output in zip(names, outputs, strict=True)]
    path = write_eval(folder, [{"id": it} for it in names], [GRADER], recordings)
    path.write_text(path.read_text().replace("executor: mock", "executor: replay"))
    return path


def use(monkeypatch: pytest.MonkeyPatch, opinion: Opinion) -> Judge:
    """Let all commands ask a judge with this opinion."""
    judge = Judge(opinion)
    monkeypatch.setattr(OpenAIJudge, "from_environment", lambda *_, **__: judge)
    return judge


def command(*words: object, keys: str = "") -> Result:
    return CliRunner().invoke(main, [str(it) for it in words], input=keys)


def plan(path: Path) -> Plan:
    return plan_for_grading(path, path.parent)


def lines(file: Path) -> list[dict[str, Any]]:
    return [json.loads(it) for it in file.read_text().splitlines()]
