"""Tests of waiting for judges: Retry-After, reports of waits, and the circuit breaker of an endpoint."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any

import pytest

from tests.faults.endpoint import Endpoint as FakeEndpoint
from tests.faults.endpoint import endpoint, refusal, submit, vote
from waza_engine.judges.openai import Endpoint, OpenAIJudge
from waza_engine.judges.patience import waits_reported
from waza_engine.judges.scales import SCALES
from waza_engine.judges.submit_grade import request_grade
from waza_engine.judges.votes import VOTE_TOOLS
from waza_engine.model.judge import JudgeError, JudgeRequest


@dataclass
class Clock:
    """A clock that only pauses move."""

    now: float = 1000.0
    pauses: list[float] = field(default_factory=list)

    def __call__(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def fake() -> Iterator[FakeEndpoint]:
    with endpoint(lambda _: vote()) as here:
        yield here


def judge_of(fake: FakeEndpoint, clock: Clock) -> OpenAIJudge:
    return OpenAIJudge(Endpoint(fake.base_url, "k", sleep=clock.sleep, clock=clock), "m")


def turn(judge: OpenAIJudge) -> bool:
    request = JudgeRequest("judge", tools=VOTE_TOOLS, timeout_seconds=120)
    return bool(judge.turn(request).calls)


def date_in(seconds: float) -> str:
    return format_datetime(datetime.now(UTC) + timedelta(seconds=seconds), usegmt=True)


@pytest.mark.parametrize(
    ("header", "low", "high"), [("41", 41, 41), (None, 38, 42), ("0", 0, 0), ("soon", 5, 6), ("-3", 5, 6)]
)
def test_retry_after_is_obeyed_by_a_judge_with_reminders(
    fake: FakeEndpoint, clock: Clock, header: str | None, low: float, high: float
) -> None:
    wait = {"Retry-After": header or date_in(41)}
    fake.answer = lambda number: refusal(429, wait) if not number else submit()
    grade = request_grade(judge_of(fake, clock), JudgeRequest("judge"), SCALES["scale_1_5"], clock.sleep)
    assert grade.points == 5
    [pause] = clock.pauses
    assert low <= pause <= high


def test_one_line_says_what_is_waited_for(fake: FakeEndpoint, clock: Clock) -> None:
    fake.answer = lambda number: refusal(429, {"Retry-After": "7"}) if not number else vote()
    lines: list[str] = []
    with waits_reported(lines.append):
        assert turn(judge_of(fake, clock))
    assert lines == [
        f"Waiting 7 s for the endpoint {fake.base_url} (attempt 2 of 5): the endpoint answered 429: no: 429"
    ]


def test_a_dead_endpoint_is_not_waited_for_every_time(fake: FakeEndpoint, clock: Clock) -> None:
    fake.answer = lambda _: refusal(503)
    judge = judge_of(fake, clock)
    lines: list[str] = []
    with waits_reported(lines.append):
        with pytest.raises(JudgeError, match="503"):
            turn(judge)
        asked, waited = len(fake.requests), len(clock.pauses)
        for _ in range(20):
            with pytest.raises(JudgeError, match="times in a row") as caught:
                turn(judge)
            assert not caught.value.transient
        assert (len(fake.requests), len(clock.pauses)) == (asked, waited)
        # Half open: one request tries the endpoint, the others do not.
        clock.now += 31
        fake.answer = lambda _: refusal(503)
        with pytest.raises(JudgeError):
            turn(judge)
        assert len(fake.requests) == asked + 1
        with pytest.raises(JudgeError, match="times in a row"):
            turn(judge)
        assert len(fake.requests) == asked + 1
        clock.now += 61
        fake.answer = lambda _: vote()
        assert turn(judge)
        assert turn(judge)
    assert sum("not judged until" in it for it in lines) == 1
    assert lines[-1].endswith("answers again")


def test_short_hiccups_open_nothing(fake: FakeEndpoint, clock: Clock) -> None:
    fake.answer = lambda number: refusal(500) if number % 3 else vote()
    judge = judge_of(fake, clock)
    assert all(turn(judge) for _ in range(20))


def test_endpoints_do_not_share_their_failures(fake: FakeEndpoint, clock: Clock) -> None:
    with endpoint(lambda _: refusal(503)) as dead:
        with pytest.raises(JudgeError):
            turn(judge_of(dead, clock))
        assert turn(judge_of(fake, clock))


@pytest.mark.parametrize(
    "answer", [refusal(401), refusal(403), refusal(404), (200, [], {}), (200, {"choices": []}, {})]
)
def test_a_refusal_is_not_waited_for(fake: FakeEndpoint, clock: Clock, answer: Any) -> None:
    fake.answer = lambda _: answer
    with pytest.raises(JudgeError):
        turn(judge_of(fake, clock))
    assert (len(fake.requests), clock.pauses) == (1, [])
