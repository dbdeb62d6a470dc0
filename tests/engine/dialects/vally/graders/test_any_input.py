"""Any config and recording gives a verdict or an error, never a crash."""

import json
import random
from typing import Any

import pytest

from tests.slow import first_quick
from waza_engine.analysis.grader_entries import check_entry, check_raw
from waza_engine.graders.registry import graders
from waza_engine.grading.batch import answer_line
from waza_engine.model.findings import Scope

KINDS = graders("vally")
FREE = sorted(set(KINDS) - {"run-command", "program"})
_TEXTS = [
    "",
    "a",
    "(",
    "[",
    "\\A",
    "5s",
    "${X}",
    "../a",
    "/a",
    "**/*",
    "a\0b",
    "😀",
    "true",
    "binary",
    "mean",
]
_PLAIN = [0, 1, -1, 3.5, 2**70, True, False, None]
_KEYS = [
    "name",
    "command",
    "args",
    "a",
    "type",
    "data",
    "score",
    "content",
    "toolName",
    "toolCallId",
    "result",
]
_EVENTS = [
    "tool_call",
    "tool_result",
    "assistant_message",
    "user_message",
    "turn_end",
    "error",
    "token_usage",
    5,
]


class Maker:
    """Makes random values of all types; a seed makes them reproducible."""

    def __init__(self, seed: int) -> None:
        self._random = random.Random(seed)  # noqa: S311  # tests want the same numbers again

    def value(self, depth: int = 2) -> Any:
        pick = self._random
        shape = pick.random()
        if depth and shape < 0.2:
            return [self.value(depth - 1) for _ in range(pick.randint(0, 3))]
        if depth and shape < 0.4:
            return {pick.choice(_KEYS): self.value(depth - 1) for _ in range(pick.randint(0, 3))}
        return pick.choice(_TEXTS if shape < 0.7 else _PLAIN)

    def entry(self, kind: str) -> dict[str, Any]:
        """Return a valid entry with some invalid values."""
        pick = self._random
        fields = KINDS[kind].model_fields
        config = {
            name: (info.examples or [None])[0]
            for name, info in fields.items()
            if info.is_required() or pick.random() < 0.4
        }
        for _ in range(pick.choice([0, 1, 2])):
            config[pick.choice([*fields, "other"])] = self.value()
        turn = {"turn": pick.choice([0, 1, -1, "1", None])} if pick.random() < 0.2 else {}
        return {"type": kind, "config": config, **turn}

    def context(self) -> dict[str, Any]:
        pick = self._random
        events = [
            {
                "type": pick.choice(_EVENTS),
                "data": self.value(),
                "agentId": self.value(),
                "timestamp": self.value(),
            }
            for _ in range(pick.randint(0, 6))
        ]
        judge = [[{"tool": "submit_grade", "args": {"criteria": self.value(), "score": self.value()}}]] * 3
        metrics = {it: self.value() for it in ("wallTimeMs", "turnCount", "tokenUsage", "errorCount")}
        context = {
            "output": "x\r\ny",
            "events": events,
            "metrics": metrics,
            "judge_tool_calls": judge,
            "diff": "x",
        }
        return {key: it for key, it in context.items() if pick.random() < 0.7}


@pytest.mark.parametrize("kind", first_quick(FREE, 8))
def test_any_input_has_an_answer(kind: str) -> None:
    maker = Maker(len(kind) * 7919 + sum(map(ord, kind)))
    for _ in range(25):
        entry, context = maker.entry(kind), maker.context()
        line = json.dumps({"id": 1, "gen": "VALLY", "graders": [entry], "context": context})
        answer = answer_line(line)
        assert json.dumps(answer)
        assert "internal error" not in json.dumps(answer), (line, answer)
        assert len(answer.get("results", ["no input"])) == 1
        check_entry("vally", entry, Scope())
        check_raw("vally", entry)
