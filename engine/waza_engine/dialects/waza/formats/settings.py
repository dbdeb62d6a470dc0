"""The `config` section of an eval: how to run its tasks (docs/reference/waza-formats.md, section 4.2)."""

from pydantic import ConfigDict, Field, JsonValue

from waza_engine.model.fields import Flag, Integer, Strings, Switch, Text, TextMap
from waza_engine.model.schema_marks import FileModel, MapOf, SectionOf, foreign_keys, item_marks, marks
from waza_engine.model.suite import GROUPINGS
from waza_engine.plugins import EXECUTOR_GROUP, plugin_entry_points

EXECUTORS = {
    "copilot-sdk": "Runs the agent with the Copilot CLI. Needs a signed-in CLI or your own provider.",
    "mock": "No agent: the answer is an echo of the prompt. Calls no tools and invokes no skills.",
    "replay": "No agent: the answers come from recorded runs. Only in waza-lsp.",
    "command": "Runs any agent program, set with --agent-command. Only in waza-lsp.",
    "acp": "Runs an agent that supports the Agent Client Protocol. Only in waza-lsp.",
    "codex": "Runs the agent with the Codex CLI, in some versions of waza.",
    "claude-cli": "Runs the agent with the Claude CLI, in some versions of waza.",
    **{it.name: f"Added by {it.value.partition(':')[0]}." for it in plugin_entry_points(EXECUTOR_GROUP)},
}
REASONING_EFFORTS = {
    "low": "Least reasoning, fastest answers.",
    "medium": "Moderate reasoning.",
    "high": "More reasoning.",
    "xhigh": "Extensive reasoning.",
    "max": "As much reasoning as the model supports.",
}


class McpServer(FileModel):
    """An MCP server for the agent: `command` for a local one, `type` and `url` for a remote one.

    Other keys are passed to the agent unchanged.
    """

    model_config = ConfigDict(extra="allow")

    type: Text = Field(
        default="",
        description="How to connect to the server. By default, `command` is started and used over stdio.",
        examples=["http"],
        json_schema_extra=marks(
            values={
                "stdio": "Start `command` and use its standard input and output.",
                "local": "Same as stdio.",
                "http": "Connect to `url` over HTTP.",
                "sse": "Connect to `url` over server-sent events.",
            }
        ),
    )
    command: Text = Field(
        default="",
        description="Program that runs the server. Required unless `type` is http or sse.",
        examples=["npx"],
    )
    args: Strings = Field(
        default=[], description="Arguments of the program.", examples=[["-y", "@azure/mcp@latest"]]
    )
    env: TextMap = Field(
        default={}, description="Environment variables for the program.", examples=[{"LOG_LEVEL": "debug"}]
    )
    cwd: Text = Field(default="", description="Working directory of the program.", examples=["servers"])
    url: Text = Field(
        default="",
        description="URL of the server, for http and sse.",
        examples=["https://mcp.example.com"],
    )
    headers: TextMap = Field(
        default={}, description="HTTP headers sent with every request.", examples=[{"X-Tenant": "demo"}]
    )
    tools: Strings | None = Field(
        default=None,
        description="Tools that the agent may use. By default all of them. An empty list allows none.",
        examples=[["search", "fetch"]],
    )
    timeout: Integer = Field(
        default=0, ge=0, description="Time limit for one call, in milliseconds.", examples=[30000]
    )


class Settings(FileModel):
    """How to run the tasks of the suite."""

    model_config = ConfigDict(
        json_schema_extra={"x-exclusive": [["parallel", "fail_fast"]]}
        | foreign_keys(
            {
                "baseline": "../baseline",
                "hooks": "../hooks",
                "graders": "../graders",
                "metrics": "../metrics",
                "skill": "../skill",
                "tasks": "../tasks",
                "trials": "trials_per_task",
                "timeout": "timeout_seconds",
                "timeout_sec": "timeout_seconds",
                "runs": "trials_per_task",
                "runs_per_test": "trials_per_task",
                "engine": "executor",
                "engine_type": "executor",
                "model_id": "model",
                "stop_on_error": "fail_fast",
                "concurrent": "parallel",
                "skill_paths": "skill_directories",
            },
            max_tokens="waza has no such setting. A `behavior` grader limits tokens",
            temperature="waza has no such setting",
        )
    )

    trials_per_task: Integer = Field(
        ge=1,
        description="Number of runs per task. With more than 1 you see whether a task is flaky. waza has no default.",
        examples=[3],
    )
    timeout_seconds: Integer = Field(
        ge=1,
        description=(
            "Time limit for each turn, in seconds. After a timeout, the partial output is still graded, "
            "but the run counts as an error. waza has no default."
        ),
        examples=[300],
    )
    executor: Text = Field(
        default="",
        description="Executor that performs the tasks. Runs do not start without it.",
        examples=["copilot-sdk"],
        json_schema_extra={
            **marks(recommended=True, values=EXECUTORS),
            "x-if-unknown": "To run an agent program of your own, use `command`",
        },
    )
    model: Text = Field(
        default="",
        description="Model for the tasks. Without it, the executor uses its own default, which changes over time.",
        examples=["claude-sonnet-4.6"],
        json_schema_extra={
            **marks(recommended=True, reference="model"),
            "x-needless-beside": {"executor": "mock"},
        },
    )
    first_event_timeout_seconds: Integer = Field(
        default=0,
        ge=0,
        description="Stop if the agent sends no event within this many seconds. 0 means no limit.",
        examples=[60],
    )
    parallel: Flag = Field(
        default=False,
        description="Run tasks in parallel. Trials of one task stay in order. Disables `fail_fast`.",
        examples=[True],
    )
    workers: Integer = Field(
        default=0,
        description="Number of tasks to run at the same time with `parallel`. 0 means automatic.",
        examples=[4],
        json_schema_extra={"minimum": 0},
    )
    fail_fast: Flag = Field(
        default=False,
        description="Stop after the first task that fails. Works only without `parallel`.",
        examples=[True],
    )
    max_attempts: Integer = Field(
        default=1,
        description=(
            "Maximum number of attempts for a failed trial, including the first. Errors are not retried. "
            "Values below 1 mean 1."
        ),
        examples=[2],
        json_schema_extra={"minimum": 1, "x-severity": "information", "x-consequence": "waza uses 1"},
    )
    reasoning_effort: Text = Field(
        default="",
        description="Reasoning effort of the model. Only with the executor `copilot-sdk`.",
        examples=["high"],
        json_schema_extra=marks(values=REASONING_EFFORTS),
    )
    judge_model: Text = Field(
        default="",
        description="Model for `prompt` graders without `model`. `defaults.judgeModel` in .waza.yaml overrides it.",
        examples=["gpt-5.2"],
        json_schema_extra=marks(reference="model"),
    )
    judge_reasoning_effort: Text = Field(
        default="",
        description="Reasoning effort of the judge model. Only with the executor `copilot-sdk`.",
        examples=["medium"],
        json_schema_extra=marks(values=REASONING_EFFORTS),
    )
    group_by: Text = Field(
        default="",
        description=(
            "How to group results: by `model`, or by the `tags` of the tasks. waza ignores other values with a warning."
        ),
        examples=["model"],
        json_schema_extra={"x-suggestions": list[JsonValue](GROUPINGS)},
    )
    skill_directories: Strings = Field(
        default=[],
        description=(
            "Skill directories for the agent, relative to the eval file. Each contains a SKILL.md. "
            "The item `none` disables all skills."
        ),
        examples=[["skills/deploy"]],
        json_schema_extra=item_marks(path=("eval", "directory"), holds="SKILL.md"),
    )
    required_skills: Strings = Field(
        default=[],
        description="Skills that must exist in `skill_directories`, by the name in SKILL.md. Otherwise runs do not start.",
        examples=[["deploy"]],
        json_schema_extra=item_marks(reference="skill"),
    )
    disabled_skills: Strings = Field(
        default=[],
        description="Skills to disable: items of `skill_directories` or their last part. `*` disables all.",
        examples=[["deploy"]],
        json_schema_extra=item_marks(reference="skill"),
    )
    instruction_files: Strings = Field(
        default=[],
        description="Files of the fixtures directory to copy into the workspace and the system message.",
        examples=[["AGENTS.md"]],
        json_schema_extra=item_marks(path=("fixtures", "file")),
    )
    inject_skill_body: Switch = Field(
        default=True,
        description=(
            "Add the text of SKILL.md to the system prompt. The agent then has no reason to invoke the skill: "
            "set it to false to measure triggering."
        ),
        examples=[False],
    )
    trigger_skill_routing: Flag = Field(
        default=False,
        description="Let the agent choose the skill itself. Works only with `inject_skill_body: false`.",
        examples=[True],
    )
    mcp_servers: MapOf[SectionOf[McpServer]] = Field(
        default={},
        description=(
            "MCP servers for the agent, by name. waza supports them only with `copilot-sdk`, waza-lsp also with `acp` "
            "and `command`."
        ),
        examples=[{"azure": {"command": "npx", "args": ["-y", "@azure/mcp@latest"]}}],
    )
    max_workers: Integer = Field(
        default=0,
        description="Old name of `workers`, renamed in waza 0.24.",
        examples=[4],
        json_schema_extra=marks(instead="workers", move_to="workers"),
    )
    verbose: Flag = Field(
        default=False,
        description="Has had no effect since waza was rewritten. Use `--verbose` on the command line.",
        examples=[True],
        json_schema_extra=marks(instead="--verbose", move_to="", no_effect=True),
    )
