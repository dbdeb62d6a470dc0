"""Sum up the tokens and the cost of agents and judges."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from typing import Any, TypeGuard

_MOST = 1e15
"""Larger numbers are mistakes, and their sums could be infinite."""


@dataclass(frozen=True, slots=True)
class Consumption:
    """What trials consumed, as far as it is known. A judge's cost is in the unit of its endpoint, usually dollars.

    `premium_requests` are those of the agent's Copilot account.
    """

    agent_input_tokens: int = 0
    agent_output_tokens: int = 0
    premium_requests: float = 0.0
    judge_requests: int = 0
    judge_input_tokens: int = 0
    judge_output_tokens: int = 0
    judge_cost: float = 0.0

    def __add__(self, other: "Consumption") -> "Consumption":
        return Consumption(*(getattr(self, it.name) + getattr(other, it.name) for it in fields(self)))


NOTHING_CONSUMED = Consumption()


def consumption_text(used: Consumption) -> str:
    """Return one line about tokens and cost; "" if nothing is known."""
    agent = _tokens(used.agent_input_tokens, used.agent_output_tokens)
    if used.premium_requests:
        agent.append(f"{used.premium_requests:g} premium requests")
    judges = _tokens(used.judge_input_tokens, used.judge_output_tokens)
    if used.judge_cost:
        judges.append(f"cost {used.judge_cost:.4g}")
    parts = ((name, facts) for name, facts in (("agent", agent), ("judges", judges)) if facts)
    return "; ".join(f"{name}: {', '.join(facts)}" for name, facts in parts)


def _tokens(given: int, made: int) -> list[str]:
    return [f"{given:,} tokens in", f"{made:,} out"] if given or made else []


def judge_consumption(details: Iterable[Mapping[str, Any] | None]) -> Consumption:
    """Return what judges consumed, from the details of graders: their `usage`."""
    usages = [usage for it in details for usage in _usages(it or {})]
    return Consumption(
        judge_requests=int(_sum(usages, "requests")),
        judge_input_tokens=int(_sum(usages, "input_tokens")),
        judge_output_tokens=int(_sum(usages, "output_tokens")),
        judge_cost=_sum(usages, "cost"),
    )


def _usages(details: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the `usage` in a grader's details, or in their `metadata` (docs/reference/vally.md, section 10.2)."""
    for it in (details, details.get("metadata")):
        usage = it.get("usage") if isinstance(it, Mapping) else None
        if isinstance(usage, Mapping):
            yield usage


def added_usage(usages: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """Return the sum of several usages of judges; empty without any."""
    found: dict[str, Any] = {}
    for usage in usages:
        for name, it in usage.items():
            found[name] = found.get(name, 0) + it if _is_number(it) else found.get(name, it)
    return found


def _sum(usages: Iterable[Mapping[str, Any]], name: str) -> float:
    numbers = (it.get(name) for it in usages)
    return sum(it for it in numbers if _is_number(it))


def _is_number(value: Any) -> TypeGuard[float]:
    """Whether a usage can be counted. Endpoints and files of others may say NaN."""
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) <= _MOST
