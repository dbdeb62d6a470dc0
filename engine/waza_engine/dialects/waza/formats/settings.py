"""The `config` section of an eval: how tasks are run (docs/reference/waza-formats.md, section 4.2)."""

from pydantic import ConfigDict, Field

from waza_engine.model.fields import Flag, Integer, Strings, Switch, Text, TextMap
from waza_engine.model.schema_marks import FileModel, MapOf, SectionOf, foreign_keys, item_marks, marks
from waza_engine.plugins import EXECUTOR_GROUP, plugin_entry_points

EXECUTORS = {
    "copilot-sdk": "Runs the agent with the Copilot CLI; needs a signed-in CLI or a provider of your own.",
    "mock": "No agent: answers with an echo of the prompt. Calls no tools and invokes no skills.",
    "replay": "No agent: takes the answers from recorded runs. Only waza-lsp has it.",
    "command": "Runs any agent program, named with --agent-command. Only waza-lsp has it.",
    "acp": "Runs an agent that speaks the Agent Client Protocol. Only waza-lsp has it.",
    "codex": "Runs the agent with the Codex CLI, in some versions of waza.",
    "claude-cli": "Runs the agent with the Claude CLI, in some versions of waza.",
    **{it.name: f"Added by {it.value.partition(':')[0]}." for it in plugin_entry_points(EXECUTOR_GROUP)},
}
REASONING_EFFORTS = {
    "low": "Least reasoning, fastest answers.",
    "medium": "Some reasoning.",
    "high": "Much reasoning.",
    "xhigh": "Very much reasoning.",
    "max": "As much reasoning as the model offers.",
}


class McpServer(FileModel):
    """An MCP server for the agent: `command` for a local one, `type` and `url` for one in the network.

    Other keys are handed on to the agent as they are.
    """

    model_config = ConfigDict(extra="allow")

    type: Text = Field(
        default="",
        description="How to talk to the server. Left out, `command` is started and spoken to over stdio.",
        examples=["http"],
        json_schema_extra=marks(
            values={
                "stdio": "Start `command` and talk over its standard input and output.",
                "local": "The same as stdio.",
                "http": "Talk to `url` over HTTP.",
                "sse": "Talk to `url` over server-sent events.",
            }
        ),
    )
    command: Text = Field(
        default="",
        description="Program that is the server. Needed unless `type` is http or sse.",
        examples=["npx"],
    )
    args: Strings = Field(
        default=[], description="Arguments of the program.", examples=[["-y", "@azure/mcp@latest"]]
    )
    env: TextMap = Field(
        default={}, description="Environment variables for the program.", examples=[{"LOG_LEVEL": "debug"}]
    )
    cwd: Text = Field(default="", description="Directory the program is started in.", examples=["servers"])
    url: Text = Field(
        default="",
        description="Address of the server, for http and sse.",
        examples=["https://mcp.example.com"],
    )
    headers: TextMap = Field(
        default={}, description="HTTP headers sent with every request.", examples=[{"X-Tenant": "demo"}]
    )
    tools: Strings | None = Field(
        default=None,
        description="Tools that the agent may use. Left out: all of them; an empty list: none.",
        examples=[["search", "fetch"]],
    )
    timeout: Integer = Field(
        default=0, ge=0, description="Time limit of one call in milliseconds.", examples=[30000]
    )


class Settings(FileModel):
    """How the tasks of the suite are run."""

    model_config = ConfigDict(
        json_schema_extra=foreign_keys(
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
            max_tokens="waza has no such setting; a `behavior` grader limits tokens",
            temperature="waza has no such setting",
        )
    )

    trials_per_task: Integer = Field(
        ge=1,
        description="How often each task is run. More than 1 shows whether a task is flaky. waza has no default.",
        examples=[3],
    )
    timeout_seconds: Integer = Field(
        ge=1,
        description=(
            "Time limit of each turn in seconds. After it the partial output is graded all the same, "
            "but the run counts as an error. waza has no default."
        ),
        examples=[300],
    )
    executor: Text = Field(
        default="",
        description="Who performs the tasks. A run does not start without it.",
        examples=["copilot-sdk"],
        json_schema_extra=marks(recommended=True, values=EXECUTORS),
    )
    model: Text = Field(
        default="",
        description="Model for the tasks. Left out, the executor uses its own default, which changes over time.",
        examples=["claude-sonnet-4.6"],
        json_schema_extra=marks(recommended=True, reference="model"),
    )
    first_event_timeout_seconds: Integer = Field(
        default=0,
        ge=0,
        description="Give up when the agent has shown no sign of life after so many seconds. 0 never gives up.",
        examples=[60],
        json_schema_extra=marks(since="0.36"),
    )
    parallel: Flag = Field(
        default=False,
        description="Run tasks at the same time. Trials of one task stay in order; `fail_fast` has no effect then.",
        examples=[True],
    )
    workers: Integer = Field(
        default=0,
        description="How many tasks run at the same time when `parallel` is on. 0 chooses the number.",
        examples=[4],
        json_schema_extra=marks(since="0.24", minimum=0),
    )
    fail_fast: Flag = Field(
        default=False,
        description="Stop after the first task that did not pass. Works only without `parallel`.",
        examples=[True],
    )
    max_attempts: Integer = Field(
        default=1,
        description=(
            "How often a failed trial is tried again, the first try included. Errors are not repeated; "
            "values below 1 mean 1."
        ),
        examples=[2],
        json_schema_extra={"minimum": 1, "x-severity": "warning", "x-consequence": "waza takes 1"},
    )
    reasoning_effort: Text = Field(
        default="",
        description="How much the model thinks. Only with the executor `copilot-sdk`.",
        examples=["high"],
        json_schema_extra=marks(since="0.36", values=REASONING_EFFORTS),
    )
    judge_model: Text = Field(
        default="",
        description="Model for `prompt` graders that name none. `defaults.judgeModel` of .waza.yaml beats it.",
        examples=["gpt-5.2"],
        json_schema_extra=marks(reference="model"),
    )
    judge_reasoning_effort: Text = Field(
        default="",
        description="How much the judge model thinks. Only with the executor `copilot-sdk`.",
        examples=["medium"],
        json_schema_extra=marks(since="0.36", values=REASONING_EFFORTS),
    )
    group_by: Text = Field(
        default="",
        description="Group results. Only `model` works; waza ignores every other value with a warning.",
        examples=["model"],
        json_schema_extra={"x-suggestions": ["model"]},
    )
    skill_directories: Strings = Field(
        default=[],
        description=(
            "Directories of skills for the agent, relative to the eval file; each holds a SKILL.md itself. "
            "The item `none` switches all skills off."
        ),
        examples=[["skills/deploy"]],
        json_schema_extra=item_marks(path=("eval", "directory"), **{"x-holds": "SKILL.md"}),
    )
    required_skills: Strings = Field(
        default=[],
        description="Skills that must be found in `skill_directories`, by the name in their SKILL.md, or no run starts.",
        examples=[["deploy"]],
        json_schema_extra=item_marks(reference="skill"),
    )
    disabled_skills: Strings = Field(
        default=[],
        description="Skills to leave out: directories of `skill_directories` or their last part. `*` leaves out all.",
        examples=[["deploy"]],
        json_schema_extra=marks(since="0.29", items={"type": "string", "x-reference": "skill"}),
    )
    instruction_files: Strings = Field(
        default=[],
        description="Files of the fixtures directory that are put into the workspace and into the system message.",
        examples=[["AGENTS.md"]],
        json_schema_extra=marks(since="0.33", **item_marks(path=("fixtures", "file"))),
    )
    inject_skill_body: Switch = Field(
        default=True,
        description=(
            "Put the text of the SKILL.md into the system prompt. The agent then has no reason to invoke the skill: "
            "switch it off to measure triggering."
        ),
        examples=[False],
        json_schema_extra=marks(since="0.34"),
    )
    trigger_skill_routing: Flag = Field(
        default=False,
        description="Let the agent choose the skill itself. Works only with `inject_skill_body: false`.",
        examples=[True],
        json_schema_extra=marks(since="0.36"),
    )
    mcp_servers: MapOf[SectionOf[McpServer]] = Field(
        default={},
        description=(
            "MCP servers for the agent, by name. waza hands them to `copilot-sdk` alone, waza-lsp to `acp` and "
            "`command` as well."
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
        description="Has no effect since waza was rewritten; `--verbose` on the command line has.",
        examples=[True],
        json_schema_extra=marks(instead="--verbose", move_to="", no_effect=True),
    )
