"""Tokens and cost of agents and judges in every report."""

import json
import shlex
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from tests.faults.endpoint import Answer, endpoint, submit, vote
from waza_engine.model.results.consumption import Consumption, added_usage, consumption_text
from waza_lsp.cli import main

EVAL = """\
name: e
skill: s
version: "1.0"
config: {executor: command, model: m, trials_per_task: 2, timeout_seconds: 30}
metrics: [{name: task_completion, weight: 1, threshold: 0}]
graders: [{type: prompt, name: judged, config: {prompt: Right?, model: m}}]
tasks: ["tasks/*.yaml"]
"""
VALLY = """\
name: e
type: capability
defaults: {executor: command, runs: 2}
stimuli:
  - {name: one, prompt: go, graders: [{type: panel, config: {prompt: Right?, models: [a, b]}}]}
"""
EVENTS = [
    {"type": "assistant.message", "data": {"content": "hello"}},
    {"type": "assistant.usage", "data": {"inputTokens": 600, "outputTokens": 5}},
]


def priced(answer: Answer) -> Answer:
    status, data, headers = answer
    return status, {**data, "usage": {"prompt_tokens": 100, "completion_tokens": 10, "cost": 0.25}}, headers


@pytest.mark.parametrize("dialect", ["waza", "vally"])
def test_every_report_has_the_totals(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, dialect: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tasks").mkdir()
    Path("tasks/one.yaml").write_text("id: one\nname: one\ninputs: {prompt: go}\n")
    Path("eval.yaml").write_text(EVAL if dialect == "waza" else VALLY)
    lines = "\n".join(json.dumps(it) for it in EVENTS)
    agent = shlex.join([sys.executable, "-c", f"print({lines!r})"])
    # Two trials with one judge, or two: each is asked once, and its calls are answered once more at most.
    count = 2 if dialect == "waza" else 4
    reports = ("--junit", "j.xml", "--output", "r.json", "--github", "g.md", "--html", "p.html")
    with endpoint(lambda _: priced(vote() if dialect == "waza" else submit())) as here:
        monkeypatch.setenv("OPENAI_BASE_URL", here.base_url)
        command = ("--agent-command", agent, "--agent-format", "copilot-jsonl")
        result = CliRunner().invoke(main, ["run", "eval.yaml", *command, *reports])
    assert result.exit_code == 0, result.output
    line = f"agent: 1,200 tokens in, 10 out; judges: {100 * count} tokens in, {10 * count} out, cost {0.25 * count:g}"
    assert line in result.stdout
    assert line in Path("p.html").read_text()
    assert f"judges: {100 * count} tokens in" in Path("g.md").read_text().replace("\\", "")
    used = json.loads(Path("r.json").read_text())["summary"]
    assert used["usage"]["input_tokens"] == 1200
    assert (used["judge_usage"]["input_tokens"], used["judge_usage"]["cost"]) == (100 * count, 0.25 * count)
    junit = Path("j.xml").read_text()
    assert f'name="judge_input_tokens" value="{100 * count}"' in junit
    assert 'name="agent_output_tokens" value="10"' in junit
    assert line in CliRunner().invoke(main, ["report", "last"]).stdout
    assert line in CliRunner().invoke(main, ["report", "r.json"]).stdout


def test_unknown_consumption_is_not_shown() -> None:
    assert consumption_text(Consumption(judge_requests=3)) == ""
    assert consumption_text(Consumption(premium_requests=1.5)) == "agent: 1.5 premium requests"


def test_usages_add_up() -> None:
    usages = [{"model": "a", "input_tokens": 1}, {"model": "b", "input_tokens": 2, "cost": 0.5}]
    assert added_usage(usages) == {"model": "a", "input_tokens": 3, "cost": 0.5}
    assert added_usage([]) == {}
