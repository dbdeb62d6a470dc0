"""Endpoints of single judges: from the project, from the eval, from Azure's variables; where keys may go."""

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from tests.faults.endpoint import endpoint, refusal, submit, vote
from waza_engine.judges.openai import Endpoint, OpenAIJudge, azure_base_url
from waza_engine.judges.providers import ProviderError, RoutedJudge, provider_judge
from waza_engine.judges.scripted import ScriptedJudge
from waza_engine.model.judge import JudgeMissing, JudgeRequest
from waza_engine.project.settings import read_project
from waza_lsp.cli import main

SOME = "https://models.example.com/v1"
KEYS = {"OPENAI_API_KEY": "user", "WAZA_LSP_JUDGE_KEY": "meant for judges"}


def endpoint_of(data: Any, environment: dict[str, str] | None = None) -> Endpoint:
    judge = provider_judge(data, "judge_provider", KEYS if environment is None else environment, "m")
    assert isinstance(judge, OpenAIJudge)
    return judge.endpoint


@pytest.mark.parametrize(
    ("data", "base_url", "key"),
    [
        ({"baseUrl": SOME}, SOME, ""),
        ({"base_url": SOME, "api_key_env": "WAZA_LSP_JUDGE_KEY"}, SOME, KEYS["WAZA_LSP_JUDGE_KEY"]),
        (
            {"type": "openai", "baseUrl": "https://api.openai.com/v1", "apiKeyEnv": "OPENAI_API_KEY"},
            "https://api.openai.com/v1",
            "user",
        ),
        (
            {"type": "azure", "baseUrl": "https://a.openai.azure.com", "apiVersion": "2025-01-01"},
            "https://a.openai.azure.com/openai/deployments/{model}?api-version=2025-01-01",
            "",
        ),
        (
            {"type": "azure", "baseUrl": "https://a.openai.azure.com/", "azure": {"apiVersion": "v"}},
            "https://a.openai.azure.com/openai/deployments/{model}?api-version=v",
            "",
        ),
    ],
)
def test_an_endpoint(data: dict[str, Any], base_url: str, key: str) -> None:
    found = endpoint_of(data)
    assert (found.base_url, found.api_key) == (base_url, key)
    assert found.is_azure is (data.get("type") == "azure")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("https://x", "must be a mapping"),
        ({}, "is not an http or https address"),
        ({"baseUrl": "file:///etc/passwd"}, "is not an http or https address"),
        ({"baseUrl": 5}, "'baseUrl' must be a text"),
        ({"baseUrl": SOME, "type": "anthropic"}, "does not speak the protocol of 'anthropic'"),
        ({"baseUrl": SOME, "apiKeyEnv": "NOT_SET"}, "NOT_SET is not set"),
        ({"baseUrl": SOME, "apiKeyEnv": "OPENAI_API_KEY"}, "is not sent to models.example.com"),
        (
            {"baseUrl": "http://127.0.0.1:9/v1", "apiKeyEnv": "OPENAI_API_KEY"},
            "is not sent to 127.0.0.1",
        ),
        (
            {"baseUrl": "http://api.openai.com/v1", "apiKeyEnv": "OPENAI_API_KEY"},
            "is not sent to api.openai.com",
        ),
        (
            {"baseUrl": "https://api.openai.com@evil.example/v1", "apiKeyEnv": "OPENAI_API_KEY"},
            "is not sent to evil.example",
        ),
    ],
)
def test_what_is_refused(data: Any, message: str) -> None:
    with pytest.raises(ProviderError, match=message):
        endpoint_of(data)


@pytest.mark.parametrize(
    "more",
    [
        {"WAZA_LSP_JUDGE_HOSTS": "other.example, *.example.com"},
        {"OPENAI_BASE_URL": "https://models.example.com/v2"},
        {"AZURE_OPENAI_ENDPOINT": "https://models.example.com"},
    ],
)
def test_the_user_says_where_a_key_may_go(more: dict[str, str]) -> None:
    data = {"baseUrl": SOME, "apiKeyEnv": "OPENAI_API_KEY"}
    assert endpoint_of(data, {**KEYS, **more}).api_key == "user"


def test_the_model_decides_who_is_asked() -> None:
    first, second = ScriptedJudge([]), ScriptedJudge([])
    judge = RoutedJudge((("gpt-*", first), ("m", second)), None, "m")
    assert judge._judge("gpt-5") is first
    assert judge._judge("") is second
    with pytest.raises(JudgeMissing):
        judge.turn(JudgeRequest("?", model="claude"))


def test_azure_is_asked_at_the_deployment_with_the_version() -> None:
    with endpoint(lambda _: vote()) as here:
        root = here.base_url.removesuffix("/v1")
        environment = {"AZURE_OPENAI_ENDPOINT": root, "AZURE_OPENAI_API_KEY": "k", "OPENAI_API_VERSION": "v9"}
        OpenAIJudge.from_environment(environment).turn(JudgeRequest("?", model="my gpt"))
    assert set(here.paths) == {"/openai/deployments/my%20gpt/chat/completions?api-version=v9"}
    assert here.headers[0]["api-key"] == "k"
    assert "authorization" not in here.headers[0]
    assert azure_base_url("https://a/openai/deployments/x", "1") == (
        "https://a/openai/deployments/x?api-version=1"
    )
    assert azure_base_url("https://a/openai/v1", "") == "https://a/openai/v1"


TASK = "id: one\nname: one\ninputs: {prompt: go}\n"
WAZA = """\
name: e
skill: s
version: "1.0"
config: {executor: mock, model: m, trials_per_task: 1, timeout_seconds: 30}
metrics: [{name: task_completion, weight: 1, threshold: 0}]
graders:
  - {type: prompt, name: first, config: {prompt: Right?, model: small-1}}
  - {type: prompt, name: second, config: {prompt: Right?, model: large-1}}
tasks: ["tasks/*.yaml"]
"""


def test_a_project_has_a_judge_for_each_model(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tasks").mkdir()
    Path("tasks/one.yaml").write_text(TASK)
    Path("eval.yaml").write_text(WAZA)
    with endpoint(lambda _: vote()) as small, endpoint(lambda _: vote()) as other:
        monkeypatch.setenv("OPENAI_BASE_URL", other.base_url)
        monkeypatch.setenv("OPENAI_API_KEY", "usual")
        monkeypatch.setenv("WAZA_LSP_JUDGE_SMALL", "own")
        Path(".waza-lsp.toml").write_text(
            f'[waza.judges."small-*"]\nbaseUrl = "{small.base_url}"\napiKeyEnv = "WAZA_LSP_JUDGE_SMALL"\n'
        )
        result = CliRunner().invoke(main, ["run", "eval.yaml"])
        assert result.exit_code == 0, result.output
        assert {it["model"] for it in small.requests} == {"small-1"}
        assert {it["model"] for it in other.requests} == {"large-1"}
        assert {it["authorization"] for it in small.headers} == {"Bearer own"}
        assert {it["authorization"] for it in other.headers} == {"Bearer usual"}
        # One judge's outage concerns only its grader.
        small.answer = lambda _: refusal(401)
        assert CliRunner().invoke(main, ["run", "eval.yaml"]).exit_code == 3
        Path(".waza-lsp.toml").write_text('[waza.judges."small-*"]\nbaseUrl = "nowhere"\n')
        broken = CliRunner().invoke(main, ["run", "eval.yaml"])
        assert (broken.exit_code, "waza.judges.'small-*'" in broken.output) == (2, True)


def test_an_eval_names_its_judge(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENAI_BASE_URL", raising=False)
    with endpoint(lambda _: submit()) as here:
        provider = json.dumps({"type": "openai", "baseUrl": here.base_url})
        Path("eval.yaml").write_text(
            f"name: e\ntype: capability\ndefaults: {{executor: mock, judge_provider: {provider}}}\n"
            "stimuli: [{name: one, prompt: go, graders: [{type: prompt, config: {prompt: Right?}}]}]\n"
        )
        result = CliRunner().invoke(main, ["run", "eval.yaml"])
    assert result.exit_code == 0, result.output
    assert here.requests
    assert "authorization" not in here.headers[0]


def test_a_table_that_is_none_is_reported(tmp_path: Path) -> None:
    path = tmp_path / ".waza-lsp.toml"
    path.write_text('[waza]\njudges = "gpt"\n')
    found = read_project(path)
    assert found is not None
    assert "must have a table for each model" in found.problems[0].message
