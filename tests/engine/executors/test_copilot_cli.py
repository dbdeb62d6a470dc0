"""What the Copilot CLI is started with."""

import pytest

from waza_engine.executors.copilot_cli import cli_environment

OWN = {"COPILOT_PROVIDER_BASE_URL": "http://localhost:1"}


@pytest.mark.parametrize(
    ("environment", "model", "named"),
    [
        (OWN, "gpt-5", "gpt-5"),
        ({**OWN, "COPILOT_MODEL": "mine"}, "gpt-5", "mine"),
        (OWN, "", None),
        ({}, "gpt-5", None),
    ],
)
def test_an_own_endpoint_gets_the_model_of_the_eval(
    environment: dict[str, str], model: str, named: str | None
) -> None:
    assert cli_environment(environment, model).get("COPILOT_MODEL") == named
