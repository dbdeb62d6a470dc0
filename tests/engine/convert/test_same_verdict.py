"""Test that generated graders and their conversions pass the same generated recordings."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.slow import first_quick
from waza_engine.convert.conversion import NotConvertibleError
from waza_engine.convert.graders.entries import grader_entry, load_grader
from waza_engine.convert.graders.to_vally import as_vally
from waza_engine.convert.graders.to_waza import as_waza, required_file
from waza_engine.graders.base import Grader, GradingContext
from waza_engine.graders.result import GraderVerdict
from waza_engine.grading.grade import grade_entry
from waza_engine.model.suite import GraderEntry
from waza_engine.model.trajectory import Session, SkillInvocation, ToolCall, Usage

Config = dict[str, Any]
CODE = {
    "completed",
    "exit-success",
    "error-count",
    "transcript-contains",
    "transcript-not-contains",
    "metric-threshold",
}
"""Types that become assertions, which start a process."""
Make = Callable[[random.Random], tuple[str, Config]]

WORDS = ["deploy", "Done", "error", "rolled out", "a.b", "", "x-1", "Größe", "[x]"]
TEXTS = [
    "",
    " ",
    "Done",
    "deploy done\nrolled out",
    "ERROR: a.b\n",
    "aXb\nno error",
    "größe x-1 [x]",
    "deploy\r\ndone",
]
TOOLS = ["bash", "Bash", "rm", "RM", "edit", "mcp:web.fetch"]
SKILLS = ["deploy", "rollback", "prep"]
COMMANDS = ["git push", "GIT status", "rm -rf /", "", None]
PATHS = [
    "a.txt",
    "src",
    "src/",
    "./src/b.py",
    "c++.txt",
    "x{1}.md",
    ".env",
    "Makefile",
    "gone",
    "gone.txt",
    "src/../a.txt",
    "!no.md",
]
NAMES = [
    "bash",
    "^bash$",
    "Bash",
    "(?i)bash",
    "rm|edit",
    "^(rm|RM)$",
    ".",
    "web.fetch",
    "(?s)b.sh",
    "^RM$",
    "[[:upper:]]",
    r"\w+",
]
PATTERNS = [
    *("a.b", "(?i)done", "^deploy", "(?m)^done$", r"\bout$", "[[:upper:]]", "[[:^alpha:]]", "[]x]", "[^]x]", r"\Aa", r"out\z"),
    *(r"\x{58}", r"\QaXb\E", "(?=a)", "(?P<n>r)or", "(?i:DONE)", "(?s)done.rolled", "[^\\n]+$", "", "x*", r"\pL", r"\d{1}", "[", r"\141"),
    *(r"a\Z", "(?U)a+", "a{,2}", r"[\w-]+ \[", "(?im)^error", "a|(?i)DONE", "(?<n>b)", "[a&&b]", r"\/|x", "x|$^"),
]  # fmt: skip


def some(chance: random.Random, of: list[str]) -> list[str]:
    return chance.choices(of, k=chance.randint(1, 2))


def spec(chance: random.Random) -> Config:
    option = chance.choice(["command_pattern", "path_pattern", "skill_pattern"])
    pattern = chance.choice(["GIT", "git", "^$", "git|$", r"(?i)rm\s", "(?m)^rm", "a.txt", "deploy"])
    return {"tool": chance.choice([*NAMES, " bash "])} | ({option: pattern} if chance.random() < 0.6 else {})


def tool(chance: random.Random, option: str) -> Any:
    more: Config = {
        "command": chance.choice(["git", "(?i)GIT", "^$", "push$"]),
        "args": {"skill": chance.choice(["^deploy$", "(?i)DEPLOY"])},
        "result": "ok",
    } | ({"min_count": 2} if option == "required" else {})
    name = chance.choice([*NAMES, "(?-i)x", "[[]"])
    keys = chance.sample(list(more), chance.randint(0, 1))
    return {"name": name, **{it: more[it] for it in keys}} if keys else name


def content(chance: random.Random) -> Config:
    lists = chance.sample(["must_match", "must_not_match"], chance.randint(0, 2))
    return {"path": chance.choice(PATHS), **{it: some(chance, PATTERNS) for it in lists}}


WAZA: list[Make] = [
    lambda it: ("text", {key: some(it, WORDS) for key in it.sample(["contains", "not_contains", "contains_cs", "not_contains_cs"], 2)}),
    lambda it: ("text", {it.choice(["regex_match", "regex_not_match"]): some(it, PATTERNS)}),
    lambda it: ("file", {it.choice(["must_exist", "must_not_exist"]): some(it, PATHS)}),
    lambda it: ("file", {"content_patterns": [content(it)]}),
    lambda it: ("diff", {"expected_files": [{"path": it.choice(PATHS), "contains": some(it, ["+deploy", "-Done", "+ a", "x", "++", ""])}]}),
    lambda it: ("behavior", {"max_tool_calls": it.randint(-1, 3), "max_tokens": it.choice([0, 5]), "required_tools": some(it, TOOLS)}),
    lambda it: ("behavior", {"forbidden_tools": some(it, TOOLS), "max_duration_ms": it.choice([0, 100, 2000])}),
    lambda it: ("tool_calls", {"forbidden_tools": some(it, TOOLS), "max_calls": it.randint(0, 3)}),
    lambda it: ("tool_calls", {"required_tools": some(it, TOOLS), "min_calls": it.randint(0, 3)}),
    lambda it: ("tool_constraint", {key: [spec(it)] for key in it.sample(["expect_tools", "reject_tools"], it.randint(1, 2))}),
    lambda it: ("action_sequence", {"matching_mode": it.choice(["in_order_match", "any_order_match", "exact_match"]), "expected_actions": some(it, TOOLS)}),
    lambda it: ("skill_invocation", {"required_skills": some(it, SKILLS), "forbidden_skills": some(it, SKILLS), "mode": it.choice(["any_order", "in_order"])}),
    lambda it: ("skill_invocation", {"forbidden_skills": some(it, SKILLS)}),
]  # fmt: skip
VALLY: list[Make] = [
    lambda it: (it.choice(["output-contains", "output-not-contains"]), {"substring": it.choice(WORDS), "case_sensitive": it.choice([True, False])}),
    lambda it: (it.choice(["output-matches", "output-not-matches"]), {"pattern": it.choice(PATTERNS)}),
    lambda it: (it.choice(["file-exists", "file-not-exists"]), {"path": it.choice(["a.txt", "gone.txt", "src/b.py", "./a.txt", "c++.txt", "*.txt", "./**", "src/**", "gone/**"])}),
    lambda it: (it.choice(["file-contains", "file-not-contains"]), {"path": it.choice(["a.txt", "gone.txt"]), "value": it.choice([*WORDS, "a$"])}),
    lambda it: (it.choice(["file-matches", "file-not-matches"]), {"path": it.choice(["a.txt", "gone.txt"]), "pattern": it.choice(PATTERNS)}),
    lambda it: (it.choice(["completed", "exit-success"]), {}),
    lambda it: ("error-count", {"max": it.randint(0, 1)}),
    lambda it: (it.choice(["transcript-contains", "transcript-not-contains"]), {"substring": it.choice([*WORDS[:5], "it's"]), "case_sensitive": it.random() < 0.5}),
    lambda it: ("metric-threshold", it.choice([{"metric": "error-count", "max": 0}, {"metric": "tool-call-count", "max": 2}, {"metric": "wall-time", "max": "1s"}, {"metric": "token-budget", "max": 5}])),
    lambda it: ("token-budget", {"max": it.choice([0, 3, 9])}),
    lambda it: ("tool-call-count", {"max": it.randint(0, 3)} | it.choice([{}, {"tools": ["bash"]}])),
    lambda it: ("wall-time", {"max": it.choice(["0s", "50ms", "1s", "1m"])}),
    lambda it: ("tool-calls", {key: [tool(it, key)] for key in it.sample(["required", "disallowed"], it.randint(1, 2))}),
    lambda it: ("tool-calls", {"sequence": [f"^{name}$" for name in some(it, ["bash", "rm", "edit"])]}),
    lambda it: ("tool-calls", {"required": some(it, NAMES), "parallel": ["bash", "rm"]}),
    lambda it: ("tool-calls", {"required": [{"name": ".", "min_count": it.randint(1, 3)}]}),
    lambda it: ("skill-invocation", {it.choice(["required", "disallowed"]): some(it, SKILLS)}),
]  # fmt: skip


def recording(chance: random.Random, workspace: Path) -> GradingContext:
    calls: list[ToolCall] = []
    for at in range(chance.randint(0, 3)):
        given = {
            "command": chance.choice(COMMANDS),
            "path": chance.choice([None, "A.txt"]),
            "skill": chance.choice([None, "deploy"]),
        }
        arguments = {key: it for key, it in given.items() if it is not None}
        calls.append(ToolCall(id=str(at), name=chance.choice(TOOLS), arguments=arguments, success=True))
    # waza counts tokens that were not recorded as 0; in vally such a budget is undecided.
    spent = Usage(input_tokens=2, output_tokens=chance.randint(0, 9))
    session = Session(
        tool_call_count=len(calls), tools_used=[it.name for it in calls], tool_calls=calls, usage=spent
    )
    events = ["assistant.turn_start", "assistant.turn_end", "session.error"]
    output = chance.choice(TEXTS)
    return GradingContext(
        output=output,
        transcript=[
            {"type": "assistant.message", "content": output},
            *({"type": it, "message": "no"} for it in chance.sample(events, chance.randint(0, 2))),
        ],
        session=session,
        skills=[SkillInvocation(name=it) for it in chance.choices(SKILLS, k=chance.randint(0, 3))],
        duration_ms=chance.choice([50, 1000, 5000]),
        output_present=True,
        workspace_dir=workspace,
        process_dir=workspace,
    )


@pytest.fixture(scope="module")
def workspaces(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    full, other = tmp_path_factory.mktemp("full"), tmp_path_factory.mktemp("other")
    for folder, names in (
        (full, ("a.txt", "src/b.py", "c++.txt", "x{1}.md", ".env", "Makefile", "!no.md")),
        (other, ("a.txt", "Makefile/x")),
    ):
        for at, name in enumerate(names):
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(TEXTS[2 + at % 6], encoding="utf-8", newline="")
    return [full, other]


def grader_of(kind: str, config: Config, dialect: str) -> Grader:
    entry = GraderEntry(type=kind, name="g", weight=1.0, config=config, extras={}, dialect=dialect)
    return load_grader(entry)


def passes(made: list[Grader], dialect: str, context: GradingContext) -> bool | None:
    """Whether all pass, read again from what is written; None when there is no verdict."""
    verdicts: list[bool] = []
    for it in made:
        entry = GraderEntry(
            type=it.type_name,
            name="g",
            weight=1.0,
            config=grader_entry(it, "g").get("config"),
            extras={},
            dialect=dialect,
        )
        verdict = grade_entry(entry, context, entry.dialect, "task")
        if not isinstance(verdict, GraderVerdict):
            return None
        verdicts.append(verdict.result.passed)
    return all(verdicts)


@pytest.mark.parametrize("make", first_quick(range(len(WAZA)), 5))
def test_from_waza(make: int, workspaces: list[Path]) -> None:
    chance = random.Random(make)  # noqa: S311  # which graders are made is no secret
    for _ in range(30):
        kind, config = WAZA[make](chance)
        grader = grader_of(kind, config, "waza")
        try:
            made = [it.grader for it in as_vally(grader)]
        except NotConvertibleError:
            continue
        for _ in range(6):
            context = recording(chance, chance.choice(workspaces))
            before = passes([grader], "waza", context)
            assert before is None or passes(made, "vally", context) is before, (kind, config, made, context)


@pytest.mark.parametrize("make", first_quick(range(len(VALLY)), 5))
def test_from_vally(make: int, workspaces: list[Path]) -> None:
    chance = random.Random(make)  # noqa: S311  # which graders are made is no secret
    for _ in range(30 if VALLY[make](chance)[0] not in CODE else 4):
        kind, config = VALLY[make](chance)
        grader = grader_of(kind, config, "vally")
        others = [grader_of("file-exists", {"path": chance.choice(["a.txt", "gone.txt"])}, "vally")]
        required = [it for other in others if (it := required_file(other))]
        try:
            made = [*as_waza(grader, required), *(it for other in others for it in as_waza(other))]
        except NotConvertibleError:
            continue
        for _ in range(6):
            context = recording(chance, chance.choice(workspaces))
            before = passes([grader, *others], "vally", context)
            assert before is None or passes(made, "waza", context) is before, (kind, config, made, context)


def test_case_counts_as_it_does_on_the_other_side() -> None:
    waza = grader_of("tool_constraint", {"reject_tools": [{"tool": "rm"}, {"tool": "(?m)^x"}]}, "waza")
    [part] = as_vally(waza)
    config = grader_entry(part.grader, "g")["config"]
    assert config == {"disallowed": [{"name": "(?i)rm"}, {"name": "(?im)^x"}]}
    back = as_waza(grader_of("tool-calls", config, "vally"))
    assert [grader_entry(it, "g")["config"] for it in back] == [
        {"reject_tools": [{"tool": "rm"}, {"tool": "(?m)^x"}]}
    ]
    [other] = as_waza(grader_of("tool-calls", {"disallowed": ["^Rm$", "a|B"]}, "vally"))
    assert grader_entry(other, "g")["config"] == {
        "reject_tools": [{"tool": "(?-i:^Rm$)"}, {"tool": "(?-i:a|B)"}]
    }


def test_a_check_of_a_file_that_may_be_missing_is_said_only_beside_one_that_wants_the_file() -> None:
    grader = grader_of("file-not-contains", {"path": "./a.txt", "value": "x"}, "vally")
    with pytest.raises(NotConvertibleError, match="passes when the file is missing"):
        as_waza(grader)
    required = required_file(grader_of("file-matches", {"path": "a.txt", "pattern": "y"}, "vally"))
    assert required == "a.txt"
    assert len(as_waza(grader, [required])) == 1


@pytest.mark.parametrize("config", [{"required": ["a"], "parallel": ["b"]}, {"parallel": ["b"]}])
def test_calls_of_one_message_cannot_be_converted(config: Config) -> None:
    with pytest.raises(NotConvertibleError):
        as_waza(grader_of("tool-calls", config, "vally"))
