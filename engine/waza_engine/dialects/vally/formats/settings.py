"""The `defaults` of an eval spec (formerly `config`): how the stimuli are run.

See docs/reference/vally.md, section 2.
"""

from typing import Annotated

from pydantic import BeforeValidator, ConfigDict, Field

from waza_engine.dialects.vally.fields import Count, Duration
from waza_engine.dialects.vally.formats.model import TolerantModel, tolerant
from waza_engine.model.fields import AnyValue, IfGiven, Text, as_text, is_null
from waza_engine.model.schema_marks import foreign_keys, marks

EXECUTORS = {
    "copilot-sdk": "Runs the agent with the Copilot CLI.",
    "mock": "No agent: answers immediately, to try out graders.",
    "replay": "No agent: uses the answers of recorded runs. Only in waza-lsp.",
    "command": "Runs the agent program set with --agent-command. Only in waza-lsp.",
    "acp": "Runs an agent that supports the Agent Client Protocol. Only in waza-lsp.",
}


class ExecutorConfig(TolerantModel):
    """An executor with its own settings."""

    model_config = ConfigDict(json_schema_extra=tolerant())

    name: Text = Field(
        min_length=1,
        description="Executor that runs the stimuli.",
        examples=["copilot-sdk"],
        json_schema_extra={"x-suggestions": list(EXECUTORS), "x-enum-descriptions": dict(EXECUTORS)},
    )
    config: AnyValue = Field(
        default=None,
        description="Settings of the executor, passed unchanged. waza-lsp ignores them.",
        examples=[{"provider": {"type": "openai", "baseUrl": "https://models.example.com/v1"}}],
        json_schema_extra={"type": "object"},
    )


Executor = Annotated[str | ExecutorConfig, Field(union_mode="left_to_right"), BeforeValidator(as_text)]


Runs = Annotated[Count, BeforeValidator(lambda value: 1 if is_null(value) else value)]
"""The number of trials; an empty value counts as missing."""

_EFFORTS = ("low", "medium", "high", "xhigh")
_DEFAULT_TIMEOUT = "2m"
_Timeout = Annotated[Duration, BeforeValidator(lambda value: _DEFAULT_TIMEOUT if is_null(value) else value)]


class EvalConfig(TolerantModel):
    """How the stimuli of the spec are run."""

    model_config = ConfigDict(
        json_schema_extra=tolerant(
            **foreign_keys(
                {"trials": "runs", "threshold": "../scoring.threshold"},
                workers="`--workers` on the command line sets how many trials run at the same time",
            )
        )
    )

    runs: Runs = Field(
        default=1,
        description="Trials per stimulus. 0 checks the spec without a run; 2 or more measure pass@k and pass^k.",
        examples=[3],
    )
    timeout: _Timeout = Field(
        default=_DEFAULT_TIMEOUT,
        description="Time limit of one trial with a unit: `300s`, `5m`.",
        examples=["300s"],
    )
    model: Text = Field(
        default="",
        description="Model of the agent.",
        examples=["claude-sonnet-4.6"],
        json_schema_extra=marks(reference="model"),
    )
    reasoning_effort: Text = Field(
        default="",
        description="Reasoning effort of the agent's model, passed to the executor. waza-lsp ignores it.",
        examples=["high"],
        json_schema_extra={"x-suggestions": list(_EFFORTS)},
    )
    judge_model: Text = Field(
        default="",
        description="Judge model for `prompt` graders without `model`. `--judge-model` takes precedence.",
        examples=["gpt-5.2"],
        json_schema_extra=marks(reference="model"),
    )
    judge_reasoning_effort: Text = Field(
        default="",
        description="Reasoning effort of the judge model.",
        examples=["medium"],
        json_schema_extra={"x-suggestions": list(_EFFORTS)},
    )
    judge_provider: AnyValue = Field(
        default=None,
        description=(
            "Endpoint of the judge model, compatible with OpenAI, Azure or Anthropic. Name credentials by environment "
            "variable. waza-lsp supports OpenAI and Azure (`apiVersion`)."
        ),
        examples=[
            {"type": "openai", "baseUrl": "https://models.example.com/v1", "apiKeyEnv": "OPENAI_API_KEY"}
        ],
        json_schema_extra={"type": "object"},
    )
    max_retries: IfGiven[Count] = Field(
        default=None,
        description="Retries of a trial after a transient failure. waza-lsp ignores it.",
        examples=[0],
    )
    executor: Executor = Field(
        default="copilot-sdk",
        description="Executor that runs the stimuli, by name or with settings. Plug-ins add more (`--executor-plugin`).",
        examples=["copilot-sdk"],
        json_schema_extra={"x-suggestions": list(EXECUTORS), "x-enum-descriptions": dict(EXECUTORS)},
    )

    @property
    def executor_name(self) -> str:
        return self.executor if isinstance(self.executor, str) else self.executor.name
