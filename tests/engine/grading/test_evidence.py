"""The evidence of failed checks in both dialects: what was wanted, what was found, where, and the common cause."""

import sys
from pathlib import Path
from typing import Any

import pytest

from waza_engine.graders.base import FailedCheck, GradingContext
from waza_engine.graders.result import GraderVerdict
from waza_engine.grading.grade import grade_entry
from waza_engine.model.results.evidence import Place
from waza_engine.model.trajectory import Session, ToolCall, ToolEvent, Usage

OUTPUT = "First line.\nDeployed the app to west-1.\n"
CALLS = [
    ("c1", "view", {"path": "a.py"}),
    ("c2", "bash", {"command": "npm run tests"}),
    ("c3", "bash", {"command": "ls"}),
]
SESSION = Session(
    tool_call_count=3,
    tools_used=[it for _, it, _ in CALLS],
    tool_calls=[ToolCall(id=key, name=name, arguments=args, success=True) for key, name, args in CALLS],
    usage=Usage(input_tokens=900, output_tokens=200),
)
EVENTS = [ToolEvent(tool_call_id=key, tool_name=name, args=args) for key, name, args in CALLS]
TRANSCRIPT = [
    {
        "type": "tool.execution_start",
        "tool_call_id": key,
        "tool_name": name,
        "arguments": args,
    }
    for key, name, args in CALLS
] + [{"type": "tool.execution_complete", "tool_call_id": key, "success": True} for key, *_ in CALLS]


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    (tmp_path / "docs").mkdir()
    (tmp_path / "docs" / "Readme.md").write_text("# Title\ninstall it\n", encoding="utf-8")
    return tmp_path


def failed(
    kind: str,
    config: dict[str, Any],
    dialect: str = "",
    *,
    workspace: Path | None = None,
    output: str = OUTPUT,
) -> list[FailedCheck]:
    context = GradingContext(
        output=output,
        session=SESSION,
        tool_events=EVENTS,
        transcript=TRANSCRIPT,
        workspace_dir=workspace,
        process_dir=workspace or Path(),
    )
    verdict = grade_entry({"type": kind, "name": "one", "config": config}, context, dialect)
    assert isinstance(verdict, GraderVerdict), verdict
    assert not verdict.result.passed
    return list(verdict.result.parts)


@pytest.mark.parametrize(
    ("dialect", "kind", "config", "wanted", "found", "place"),
    [
        ("", "text", {"contains": ["deployed the web app"]}, "contains: deployed the web app",
         "line 2: 'Deployed the app to west-1.'", "line 2 of the output"),
        ("", "text", {"regex_not_match": [r"west-\d"]}, r"regex_not_match: west-\d",
         "line 2: 'Deployed the app to west-1.'", "line 2 of the output"),
        ("", "behavior", {"max_tool_calls": 2}, "max_tool_calls: 2", "used: view, bash (2 times)", "None"),
        ("", "behavior", {"max_tokens": 1000}, "max_tokens: 1000", "900 in, 200 out", "None"),
        ("", "behavior", {"forbidden_tools": ["bash"]}, "forbidden_tools: bash",
         """call 2: 'bash {"command": "npm run tests"}' and 1 more""", "call 2"),
        ("", "tool_calls", {"required_tools": ["Bash"]}, "required_tools: Bash",
         """closest: call 2, 'bash {"command": "npm run tests"}'""", "call 2"),
        ("", "tool_calls", {"expect": [{"tool": "bash", "args": {"command": {"contains": "run test "}}}]},
         'expect: {"tool": "bash", "args": {"command": {"contains": "run test "}}}',
         """closest: call 2, 'bash {"command": "npm run tests"}'""", "call 2"),
        ("", "tool_constraint", {"expect_tools": [{"tool": "^edit$"}]}, 'expect_tools: {"tool": "^edit$"}',
         "used: view, bash (2 times)", "the list of tool calls"),
        ("", "json_schema", {"schema": {"type": "object"}}, "valid JSON", "starts with:", "the output"),
        ("", "program", {"command": sys.executable, "args": ["-c", "import sys; sys.exit('no tests')"]},
         "exit status 0", "it ends: 'no tests'", "line 1 of the stderr"),
        ("", "file", {"must_exist": ["docs/README.md"]}, "must_exist: docs/README.md",
         "the workspace has 'docs/Readme.md'", "the file docs/README.md"),
        ("", "file", {"content_patterns": [{"path": "docs/Readme.md", "must_match": ["to install"]}]},
         "must_match: to install", "line 2: 'install it'", "docs/Readme.md:2"),
        ("", "code", {"assertions": ["len(output.split()) <= 3 and output != ''"]},
         "assertions: len(output.split()) <= 3 and output != ''", "len(output.split()) is 7", "None"),
        ("", "code", {"assertions": ["'deployed the web' in output.lower()"]},
         "assertions: 'deployed the web' in output.lower()", "line 2: 'Deployed the app to west-1.'",
         "line 2 of the output"),
        ("", "code", {"assertions": ["(n := len(tool_calls)) or True", "n > 3", "any([])"][1:2]},
         "assertions: n > 3", "it raises:", "None"),
        ("vally", "output-contains", {"substring": "web app"}, "substring: web app",
         "line 2: 'Deployed the app to west-1.'", "line 2 of the output"),
        ("vally", "output-not-matches", {"pattern": "west"}, "no match: west",
         "line 2: 'Deployed the app to west-1.'", "line 2 of the output"),
        ("vally", "file-contains", {"path": "docs/*.md", "value": "to install"},
         "file: docs/*.md contains 'to install'", "line 2: 'install it'", "docs/Readme.md:2"),
        ("vally", "file-exists", {"path": "docs/README.md"}, "path: docs/README.md",
         "the workspace has 'docs/Readme.md'", "the file docs/README.md"),
        ("vally", "tool-calls", {"required": [{"name": "bash", "command": "npm test"}]},
         'required: {"name": "bash", "command": "npm test"}',
         """closest: call 2, 'bash {"command": "npm run tests"}'""", "call 2"),
        ("vally", "tool-calls", {"disallowed": ["view"]}, "disallowed: view",
         """call 1: 'view {"path": "a.py"}'""", "call 1"),
        ("vally", "run-command",
         {"command": sys.executable, "args": ["-c", "import sys; sys.exit('no tests')"]},
         "exit status 0", "it ends: 'no tests'", "line 1 of the stderr"),
    ],
)  # fmt: skip
def test_a_failed_check_says_what_it_wanted_and_found(
    workspace: Path,
    dialect: str,
    kind: str,
    config: dict[str, Any],
    *,
    wanted: str,
    found: str,
    place: str,
) -> None:
    [part] = failed(kind, config, dialect, workspace=workspace)
    assert part.wanted == wanted
    assert part.found.startswith(found)
    assert str(part.place) == place


@pytest.mark.parametrize(
    ("output", "config", "found", "line"),
    [
        ('{\n  "a": 1,\n}\n', {}, "line 3: '}'", 3),
        ('{"a": ', {}, "the text ends: line 1: '{\"a\":'", 1),
        ('{"a": NaN}', {}, "line 1: '{\"a\": NaN}'", 1),
        ('Here:\n```json\n{"a": 1,}\n```\n', {"extract_json": True}, "line 3: '{\"a\": 1,}'", 3),
        ("No JSON at all", {}, "starts with: 'No JSON at all'", 0),
        ('{\n"a": {"b": "x"}}', {"schema": {"properties": {"a": {"properties": {"b": {"type": "number"}}}}}},
         'the value is "x", line 2', 2),
        ('{"a": []}', {"schema": {"required": ["b"]}}, 'the value is {"a": []}', 0),
    ],
)  # fmt: skip
def test_json_that_does_not_fit_is_shown_where_it_breaks(
    output: str, config: dict[str, Any], found: str, line: int
) -> None:
    [part] = failed("json_schema", {"schema": {}, **config}, output=output)
    assert part.found.startswith(found)
    assert (part.place or Place()).line == line


def test_checks_that_fail_for_one_reason_share_its_cause(workspace: Path) -> None:
    missing = {"path": "docs/page.md", "must_match": ["a", "b"], "must_not_match": ["c"]}
    config = {"must_exist": ["docs/page.md"], "content_patterns": [missing]}
    assert {it.cause for it in failed("file", config, workspace=workspace)} == {
        '"docs/page.md" does not exist'
    }
    empty = failed("text", {"contains": ["a"], "regex_match": ["b"]}, output=" \n")
    assert {it.cause for it in empty} == {"the output is empty"}
    assert {it.cause for it in failed("text", {"contains": ["a"], "regex_match": ["b"]})} == {""}


def test_a_snapshot_shows_its_first_difference(workspace: Path) -> None:
    (workspace / "wanted.md").write_text("# Title\ninstall  it\n", encoding="utf-8")
    entry = {"path": "docs/Readme.md", "snapshot": "wanted.md"}
    [part] = failed("diff", {"expected_files": [entry]}, workspace=workspace)
    assert part.found == "line 2: 'install it' instead of 'install  it'"
    assert part.place == Place("file", 2, "docs/Readme.md")
