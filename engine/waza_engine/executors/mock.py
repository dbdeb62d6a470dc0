"""The mock executor: answers with a text made from the task, without an agent.

See docs/reference/waza-formats.md, section 16 (v0.31 and later). Use it to check that files load and graders work. It
makes no tool calls and loads no skills, so graders that require them fail. Every trigger test counts as correct.
"""

import time
from collections.abc import Iterator, Mapping
from datetime import datetime
from decimal import Decimal
from math import isinf, isnan
from typing import Any, ClassVar

from waza_engine.executors.base import MOCK, NO_AGENT, ExecutorOptions, Progress, TrialRequest, TriggerRequest
from waza_engine.lib.yaml.scalars import Scalar
from waza_engine.model.suite import Task
from waza_engine.model.trajectory import Session, Trajectory

_PREVIEW_BYTES = 1024


class MockExecutor:
    """Answers at once with the task's own data."""

    name: ClassVar[str] = MOCK
    unknown: frozenset[str] = frozenset()
    ignores: ClassVar = NO_AGENT

    def __init__(self, options: ExecutorOptions) -> None:
        self._model = options.model

    def identity(self) -> str:
        """Return the same text always: nothing outside of the plan changes its work."""
        return ""

    async def start(self) -> None:
        """Do nothing."""

    async def run(self, request: TrialRequest, progress: Progress) -> Trajectory:
        started = time.perf_counter()
        task = request.task
        session_id = f"mock-session-{time.time_ns()}"
        so_far = Trajectory(
            task=task.id,
            model=request.model or self._model,
            prompt=task.prompt,
            session_id=session_id,
            session=Session(session_id=session_id),
        )
        turn = 0
        prompt: str | None = task.prompt
        while prompt is not None:
            turn += 1
            so_far = so_far.model_copy(
                update={
                    "output": mock_output(task, prompt),
                    "duration_ms": max(1, int((time.perf_counter() - started) * 1000)),
                }
            )
            prompt = await request.after_turn(turn, so_far)
        return so_far

    async def triggered(self, request: TriggerRequest) -> bool:
        return request.should_trigger

    async def close(self) -> None:
        """Do nothing."""


def mock_output(task: Task, prompt: str) -> str:
    """Return the output of one turn; turns differ only in the prompt."""
    return "\n".join(_lines(task, prompt))


def _lines(task: Task, prompt: str) -> Iterator[str]:
    yield f"Mock response for: {prompt}"
    if task.name:
        yield f"Task: {task.name}"
    if task.description:
        yield f"Description: {task.description}"
    if task.context:
        yield "Context:"
        yield from (f"  {key}: {_go(value)}" for key, value in task.context.items())
    if task.files:
        yield f"Analyzed {len(task.files)} file(s):"
        for file in task.files:
            yield f"  - {file.target}"
            if file.content:
                yield _preview(file.content)


def _preview(content: bytes) -> str:
    cut = content[:_PREVIEW_BYTES]
    # Go replaces every byte that is not UTF-8 by one U+FFFD, also those of a character cut in the middle.
    text = cut.decode("utf-8", "surrogateescape")
    shown = "".join("\ufffd" if "\udc80" <= it <= "\udcff" else it for it in text)
    return shown + "...(truncated)" if len(content) > _PREVIEW_BYTES else shown


def _go(value: Any) -> str:
    """Format `value` like Go's `%v`."""
    match value:
        case Scalar(value=inner):
            return _go(inner)
        case None:
            return "<nil>"
        case bool():
            return "true" if value else "false"
        case float():
            return _go_float(value)
        case datetime():
            return value.strftime("%Y-%m-%d %H:%M:%S %z %Z").replace("UTC+00:00", "UTC")
        case Mapping():
            return f"map[{' '.join(f'{key}:{_go(value[key])}' for key in sorted(value))}]"
        case list() | tuple():
            return f"[{' '.join(_go(it) for it in value)}]"
        case _:
            return str(value)


def _go_float(value: float) -> str:
    """Shortest digits, with an exponent if it is below -4 or above 5, like `%v`."""
    if isnan(value):
        return "NaN"
    if isinf(value):
        return "+Inf" if value > 0 else "-Inf"
    sign, digits, exponent = Decimal(repr(value)).normalize().as_tuple()
    power = len(digits) - 1 + int(exponent)
    minus = "-" if sign else ""
    if value == 0:
        return f"{minus}0"
    if -4 <= power <= 5:
        return f"{minus}{abs(Decimal(repr(value))).normalize():f}"
    head, *tail = (str(it) for it in digits)
    fraction = f".{''.join(tail)}" if tail else ""
    return f"{minus}{head}{fraction}e{'-' if power < 0 else '+'}{abs(power):02d}"
