"""Test that generated graders, converted there and back, give the same verdicts on generated recordings."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.slow import first_quick
from waza_engine.convert.conversion import Conversion
from waza_engine.convert.to_vally import to_vally
from waza_engine.convert.to_waza import to_waza
from waza_engine.graders.base import GradingContext
from waza_engine.grading.grade import grade_run
from waza_engine.lib.yaml.scalars import plain
from waza_engine.model.trajectory import Session, SkillInvocation, ToolCall
from waza_engine.project.load_suite import load_suite
from waza_engine.project.reading import read_mapping

WORDS = ["deploy", "done", "Error", "rolled out", "a.b", "x-1"]
TOOLS = ["bash", "edit", "view", "web_fetch"]
SKILLS = ["deploy", "rollback"]
Make = Callable[[random.Random], dict[str, Any]]
Convert = Callable[..., Conversion]

VALLY_TOOLS = [*TOOLS, "^bash$", "(?i)BASH", "(?s)b.sh", "edit|view", "Bash", r"\w+_\w+"]


def some(chance: random.Random, of: list[str]) -> list[str]:
    return chance.sample(of, chance.randint(1, 2))


WAZA: list[Make] = [
    lambda it: {"type": "text", "config": {it.choice(["contains", "not_contains", "contains_cs", "not_contains_cs"]): some(it, WORDS)}},
    lambda it: {"type": "text", "config": {"regex_match": [it.choice([r"(?i)DONE", r"^deploy", r"\bout$", "[[:upper:]]", "(?m)^done$"])]}},
    lambda it: {"type": "behavior", "config": {"max_tool_calls": it.randint(1, 4), "required_tools": some(it, TOOLS)}},
    lambda it: {"type": "tool_calls", "config": {"forbidden_tools": some(it, TOOLS), "max_calls": it.randint(0, 4)}},
    lambda it: {"type": "tool_calls", "config": {"min_calls": it.randint(1, 3)}},
    lambda it: {"type": "tool_constraint", "config": {"expect_tools": [{"tool": f"^{it.choice(TOOLS)}$", "command_pattern": "git"}]}},
    lambda it: {"type": "tool_constraint", "config": {"allow_only": [{"tool": it.choice(TOOLS)}]}},
    lambda it: {"type": "action_sequence", "config": {"matching_mode": it.choice(["in_order_match", "any_order_match", "exact_match"]), "expected_actions": it.choices(TOOLS, k=3)}},
    lambda it: {"type": "skill_invocation", "config": {"required_skills": some(it, SKILLS), "mode": it.choice(["any_order", "in_order"])}},
]  # fmt: skip
VALLY: list[Make] = [
    lambda it: {"type": "tool-calls", "config": {it.choice(["required", "disallowed"]): some(it, VALLY_TOOLS)}},
    lambda it: {"type": "tool-calls", "config": {"required": [{"name": it.choice(VALLY_TOOLS), "command": it.choice(["^git", "GIT", "(?i)Push"])}]}},
    lambda it: {"type": "tool-calls", "config": {"required": [{"name": f"^{it.choice(TOOLS)}$", "min_count": 2}], "disallowed": some(it, ["^rm$", "web"])}},
    lambda it: {"type": "tool-calls", "config": {"sequence": [f"^{name}$" for name in some(it, TOOLS)]}},
    lambda it: {"type": "tool-call-count", "config": {"max": it.randint(0, 4)}},
    lambda it: {"type": it.choice(["output-contains", "output-not-contains"]), "config": {"substring": it.choice(WORDS)}},
    lambda it: {"type": it.choice(["output-matches", "output-not-matches"]), "config": {"pattern": it.choice(["^deploy", "(?i)DONE", r"a\.b"])}},
]  # fmt: skip


def recording(chance: random.Random) -> GradingContext:
    calls = [
        ToolCall(id=str(at), name=chance.choice(TOOLS), arguments={"command": "git push"}, success=True)
        for at in range(chance.randint(0, 4))
    ]
    session = Session(
        tool_call_count=len(calls), tools_used=sorted({it.name for it in calls}), tool_calls=calls
    )
    skills = [SkillInvocation(name=it) for it in chance.sample(SKILLS, chance.randint(0, 2))]
    return GradingContext(
        output=" ".join(chance.choices(WORDS, k=chance.randint(0, 4))),
        session=session,
        skills=skills,
        output_present=True,
    )


def suite_at(folder: Path, graders: list[dict[str, Any]]) -> Path:
    (folder / "tasks").mkdir(parents=True)
    config = {"trials_per_task": 1, "timeout_seconds": 9, "executor": "mock", "model": "m"}
    top = {"name": "n", "skill": "deploy", "config": config, "tasks": ["tasks/*.yaml"]}
    task = {"id": "t", "name": "T", "inputs": {"prompt": "Deploy."}, "graders": graders}
    (folder / "eval.yaml").write_text(yaml.safe_dump(top, sort_keys=False), encoding="utf-8")
    (folder / "tasks" / "t.yaml").write_text(yaml.safe_dump(task, sort_keys=False), encoding="utf-8")
    return folder / "eval.yaml"


def vally_suite_at(folder: Path, graders: list[dict[str, Any]]) -> Path:
    folder.mkdir()
    top = {"name": "n", "stimuli": [{"name": "s", "prompt": "Deploy.", "graders": graders}]}
    (folder / "eval.yaml").write_text(yaml.safe_dump(top, sort_keys=False), encoding="utf-8")
    return folder / "eval.yaml"


def converted_twice(first: Path, folder: Path, there: Convert, back: Convert) -> Path:
    """The eval as it comes back."""
    for name, convert, source in (
        ("there", there, first),
        ("back", back, folder / "there" / "eval.yaml"),
    ):
        for file, text in convert(source, folder / name, process_dir=folder).files.items():
            path = folder / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return folder / "back" / "eval.yaml"


def passes(path: Path, context: GradingContext) -> bool:
    suite = load_suite(path, process_dir=path.parent)
    assert suite.tasks[0].graders
    graders = suite.tasks[0].graders
    verdict = grade_run(suite.graders, graders, {}, context, graders[0].dialect)
    assert verdict.status != "error", verdict
    return verdict.status == "passed"


@pytest.mark.parametrize("seed", first_quick(range(40), 5))
def test_there_and_back(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)  # noqa: S311  # which suites are made is no secret
    # Of several with one name waza takes the last.
    graders = [
        {"name": chance.choice(["g", "h", "g 1", ""]), **chance.choice(WAZA)(chance)}
        for _ in range(chance.randint(1, 4))
    ]
    first = suite_at(tmp_path / "first", graders)
    back = converted_twice(first, tmp_path, to_vally, to_waza)
    assert plain(read_mapping(back))["name"] == "n"
    for _ in range(12):
        context = recording(chance)
        assert passes(back, context) is passes(first, context), (graders, context)


@pytest.mark.parametrize("seed", first_quick(range(40), 5))
def test_there_and_back_from_vally(seed: int, tmp_path: Path) -> None:
    chance = random.Random(seed)  # noqa: S311  # which suites are made is no secret
    graders = [chance.choice(VALLY)(chance) for _ in range(chance.randint(1, 3))]
    first = vally_suite_at(tmp_path / "first", graders)
    back = converted_twice(first, tmp_path, to_waza, to_vally)
    assert len(load_suite(back, process_dir=tmp_path).tasks[0].graders) >= len(graders)
    for _ in range(12):
        context = recording(chance)
        assert passes(back, context) is passes(first, context), (graders, context)
