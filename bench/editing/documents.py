"""Realistic eval files of any length, with mistakes on known lines."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

_EVERY = 12
"""One grader in this many has a mistake. Short files have more."""
_WORDS = ["deploy", "review", "refactor", "explain", "migrate", "summarise", "package", "audit", "module"]
_SENTENCES = [
    "Read the whole transcript before you decide anything.",
    "The answer names every file that was changed, and why.",
    "Treat “it should work” as unverified ✅ only after a command proved it.",
    "1. Ignore formatting; judge only whether the steps would work.",
]
_OPTIONS = {"max_tokens", "max_tool_calls", "max_duration_ms", "required_tools", "forbidden_tools"}


@dataclass(slots=True)
class Written:
    """A file and the lines (from zero) that the benchmark edits."""

    lines: list[str] = field(default_factory=list)
    mistakes: list[int] = field(default_factory=list)
    """Lines with mistakes that the schema shows."""
    beyond_schema: list[tuple[int, str]] = field(default_factory=list)
    """Lines with mistakes that only a rule or a grader type finds, and the codes of these findings."""
    numbers: list[int] = field(default_factory=list)
    """Lines that end in a number where a string is an error."""
    configs: list[int] = field(default_factory=list)
    """Lines after which an option of `behavior` can be added."""
    options: frozenset[str] = frozenset(_OPTIONS)

    @property
    def text(self) -> str:
        return "\n".join(self.lines) + "\n"


def eval_file(count: int, seed: int = 7) -> Written:
    """Return a file of exactly `count` lines. The same seed gives the same file."""
    rng, it = random.Random(seed), Written()
    it.lines += ["name: bench", "skill: bench", "config:", "  trials_per_task: 1", "  timeout_seconds: 60"]
    it.lines += ["  executor: mock", "  model: gpt-4o", "tasks:"]
    for number in range(max(1, count // 40)):
        it.beyond_schema.append((len(it.lines), "glob-without-match"))
        it.lines.append(f"  - tasks/group-{number}/*.yaml")
    it.lines.append("graders:")
    every = _EVERY if count >= 1000 else 5
    for number in range(count):
        parts: list[list[Any]] = [it.lines, it.mistakes, it.beyond_schema, it.numbers, it.configs]
        before = [len(part) for part in parts]
        _grader(it, rng, number, wrong=number % every == 2)
        if len(it.lines) > count:
            for part, kept in zip(parts, before, strict=True):
                del part[kept:]
            break
    it.lines += [f"# {len(it.lines) + number}" for number in range(count - len(it.lines))]
    return it


def _grader(it: Written, rng: random.Random, number: int, *, wrong: bool) -> None:
    make = (_behavior, _text, _prompt, _program)[number % 4]
    if rng.random() < 0.2:
        it.lines.append(f"  # {rng.choice(_SENTENCES)}")
    kind = make.__name__[1:]
    it.lines.append(f"  - type: {kind}")
    _name(it, rng, kind, number)
    if kind == "text" or rng.random() < 0.5:
        if not wrong:
            it.numbers.append(len(it.lines))
        it.lines.append("    weight: 1.5")
    if kind == "behavior" and not wrong:
        it.configs.append(len(it.lines))
    it.lines.append("    config:")
    if wrong:
        it.mistakes.append(len(it.lines))
        it.lines.append("      zz_unknown: 7")
    for line in make(rng):
        if line.startswith("timeout: ") and not wrong:
            it.numbers.append(len(it.lines))
        it.lines.append(f"      {line}")
    if kind == "text" and not wrong:
        it.beyond_schema.append((len(it.lines) + 1, "invalid-regex"))
        it.lines += ["      regex_not_match:", '        - "(never closed"']


def _name(it: Written, rng: random.Random, kind: str, number: int) -> None:
    """Add a name, the same one to all graders of one type."""
    name = f"{rng.choice(_WORDS)}_{rng.choice(_WORDS)}_{number}"
    if kind == "behavior":
        name = "same_name"
        if number:
            it.beyond_schema.append((len(it.lines), "duplicate-grader-name"))
    it.lines.append(f"    name: {name}")


def _behavior(rng: random.Random) -> Iterator[str]:
    yield from (
        ("required_tools:", "  - bash", "  - view") if rng.random() < 0.5 else ("forbidden_tools: [rm]",)
    )


def _text(rng: random.Random) -> Iterator[str]:
    yield from ("contains:", f'  - "{rng.choice(_WORDS)}ed"', f'  - "{rng.choice(_WORDS)}"')
    if rng.random() < 0.7:
        yield from ("regex_match:", r'  - "deployed to https?://.+"', r'  - "\\d+ modules?"')


def _prompt(rng: random.Random) -> Iterator[str]:
    yield "prompt: |"
    yield from (f"  {rng.choice(_SENTENCES)}" for _ in range(rng.randrange(5, 20)))


def _program(rng: random.Random) -> Iterator[str]:
    yield from (
        "command: python3",
        "args:",
        f"  - checks/{rng.choice(_WORDS)}.py",
        f"timeout: {rng.randrange(10, 90)}",
    )
