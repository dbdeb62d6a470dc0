"""`.waza.yaml`: settings of a project (docs/reference/waza-formats.md, section 7)."""

from typing import Self

from pydantic import ConfigDict, Field, model_validator
from pydantic.alias_generators import to_camel

from waza_engine.model.fields import Flag, Integer, ListOf, Text
from waza_engine.model.schema_marks import FileModel, MapOf, SectionOf, foreign_keys, marks


class _Section(FileModel):
    """A section whose keys are in camel case."""

    model_config = ConfigDict(alias_generator=to_camel)

    @model_validator(mode="after")
    def _use_default_for_zero(self) -> Self:
        defaults = {
            name: field.default
            for name, field in type(self).model_fields.items()
            if field.default and getattr(self, name) in ("", 0)
        }
        return self.model_copy(update=defaults) if defaults else self


class Paths(_Section):
    """Where the project keeps its skills, evals and results."""

    skills: Text = Field(
        default="skills/",
        description="Directory of the skills. Evals without `skill_directories` use these skills.",
        examples=["skills/"],
        json_schema_extra=marks(path=("project", "directory")),
    )
    evals: Text = Field(
        default="evals/",
        description="Directory in which waza looks for a skill's eval.",
        examples=["evals/"],
        json_schema_extra=marks(path=("project", "directory")),
    )
    results: Text = Field(
        default="results/",
        description="Directory for results. Absolute paths and `..` are ignored.",
        examples=["out/"],
        json_schema_extra=marks(path=("project", "directory")),
    )


class Files(_Section):
    """Names of eval and task files."""

    eval_file: Text = Field(
        default="eval.yaml",
        description="Name of eval files. `eval.yaml` still works.",
        examples=["skill.eval.yaml"],
    )
    task_glob: Text = Field(
        default="tasks/*.yaml",
        description="Glob for `tasks` in new evals. Does not affect existing evals.",
        examples=["tasks/*.task.yaml"],
    )
    task_file_suffix: Text = Field(
        default=".yaml",
        description="Suffix for the names of new task files.",
        examples=[".task.yaml"],
    )


class Defaults(_Section):
    """Defaults for new evals and for runs."""

    model_config = ConfigDict(
        json_schema_extra=foreign_keys(
            {"timeout_seconds": "timeout", "timeoutSeconds": "timeout", "executor": "engine"}
        )
    )

    engine: Text = Field(
        default="copilot-sdk",
        description="Executor for new evals. Does not affect runs.",
        examples=["copilot-sdk"],
        json_schema_extra=marks(
            values={
                "copilot-sdk": "The Copilot CLI.",
                "mock": "No agent.",
                "codex": "The Codex CLI, in some versions.",
            }
        ),
    )
    model: Text = Field(
        default="claude-sonnet-4.6",
        description="Model for new evals. Does not affect runs.",
        examples=["gpt-5.2"],
        json_schema_extra=marks(reference="model"),
    )
    model_reasoning_effort: Text = Field(
        default="",
        alias="model_reasoning_effort",
        description="Reasoning effort for the codex engine, in some versions.",
        examples=["medium"],
        json_schema_extra={"enum": ["none", "minimal", "low", "medium", "high", "xhigh"]},
    )
    judge_model: Text = Field(
        default="",
        description="Model for `prompt` graders without `model`. Overrides the eval's `judge_model`.",
        examples=["gpt-5.2"],
        json_schema_extra=marks(reference="model"),
    )
    timeout: Integer = Field(
        default=300,
        description="Time limit in seconds for new evals. Does not affect runs.",
        examples=[120],
        json_schema_extra={"minimum": 1},
    )
    parallel: Flag = Field(
        default=False,
        description="`true` runs tasks in parallel, even if the eval says otherwise.",
        examples=[True],
    )
    workers: Integer = Field(
        default=0,
        ge=0,
        description="Number of tasks to run at the same time. 0 means automatic. Before waza 0.34, the default was 4.",
        examples=[4],
    )
    verbose: Flag = Field(default=False, description="Print more during runs.", examples=[True])
    session_log: Flag = Field(default=False, description="Write a log of every run.", examples=[True])


class Cache(_Section):
    """Reuse of earlier results."""

    enabled: Flag = Field(
        default=False,
        description="Use cached results for unchanged tasks. A changed skill does not invalidate the cache.",
        examples=[True],
    )
    dir: Text = Field(
        default=".waza-cache",
        description="Directory of the cache, relative to the directory where the run starts.",
        examples=[".waza-cache"],
        json_schema_extra=marks(path=("process", "directory")),
    )


class Server(_Section):
    """The dashboard, `waza serve`."""

    port: Integer = Field(
        default=3000, description="Port of the dashboard.", examples=[8080], json_schema_extra={"minimum": 1}
    )
    results_dir: Text = Field(
        default="results/",
        description="Directory with the results to show.",
        examples=["results/"],
        json_schema_extra=marks(path=("project", "directory")),
    )


class Dev(_Section):
    """The improvement loop, `waza dev`."""

    model: Text = Field(
        default="claude-sonnet-4-20250514",
        description="Model that improves the skill.",
        examples=["gpt-5.2"],
        json_schema_extra=marks(reference="model"),
    )
    target: Text = Field(
        default="medium-high",
        description="Compliance level to reach.",
        examples=["high"],
        json_schema_extra={"enum": ["low", "medium", "medium-high", "high"]},
    )
    max_iterations: Integer = Field(
        default=5, description="Maximum number of iterations.", examples=[3], json_schema_extra={"minimum": 1}
    )


class TokenLimits(_Section):
    """Token limits of files."""

    defaults: MapOf[Integer] = Field(
        default={},
        description="Token limits by glob.",
        examples=[{"SKILL.md": 500, "references/**/*.md": 1000}],
        json_schema_extra={"additionalProperties": {"type": "integer", "minimum": 0}},
    )
    overrides: MapOf[Integer] = Field(
        default={},
        description="Token limits by path. They override `defaults`.",
        examples=[{"README.md": 3000}],
        json_schema_extra={"additionalProperties": {"type": "integer", "minimum": 0}},
    )


class Tokens(_Section):
    """Token budgets of skill files."""

    warning_threshold: Integer = Field(
        default=500, ge=0, description="Warn about files with more tokens than this.", examples=[2500]
    )
    fallback_limit: Integer = Field(
        default=1000, ge=0, description="Limit for files without another limit.", examples=[2000]
    )
    limits: SectionOf[TokenLimits] = Field(
        default_factory=TokenLimits,
        description="Token limits of files.",
        examples=[{"defaults": {"SKILL.md": 500}}],
    )


class GraderDefaults(_Section):
    """Defaults for graders."""

    program_timeout: Integer = Field(
        default=30,
        description="Time limit in seconds for `program` graders without `timeout`.",
        examples=[60],
        json_schema_extra={"minimum": 1},
    )


class Storage(_Section):
    """Upload of results."""

    provider: Text = Field(
        default="",
        description="Storage service for the upload.",
        examples=["azure-blob"],
        json_schema_extra={"enum": ["azure-blob"]},
    )
    account_name: Text = Field(default="", description="Name of the storage account.", examples=["myaccount"])
    container_name: Text = Field(
        default="waza-results", description="Name of the container.", examples=["waza-results"]
    )
    enabled: Flag = Field(default=False, description="Whether to upload results.", examples=[True])


class Registry(_Section):
    """An index of graders and evals that others publish."""

    name: Text = Field(default="", description="Name of the registry.", examples=["company"])
    url: Text = Field(
        default="",
        description="Where its repositories are.",
        examples=["https://github.com/example/waza-registry"],
    )
    priority: Integer = Field(default=0, description="Order of the registries in a search.", examples=[10])


class ProjectFile(FileModel):
    """Settings of a project. If anything in the file is wrong, `waza run` silently ignores the whole file."""

    model_config = ConfigDict(title="waza project", json_schema_extra={"x-severity": "warning"})

    paths: SectionOf[Paths] = Field(
        default_factory=Paths,
        description="Where skills, evals and results are.",
        examples=[{"skills": "skills/"}],
    )
    files: SectionOf[Files] = Field(
        default_factory=Files,
        description="Names of eval and task files.",
        examples=[{"evalFile": "skill.eval.yaml"}],
    )
    defaults: SectionOf[Defaults] = Field(
        default_factory=Defaults,
        description="Defaults for new evals and for runs.",
        examples=[{"judgeModel": "gpt-5.2"}],
    )
    graders: SectionOf[GraderDefaults] = Field(
        default_factory=GraderDefaults, description="Defaults for graders.", examples=[{"programTimeout": 60}]
    )
    cache: SectionOf[Cache] = Field(
        default_factory=Cache, description="Reuse of earlier results.", examples=[{"enabled": True}]
    )
    tokens: SectionOf[Tokens] = Field(
        default_factory=Tokens,
        description="Token budgets of skill files.",
        examples=[{"warningThreshold": 2500}],
    )
    dev: SectionOf[Dev] = Field(
        default_factory=Dev, description="The improvement loop, `waza dev`.", examples=[{"target": "high"}]
    )
    server: SectionOf[Server] = Field(
        default_factory=Server, description="The dashboard, `waza serve`.", examples=[{"port": 8080}]
    )
    storage: SectionOf[Storage] = Field(
        default_factory=Storage,
        description="Upload of results.",
        examples=[{"provider": "azure-blob", "enabled": True}],
    )
    registries: ListOf[Registry] = Field(
        default=[],
        description="Where `waza registry search` looks for graders. The file that `waza init` writes lists the public one.",
        examples=[[{"name": "company", "url": "https://github.com/example/waza-registry"}]],
    )
