"""`.vally.yaml`: paths, suites and named environments of a project (docs/reference/vally.md, section 8)."""

from typing import Annotated, Any

from pydantic import BeforeValidator, ConfigDict, Field, WithJsonSchema

from waza_engine.dialects.vally.formats.environment import Environment
from waza_engine.dialects.vally.formats.model import NAMED_BY_KEY, TolerantModel, tolerant
from waza_engine.model.fields import AnyValue, Strings, Text, as_list, is_null
from waza_engine.model.schema_marks import MapOf, SectionOf, foreign_keys


def _one_or_more(value: Any) -> Any:
    return as_list(value) if is_null(value) or isinstance(value, list) else [value]


def _paths_schema(base: str, kind: str) -> Any:
    """Return the schema of a path or a list of paths."""
    path = {"x-path": {"base": base, "kind": kind}}
    return WithJsonSchema({"type": ["string", "array"], **path, "items": {"type": "string", **path}})


Directories = Annotated[Strings, BeforeValidator(_one_or_more), _paths_schema("project", "directory")]
Names = Annotated[
    Strings,
    BeforeValidator(_one_or_more),
    WithJsonSchema({"type": ["string", "array"], "items": {"type": "string"}}),
]


class Paths(TolerantModel):
    """Directories of the project's skills, evals and results."""

    # Newer versions may have more keys.
    model_config = ConfigDict(json_schema_extra=tolerant("near"))

    skills: Directories = Field(
        default=["skills/"], description="Directories with skills.", examples=["skills/"]
    )
    evals: Directories = Field(
        default=["evals/"], description="Directories to search for eval specs.", examples=["evals/"]
    )
    results: Text = Field(
        default="results/",
        description="Directory for results.",
        examples=["out/"],
        json_schema_extra={"x-path": {"base": "project", "kind": "directory"}},
    )
    eval_filenames: Names = Field(
        default=["eval.yaml", "eval.yml"],
        alias="evalFilenames",
        description="File names of eval specs; globs are allowed.",
        examples=[["eval.yaml", "*.eval.yaml"]],
    )


_FilterValues = Annotated[
    AnyValue,
    WithJsonSchema({"type": ["string", "number", "boolean", "array", "object"], "items": {"type": "string"}}),
]
"""The value of a tag filter; some projects nest all filters under `tags`."""


class SuiteConfig(TolerantModel):
    """A named part of the project's evals for `--suite`, selected by file, by tag or by both."""

    model_config = ConfigDict(
        json_schema_extra=tolerant(anyOf=[{"required": ["filter"]}, {"required": ["evals"]}], **NAMED_BY_KEY)
    )

    description: Text = Field(
        default="", description="Purpose of the suite.", examples=["Runs on every change."]
    )
    filter: MapOf[_FilterValues] = Field(
        default={},
        description="Tags that a stimulus must have: all keys, each with one of the listed values. Empty selects all.",
        examples=[{"tier": ["ci", "nightly"]}],
    )
    evals: Strings = Field(
        default=[],
        description="Eval specs of the suite, as globs relative to the project directory.",
        examples=[["evals/deploy/**/eval.yaml"]],
        json_schema_extra={
            "items": {
                "type": "string",
                "x-path": {"base": "project", "kind": "glob", "suffixes": [".yaml", ".yml"]},
            },
        },
    )
    metadata: AnyValue = Field(
        default=None,
        description="Your data for reporters, passed in the context of a run of this suite.",
        examples=[{"tier": "nightly"}],
    )


_OF_EVALS = "It belongs into an eval spec"
_UNKNOWN = "vally does not read it"
_KEYS_OF_EVALS = (
    "name",
    "skill",
    "config",
    "stimuli",
    "graders",
    "scoring",
    "metrics",
    "tasks",
    "tasks_from",
    "hooks",
)
_KEYS_OF_SETTINGS = ("files", "defaults", "cache", "server", "dev", "tokens", "storage")
_FOREIGN = foreign_keys(
    {"evals": "paths.evals", "skills": "paths.skills", "results": "paths.results"},
    **dict.fromkeys(_KEYS_OF_EVALS, _OF_EVALS),
    **dict.fromkeys(_KEYS_OF_SETTINGS, _UNKNOWN),
)
"""Keys of other files, which do nothing at the top level of this one. Other unknown keys may belong to plug-ins."""


class ProjectFile(TolerantModel):
    """Settings of a project: paths, suites and named environments."""

    model_config = ConfigDict(
        title="vally project", json_schema_extra={**tolerant("near", **_FOREIGN), "x-null-refused": True}
    )

    paths: SectionOf[Paths] = Field(
        default_factory=Paths,
        description="Directories of skills, evals and results.",
        examples=[{"evals": "evals/", "skills": ["skills/"]}],
    )
    metadata: AnyValue = Field(
        default=None,
        description="Your data for reporters, passed in the context of a run.",
        examples=[{"team": "docs"}],
    )
    suites: MapOf[SuiteConfig] = Field(
        default={},
        description="Named parts of the evals, for `vally eval --suite`.",
        examples=[{"ci": {"description": "Runs on every change.", "filter": {"tier": "ci"}}}],
    )
    environments: MapOf[Environment] = Field(
        default={},
        description="Named environments for specs. Their paths are relative to the eval file that uses them.",
        examples=[{"node-app": {"files": [{"src": "../fixtures/app", "dest": "."}]}}],
        json_schema_extra={"x-defines-keys": "environment"},
    )
